/**
 * A step of an instance, stored: the row is locked, the variables are written with what they bind, the engine runs in
 * memory, and where the instance stands then goes back with everything that waits, and with the jobs for it, all in one
 * transaction. So no step is lost, done twice, or half.
 */

import type { Sql, Tx } from "../../database/connect.ts";
import type { Deps } from "../../deps.ts";
import { notCommitted } from "../../formFiles/commit.ts";
import { commitAll } from "../../formFiles/queries.ts";
import type { Queue } from "../../jobs/jobs.ts";
import { Problem } from "../../problem.ts";
import type { StoredVariable } from "../../processEngine.ts";
import { attachmentIdsOf } from "../../variables/parse.ts";
import { readVariables, writeVariables } from "../../variables/queries.ts";
import { plainValues, readView } from "../../variables/show.ts";
import type { ServiceTaskJob } from "../serviceTask.ts";
import type { Models } from "./models.ts";
import { type InstanceRow, type LockedInstance, lockInstance, storeStanding } from "./queries.ts";
import { type EngineEvent, NothingWaits, ProcessFailure, runStep, type Standing } from "./run.ts";
import { recordTransaction } from "./transactions.ts";

export interface TimerJob {
  readonly process_instance_id: string;
  readonly tenant_id: number;
}

/** What the parts of the embedded engine share. */
export interface Within {
  readonly sql: Sql;
  readonly log: Deps["log"];
  readonly models: Models;
  readonly serviceTasks: Queue<ServiceTaskJob>;
  readonly timers: Queue<TimerJob>;
}

export interface Written {
  readonly variables: ReadonlyMap<string, StoredVariable>;
  /** The user task that writes them. */
  readonly taskId?: string;
}

/**
 * Locks the instance, writes the variables, and goes on with the event. Throws `NothingWaits` for an instance that has
 * ended or does not wait for this, `process_failed` and `not_committed`.
 */
export async function advance(
  tx: Tx,
  within: Within,
  step: {
    readonly tenantId: number;
    readonly processInstanceId: string;
    readonly event: EngineEvent;
    readonly written?: Written;
    /** Closes what the event is about; whether it was open. Every step locks its instance first, so none deadlock. */
    readonly close?: (instance: InstanceRow) => Promise<boolean>;
  },
): Promise<void> {
  const instance = await lockInstance(tx, step.processInstanceId, step.tenantId);
  if (instance?.state !== "active") throw new NothingWaits();
  if (step.close && !(await step.close(instance))) throw new NothingWaits();
  if (step.written) await write(tx, instance, step.written);
  await takeStep(tx, within, { instance, state: stateOf(instance), event: step.event });
}

/** Binds what the variables name, and writes them. */
export async function write(
  tx: Tx,
  { id, tenantId }: InstanceRow,
  { variables, taskId }: Written,
): Promise<void> {
  const ids = attachmentIdsOf(variables);
  if (ids.length > 0) {
    const binding = { tenantId, processInstanceId: id, taskId: taskId ?? null };
    const { committed, notCommitted: inTheWay } = await bindOnce(tx, ids, binding);
    if (!committed) throw notCommitted(inTheWay);
  }
  if (variables.size > 0) await writeVariables(tx, id, variables);
}

/** An attachment that this instance has already, by another task or another variable, is fine where it is. */
async function bindOnce(tx: Tx, ids: readonly string[], to: Parameters<typeof commitAll>[2]) {
  const bound = await tx<{ id: string }[]>`
    select id::text from waybill.attachments
    where id in (select value::uuid from json_array_elements_text(${JSON.stringify(ids)}::text::json))
      and tenant_id = ${to.tenantId} and state = 'committed' and process_instance_id = ${to.processInstanceId}`;
  const known = new Set(bound.map(({ id }) => id));
  const drafts = ids.filter((id) => !known.has(id));
  return drafts.length === 0 ? { committed: true, notCommitted: [] } : commitAll(tx, drafts, to);
}

export async function takeStep(
  tx: Tx,
  within: Within,
  step: { readonly instance: InstanceRow; readonly state: string | undefined; readonly event: EngineEvent },
): Promise<void> {
  const { instance, state, event } = step;
  const model = await within.models.of(tx, instance.definitionId);
  const variables = await readVariables(tx, instance.id);
  const standing = await runStep({ model, state, event, values: plainValues(variables) }).catch(refuse);
  await store(tx, within, { instance, standing, end: standing.state === undefined ? "completed" : null });
  const view = readView(variables, { processKey: instance.processKey, processInstanceId: instance.id });
  const shown = standing.state === undefined ? "completed" : "active";
  await recordTransaction({ sql: within.sql, tx }, instance, {
    state: shown,
    variables: JSON.stringify(view),
  });
}

/** Stores where the instance stands, and enqueues what has to be done for it. */
export async function store(
  tx: Tx,
  { models, serviceTasks, timers }: Within,
  {
    instance,
    standing,
    end,
  }: {
    readonly instance: InstanceRow;
    readonly standing: Standing;
    readonly end: "completed" | "terminated" | null;
  },
): Promise<void> {
  const model = await models.of(tx, instance.definitionId);
  const added = await storeStanding(tx, {
    instance,
    engineState: standing.state === undefined ? null : Bun.zstdCompressSync(standing.state),
    endState: end,
    userTasks: standing.userTasks.map((waiting) => {
      const task = model.userTasks.get(waiting.activityId);
      const { name = waiting.activityId, formRef = null } = task ?? {};
      return { ...waiting, id: Bun.randomUUIDv7(), name, formKey: formRef };
    }),
    serviceTasks: standing.serviceTasks.map((waiting) => ({ ...waiting, id: Bun.randomUUIDv7() })),
  });
  if (added.length > 0)
    await serviceTasks.enqueue(
      tx,
      added.map((id) => ({ service_task_id: id, rerun: 0 })),
    );
  if (standing.nextTimer)
    await timers.enqueue(
      tx,
      [{ process_instance_id: instance.id, tenant_id: instance.tenantId }],
      standing.nextTimer,
    );
}

const stateOf = ({ engineState }: LockedInstance) =>
  engineState === null ? undefined : Bun.zstdDecompressSync(engineState).toString();

function refuse(error: unknown): never {
  if (error instanceof ProcessFailure)
    throw new Problem("process_failed", { message: error.message, cause: error.cause });
  throw error;
}
