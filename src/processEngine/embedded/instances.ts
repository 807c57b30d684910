/** Instances begin, go on by their user tasks, and are terminated. */
import postgres from "postgres";
import type { Tx } from "../../database/connect.ts";
import { isUuid } from "../../formFiles/attachment.ts";
import { notCommitted } from "../../formFiles/commit.ts";
import { Problem } from "../../problem.ts";
import type { Instance, NewInstance, TaskCompletion } from "../../processEngine.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import { attachmentIdsOf } from "../../variables/parse.ts";
import {
  closeUserTask,
  draftsOfOthers,
  findLatest,
  findSessionInstance,
  findUserTask,
  type InstanceRow,
  insertInstance,
  joinDiscussion,
  lockInstance,
} from "./queries.ts";
import { NothingWaits } from "./run.ts";
import { advance, store, takeStep, type Within, write } from "./step.ts";
import { endTransaction } from "./transactions.ts";

export async function start(
  within: Within,
  { tenant, processKey, variables, by }: NewInstance,
): Promise<Instance> {
  const { sql } = within;
  const session = "formSession" in by ? by.formSession : null;
  const started = session === null ? undefined : await startedIn(within, tenant, session);
  if (started) return started;
  const definition = await findLatest(sql, tenant.id, processKey);
  if (!definition) throw processNotFound(processKey);
  const user = "user" in by ? by.user : null;
  const instance = {
    id: Bun.randomUUIDv7(),
    tenantId: tenant.id,
    processKey,
    definitionId: definition.id,
    version: definition.version,
    startedBy: user,
  };
  try {
    await sql.begin(async (tx) => {
      await insertInstance(tx, { ...instance, formSessionId: session });
      if (session !== null) {
        const foreign = await draftsOfOthers(tx, attachmentIdsOf(variables), session);
        if (foreign.length > 0) throw notCommitted(foreign);
      }
      await write(tx, instance, { variables });
      if (user !== null) await joinDiscussion(tx, user, instance);
      await takeStep(tx, within, { instance, state: undefined, event: { kind: "started" } });
    });
  } catch (error) {
    const first =
      session !== null && isSecondStart(error) ? await startedIn(within, tenant, session) : undefined;
    if (first) return first;
    throw error;
  }
  within.serviceTasks.ring();
  return stateOf(within, instance.id, processKey);
}

async function startedIn(within: Within, tenant: Tenant, session: string): Promise<Instance | undefined> {
  const found = await findSessionInstance(within.sql, tenant.id, session);
  return found && stateOf(within, found.id, found.processKey);
}

/** Two requests of one form session at once: the second finds the first one's instance. */
const isSecondStart = (error: unknown) =>
  error instanceof postgres.PostgresError && error.constraint_name === "process_instances_session";

async function stateOf({ sql }: Within, id: string, processKey: string): Promise<Instance> {
  const [row] = await sql<{ state: Instance["state"] }[]>`
    select case when state = 'active' and exists (
      select from waybill.incidents where process_instance_id = ${id} and resolved_at is null) then 'incident' else state end as state
    from waybill.process_instances where id = ${id}`;
  return { processInstanceId: id, processKey, state: row?.state ?? "active" };
}

export async function completeTask(
  within: Within,
  { tenant, taskId, variables, user }: TaskCompletion,
): Promise<void> {
  const task = isUuid(taskId) ? await findUserTask(within.sql, tenant.id, taskId) : undefined;
  if (!task) throw new Problem("task_not_found");
  if (task.ended) throw taskCompleted();
  const close = (tx: Tx) => async (instance: InstanceRow) => {
    await joinDiscussion(tx, user, instance);
    return closeUserTask(tx, taskId, user);
  };
  const step = {
    tenantId: tenant.id,
    processInstanceId: task.processInstanceId,
    event: { kind: "userTaskCompleted", executionId: task.executionId },
    written: { variables, taskId },
  } as const;
  await within.sql
    .begin((tx) => advance(tx, within, { ...step, close: close(tx) }))
    .catch((error: unknown) => {
      throw error instanceof NothingWaits ? taskCompleted() : error;
    });
  within.serviceTasks.ring();
}

export async function terminate(within: Within, tenant: Tenant, id: string): Promise<void> {
  await within.sql.begin(async (tx) => {
    const instance = isUuid(id) ? await lockInstance(tx, id, tenant.id) : undefined;
    if (!instance) throw new Problem("process_instance_not_found");
    if (instance.state !== "active") throw new Problem("instance_ended");
    const nothing = { state: undefined, userTasks: [], serviceTasks: [], nextTimer: undefined };
    await store(tx, within, { instance, standing: nothing, end: "terminated" });
    await endTransaction(tx, instance, "terminated");
  });
}

const taskCompleted = () => new Problem("task_completed", { message: "The task is no longer open." });

const processNotFound = (key: string) =>
  new Problem("process_not_found", { message: `No process "${key}" is deployed.` });
