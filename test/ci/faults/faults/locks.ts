/** Faults that use locks: a locked table, a tenant that crowds the others, a pause at a bad moment. */
import { rowsPath } from "../clients/ledger.ts";
import type { State } from "../parts/proxy.ts";
import { crowdedTable, crowdedTenant } from "../setUp.ts";
import { times } from "../trial.ts";
import { type Fault, recovery, type Stage } from "./fault.ts";

/** Holds a lock while `meanwhile` runs. */
async function withLock<T>(
  { postgres }: Pick<Stage, "postgres">,
  statement: string,
  meanwhile: () => Promise<T>,
) {
  const connection = await postgres.sql.reserve();
  try {
    await connection.unsafe("begin");
    await connection.unsafe(statement);
    return await meanwhile();
  } finally {
    await connection.unsafe("rollback").catch(() => {});
    connection.release();
  }
}

const tables = ["process_instances", "attachments", "service_tasks", "download_tokens"];

export const tableLocked: Fault = {
  kind: "table locked for 3 s",
  run: async (stage) => {
    const table = stage.random.pick(tables);
    await withLock(stage, `lock table waybill.${table} in access exclusive mode`, () => Bun.sleep(3_000));
    return { target: table };
  },
};

/** Longer than a statement waits for a lock. A write that cannot be recorded must not be acknowledged. */
export const auditLocked: Fault = {
  kind: "audit trail locked for 7 s",
  run: async (stage) => {
    const trails = await stage.postgres.sql<{ name: string }[]>`
      select format('%I._audit', nspname) as name from pg_namespace where nspname ~ '^tenant_[0-9]+$'`;
    const names = trails.map(({ name }) => name).join(", ");
    await withLock(stage, `lock table ${names} in exclusive mode`, () => Bun.sleep(7_000));
    return { target: "_audit" };
  },
};

const crowd = 120;

/** Many requests of one tenant wait for a lock, while service tasks of the others are slow. */
export const tenantCrowds: Fault = {
  kind: "tenant crowds the others for 15 s",
  run: async (stage) => {
    const { trial, proxy } = stage;
    await recovery(stage);
    trial.receiver.behave("slow");
    await stage.burst(12);
    const before = sumOf(await proxy.state());
    const lock = `lock table tenant_${crowdedTenant}.${crowdedTable} in access exclusive mode`;
    const after = await withLock(stage, lock, async () => {
      const until = trial.now() + 15_000;
      await Promise.all(times(crowd, () => push(stage, until)));
      return sumOf(await proxy.state());
    });
    trial.receiver.behave("usual");
    const [failed, out] = [after.failedChecks - before.failedChecks, after.timesOut - before.timesOut];
    const finding = `${failed} health checks of live processes failed, and the proxy took one out ${out} times`;
    return {
      target: `tenant ${crowdedTenant}`,
      findings: failed > toleratedChecks || out > 0 ? [finding] : [],
    };
  },
};

/** Of about ninety, because a busy machine can be late with one. */
const toleratedChecks = 4;

function sumOf(states: ReadonlyMap<string, State>): Pick<State, "failedChecks" | "timesOut"> {
  const sum = { failedChecks: 0, timesOut: 0 };
  for (const { failedChecks, timesOut } of states.values()) {
    sum.failedChecks += failedChecks;
    sum.timesOut += timesOut;
  }
  return sum;
}

async function push({ trial }: Stage, until: number): Promise<void> {
  const token = await trial.token({ tenant: crowdedTenant, user: "crowd", role: "admin_sop" });
  while (trial.now() < until) {
    const { retryAfter } = await trial.send({
      operation: "updateRows",
      tenant: crowdedTenant,
      token,
      to: `PATCH ${rowsPath(crowdedTenant, crowdedTable)}`,
      body: { where: { name: "one" }, set: { state: 1 } },
    });
    // Waits as long as the answer asks for, if it does.
    await Bun.sleep(Number(retryAfter) * 1_000 || 100);
  }
}

const sendLock = 4_711;

/**
 * Pauses a process after it marked a service task as sent and before it sends the request. The pause is longer than the
 * others wait for a heartbeat. A trigger stops every mark at an advisory lock until the process is paused.
 */
export const pausedBeforeSending: Fault = {
  kind: "process paused before sending, for 27 s",
  run: async (stage) => {
    const { postgres, random, processes } = stage;
    const victim = random.pick(processes);
    await postgres.sql.unsafe(stopMarks);
    let waiting = 0;
    let begun: Promise<void> | undefined;
    try {
      await withLock(stage, `select pg_advisory_xact_lock(${sendLock})`, async () => {
        begun = stage.burst(30);
        await Bun.sleep(2_500);
        const [row] = await postgres.sql<{ waiting: number }[]>`
          select count(*)::int as waiting from pg_locks where locktype = 'advisory' and not granted`;
        waiting = row?.waiting ?? 0;
        victim.pause();
      });
      await Bun.sleep(27_000);
    } finally {
      victim.resume();
    }
    await Promise.all([begun, Bun.sleep(2_000)]);
    // Not earlier: it would wait for locks of the paused process, and everybody else would wait behind it.
    await postgres.sql.unsafe(dropTrigger);
    return { target: `${victim.name}, ${waiting} marked requests in total` };
  },
};

const stopMarks = `
  create or replace function public.stop_mark() returns trigger language plpgsql security definer as $$
  begin
    if new.sent_at is not null and old.sent_at is null then
      perform pg_advisory_xact_lock_shared(${sendLock});
    end if;
    return new;
  end $$;
  create trigger stop_mark before update on waybill.service_tasks for each row execute function public.stop_mark()`;
const dropTrigger = "drop trigger stop_mark on waybill.service_tasks";
