/** Claims a task that the engine has handed out: decides by its row whether it may send, or what is left to tell. */
import { revokeUnusedTokens } from "../../../../files/attachments/tokenQueries.ts";
import type { ServiceTaskRun } from "../../../delivery/deliver.ts";
import { parseServiceTask, type ServiceTaskConfig } from "../../../delivery/serviceTask.ts";
import type { Answered, ClaimedTask } from "../../../serviceTasks.ts";
import type { ExternalTask, ServiceTaskContext, TaskInstance } from "./externalTask.ts";
import { raise } from "./incidents.ts";
import type { Lock } from "./lock.ts";
import { filesOf } from "./taskFiles.ts";
import { findAttempt, type TaskRow } from "./taskQueries.ts";
import { loadVariables } from "./taskVariables.ts";
import { tellIncident } from "./tellEngine.ts";

export interface Claimed extends ClaimedTask {
  readonly row: TaskRow;
  /** The tenant's slug. */
  readonly slug: string;
  /** Undefined for an earlier attempt. */
  readonly lock: Lock | undefined;
}

export interface Fetched {
  readonly task: ExternalTask;
  readonly instance: TaskInstance;
  readonly lock: Lock;
}

/** Undefined if there is nothing to carry out: the task is, or became, an incident. */
export async function claim(
  context: ServiceTaskContext,
  { task, instance, lock }: Fetched,
): Promise<Claimed | undefined> {
  const parsed = parseServiceTask(task.topicName, propertiesOf(task));
  const row = await context.batches.claim({
    id: task.id,
    tenantId: instance.tenant.id,
    processInstanceId: task.processInstanceId,
    processKey: task.processDefinitionKey,
    definitionId: task.processDefinitionId,
    activityId: task.activityId,
    worker: context.worker,
    redirects: "config" in parsed && parsed.config.redirectFailures,
  });
  if (!row) throw new Error(`the engine's task ${task.id} belongs to another tenant`);
  if (row.state === "incident") return void (await tellIncident(context, row, row.incidentMessage ?? ""));
  if (row.state === "sent" || row.state === "done")
    return void (await raise(context, row, interrupted[row.state]));
  if (row.state === "answered") {
    const answered = JSON.parse(row.outcome ?? "null") as Answered;
    return { row, slug: instance.tenant.slug, lock, answered, run: recalledRun(row) };
  }
  if ("faults" in parsed) return void (await raise(context, row, invalid(parsed.faults)));
  if (row.attempt > 1) await revokeUnusedTokens(context.sql, row.id);
  const run = runOf(context, { row, task, instance, config: parsed.config });
  return { row, slug: instance.tenant.slug, lock, answered: undefined, run };
}

const propertiesOf = ({ extensionProperties }: ExternalTask) =>
  Object.fromEntries(Object.entries(extensionProperties ?? {}).map(([name, value]) => [name, value ?? ""]));

interface RunOptions {
  readonly row: TaskRow;
  readonly task: ExternalTask;
  readonly instance: TaskInstance;
  readonly config: ServiceTaskConfig;
}

function runOf(context: ServiceTaskContext, { row, task, instance, config }: RunOptions): ServiceTaskRun {
  const files = filesOf(context, instance);
  return {
    ...identityOf(row),
    config,
    loadVariables: async () => {
      const loaded = await loadVariables(context, { task, instance, config });
      await files.bind(loaded.variables).catch((error) => {
        loaded.written();
        loaded.ended();
        throw error;
      });
      return loaded;
    },
    relatedInstances: files.relatedInstances,
  };
}

/** In a multi-instance activity, only the external task's id differs between the tasks. So it is the request's unit. */
const identityOf = ({ tenantId, processInstanceId, id, activityId, attempt }: TaskRow) => ({
  tenantId,
  processInstanceId,
  serviceTaskId: id,
  activityId,
  requestUnit: id,
  attempt,
});

/** An earlier attempt. It sends nothing any more, so its configuration says only what becomes of a refusal. */
const recalledRun = (row: TaskRow): ServiceTaskRun => ({
  ...identityOf(row),
  config: {
    kind: "addon",
    addon: "",
    parameters: "{}",
    resultVariable: undefined,
    redirectFailures: row.redirects,
    timeoutSeconds: 1,
  },
  loadVariables: () => Promise.reject(new Error("an earlier attempt sends nothing")),
});

/** Undefined if a later attempt has begun, or the engine has the outcome already. */
export async function recall(
  context: ServiceTaskContext,
  attempt: { readonly serviceTaskId: string; readonly attempt: number },
): Promise<Claimed | undefined> {
  const found = await findAttempt(context.sql, { id: attempt.serviceTaskId, attempt: attempt.attempt });
  if (!found || found.row.state === "done") return undefined;
  return { ...found, lock: undefined, answered: undefined, run: recalledRun(found.row) };
}

const invalid = (faults: readonly string[]) =>
  ({
    type: "invalid_model",
    message:
      `The service task is not configured correctly: ${faults[0]} Nothing was sent. ` +
      "Correct the model, deploy it, and start a new instance.",
    requestSent: "no",
  }) as const;

/** Only a person may send the request again. */
const interrupted = {
  sent: {
    type: "interrupted",
    message:
      "The server ended while it waited for the answer. The integration may have accepted the request. " +
      "A rerun sends it again.",
    requestSent: "unknown",
  },
  done: {
    type: "interrupted",
    message:
      "The process engine handed out a task that was completed before, for example after its database was restored. " +
      "The request was sent then. A rerun sends it again.",
    requestSent: "yes",
  },
} as const;
