/** Rules about processes: nothing is sent twice, nothing is lost, no live process counts as dead. */
import type postgres from "postgres";
import type { SeenIncident } from "../clients/operator.ts";
import type { Processes } from "../clients/processes.ts";
import type { FaultRecord } from "../faults/fault.ts";
import type { Received } from "../parts/receiver.ts";
import { type Check, check, groupEqual } from "./check.ts";

export interface ProcessFacts {
  readonly processes: Processes;
  readonly visits: ReadonlyMap<string, ReadonlySet<string>>;
  readonly received: readonly Received[];
  readonly incidents: ReadonlyMap<string, SeenIncident>;
  readonly faults: readonly FaultRecord[];
}

export const checkProcesses = (sql: postgres.Sql, facts: ProcessFacts): Promise<Check[]> => {
  const { processes, visits, received } = facts;
  const acknowledged = [...processes.started, ...[...visits.values()].flatMap((ids) => [...ids])];
  return Promise.all([
    check("no Idempotency-Key is received twice", () =>
      groupEqual(received.map(({ key }) => key)).filter((line) => !line.startsWith("1 times")),
    ),
    check("no attempt is received after a later one of its task", () => lateAttempts(received)),
    check("nothing is booked twice if an operator looks before each rerun", () =>
      groupEqual(received.filter(({ booked }) => booked).map(({ task }) => task)).filter(
        (line) => !line.startsWith("1 times"),
      ),
    ),
    check("every instance is completed", () => unfinished(sql, acknowledged)),
    check("a completed task is not open again", () => reopened(sql, processes.completed)),
    check("a form session starts one instance", () =>
      [...visits.values()].filter(({ size }) => size > 1).map((ids) => [...ids].join(" ")),
    ),
    check("no live process counts as dead", () => takenForDead(facts)),
  ]);
};

export function lateAttempts(received: readonly Received[]): string[] {
  const highest = new Map<string, number>();
  return received.flatMap(({ task, attempt, booked }) => {
    const before = highest.get(task) ?? 0;
    highest.set(task, Math.max(before, attempt));
    return attempt < before ? [`${task}: ${attempt} after ${before}${booked ? ", booked again" : ""}`] : [];
  });
}

async function unfinished(sql: postgres.Sql, acknowledged: readonly string[]): Promise<string[]> {
  const rows = await sql<{ id: string; state: string; process: string }[]>`
    select id::text, state, process_key as process from waybill.process_instances`;
  const known = new Set(rows.map(({ id }) => id));
  const lost = acknowledged.filter((id) => !known.has(id)).map((id) => `${id} was acknowledged and is gone`);
  const open = rows.filter(({ state }) => state !== "completed");
  return [...lost, ...open.map(({ id, state, process }) => `${process} ${id} is ${state}`)];
}

async function reopened(sql: postgres.Sql, completed: readonly string[]): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`select id::text from waybill.user_tasks where ended_at is null`;
  const open = new Set(rows.map(({ id }) => id));
  return completed.filter((id) => open.has(id));
}

/** While one tenant crowds the others, no process is killed or paused, so no running call may become an incident. */
function takenForDead({ incidents, received, faults }: ProcessFacts): string[] {
  const crowds = faults.filter(({ kind }) => kind.includes("crowds the others"));
  const duringCrowd = received.filter(({ at }) =>
    crowds.some(({ startedAt, endedAt }) => at > startedAt && at < endedAt - 10_000),
  );
  const sent = new Set(duringCrowd.map(({ key }) => key));
  return [...incidents.values()]
    .filter(({ type }) => type === "interrupted")
    .filter(({ seenAt }) => crowds.some(({ endedAt }) => seenAt < endedAt))
    .map(
      ({ process_instance_id, activity_id, attempt }) => `${process_instance_id}:${activity_id}:${attempt}`,
    )
    .filter((key) => sent.has(key));
}
