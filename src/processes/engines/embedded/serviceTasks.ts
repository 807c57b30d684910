/** Claims service tasks, implements `ServiceTasks` (../../serviceTasks.ts) and reruns incidents. */
import { revokeUnusedTokens } from "../../../files/attachments/tokenQueries.ts";
import { Problem } from "../../../infrastructure/problem.ts";
import { isUuid } from "../../../infrastructure/uuid.ts";
import { recordSuccess } from "../../../tenants/audit.ts";
import { auditOf } from "../../audit.ts";
import { laneOf } from "../../bpmn/copies.ts";
import type { ServiceTaskModel } from "../../bpmn/readModel.ts";
import { createDeliveryMemory, type DeliveryMemory } from "../../delivery/deliveryMemory.ts";
import { parseServiceTask } from "../../delivery/serviceTask.ts";
import type { Rerun } from "../../engine.ts";
import {
  type Answered,
  type Attempt,
  type CarryOut,
  type ClaimedTask,
  LostClaim,
  type ServiceTasks,
  serviceTasksAtOnce,
} from "../../serviceTasks.ts";
import { storedVariables } from "../../variables/parse.ts";
import type { TypedValues } from "../../variables/variable.ts";
import type { EngineContext } from "./engineContext.ts";
import { lockIncident, resolveIncident } from "./incidentQueries.ts";
import { raise, raiseWithAnswer } from "./incidents.ts";
import { finalAdviceFor } from "./processFailure.ts";
import { type EngineEvent, StaleEvent } from "./run.ts";
import {
  type ClaimedRow,
  closingOf,
  findAttempt,
  findInterrupted,
  type ServiceTaskJob,
  startRerun,
  type TaskRow,
  unmarkTask,
} from "./serviceTaskQueries.ts";
import { loaderOf } from "./serviceTaskVariables.ts";
import { advance } from "./step.ts";

interface Claimed extends ClaimedTask {
  readonly row: TaskRow;
  readonly catches: (code: string) => boolean;
}

export function serviceTasksOf(context: EngineContext): ServiceTasks {
  return {
    recall: (attempt) => recall(context, attempt),
    takeBack: ({ row }: Claimed) => unmarkTask(context.sql, row, heldBack),
    markSent: async ({ row }: Claimed) => {
      if (!(await context.taskBatches.markSent(row))) throw new LostClaim();
    },
    complete: (task: Claimed, variables) =>
      goOn(context, task, { kind: "serviceTaskCompleted", executionId: task.row.executionId }, variables),
    catchesError: ({ catches }: Claimed, code) => catches(code),
    throwError: (task: Claimed, { code, variables }) =>
      goOn(
        context,
        task,
        { kind: "serviceTaskRejected", executionId: task.row.executionId, code },
        variables,
      ),
    fail: ({ row }: Claimed, incident) => raise(context, row, incident),
  } as ServiceTasks;
}

/**
 * Takes a task and counts the attempt. Undefined if there is nothing to do: the task is completed or cancelled, a later
 * run of the same job has it, or it became an incident because an earlier run ended during the call. `retries` is how
 * often the job was started before.
 */
export type ClaimJob = (job: ServiceTaskJob, retries: number) => Promise<ClaimedTask | undefined>;

export function claimsOf(context: EngineContext): ClaimJob {
  const memory = createDeliveryMemory();
  return (job, retries) => claim(context, { job, retries, memory });
}

/** Half of the ten seconds after which another process takes over the job of a process without heartbeats. */
const freshMs = 5_000;

/** Executes the tasks whose jobs this process gets. */
export function workOnTasks({ serviceTasks }: EngineContext, claimJob: ClaimJob, carryOut: CarryOut): void {
  serviceTasks.work(serviceTasksAtOnce, async (job, { retries, heartbeatAgeMs }) => {
    const task = await claimJob(job, retries);
    if (task) await carryOut(task, { retries, isSure: () => heartbeatAgeMs() < freshMs });
  });
}

/** The message of an incident that replaces "interrupted". */
const heldBack =
  "The server was paused before it sent the request, and another one took over its tasks. Nothing was sent. " +
  "A rerun sends the request.";

interface Claim {
  readonly job: ServiceTaskJob;
  readonly retries: number;
  readonly memory: DeliveryMemory;
}

async function claim(context: EngineContext, { job, retries, memory }: Claim): Promise<Claimed | undefined> {
  const { sql, taskBatches } = context;
  const row = await taskBatches.claim({ job, retries });
  if (!row) return giveUpInterrupted(context, job, retries);
  if (row.attempt > 1) await revokeUnusedTokens(sql, row.id);
  const claimed = await claimedOf(context, row, memory);
  if ("task" in claimed) return claimed.task;
  await raise(context, row, noLongerValid(claimed.fault));
  return undefined;
}

/** An earlier attempt. It sends nothing any more. */
async function recall(
  context: EngineContext,
  { serviceTaskId: id, attempt }: Attempt,
): Promise<Claimed | undefined> {
  const row = isUuid(id) ? await findAttempt(context.sql, { id, attempt }) : undefined;
  const claimed = row && (await claimedOf(context, { ...row, variables: [] }, createDeliveryMemory()));
  return claimed && "task" in claimed ? claimed.task : undefined;
}

async function claimedOf(
  context: EngineContext,
  row: ClaimedRow,
  memory: DeliveryMemory,
): Promise<{ readonly task: Claimed } | { readonly fault: string | undefined }> {
  const model = await context.models.of(context.sql, row.definitionId);
  const found = model.serviceTasks.get(row.activityId);
  const parsed = found && parsedOf(found);
  if (!parsed || "faults" in parsed) return { fault: parsed?.faults[0] };
  const { config } = parsed;
  const { variables, ...attempt } = row;
  const task: Claimed = {
    row: attempt,
    answered: row.outcome === null ? undefined : (JSON.parse(row.outcome) as Answered),
    catches: (code) => model.catchesError(row.activityId, code),
    run: {
      tenantId: row.tenantId,
      processInstanceId: row.processInstanceId,
      serviceTaskId: row.id,
      activityId: row.activityId,
      // A second task of the activity that waits at the same time would otherwise look like a rerun of the first.
      requestUnit: row.activityId + laneOf(row.executionId),
      attempt: row.attempt,
      config,
      loadVariables: loaderOf(context.sql, { row, config, memory }),
    },
  };
  return { task };
}

const parsedTasks = new WeakMap<ServiceTaskModel, ReturnType<typeof parseServiceTask>>();

/** A model never changes, so each of its tasks is parsed once. */
function parsedOf(task: ServiceTaskModel): ReturnType<typeof parseServiceTask> {
  const parsed = parsedTasks.get(task) ?? parseServiceTask(task.topic, task.properties);
  parsedTasks.set(task, parsed);
  return parsed;
}

/** The model was deployed by a version of Waybill that accepted it. */
const noLongerValid = (fault = "it is unknown.") =>
  ({
    type: "invalid_model",
    message:
      `This version of Waybill cannot execute the service task as it was deployed: ${fault} ` +
      "Nothing was sent. Correct the model, deploy it, and start a new instance.",
    requestSent: "no",
  }) as const;

/** The server process that sent the request is gone, and its answer is unknown. Only a person may send it again. */
async function giveUpInterrupted(
  context: EngineContext,
  job: ServiceTaskJob,
  retries: number,
): Promise<undefined> {
  const row = await findInterrupted(context.sql, job, retries);
  if (!row) return undefined;
  const message =
    "The server ended while it waited for the answer. The integration may have accepted the request. " +
    "A rerun sends it again.";
  await raise(context, row, { type: "interrupted", message, requestSent: "unknown" });
  return undefined;
}

/** Closes the task and moves the process on. If the process fails, an incident keeps the answer for a rerun. */
async function goOn(
  context: EngineContext,
  { row }: Claimed,
  event: EngineEvent,
  variables: TypedValues,
): Promise<void> {
  const { processInstanceId, tenantId } = row;
  try {
    const written = storedVariables(variables);
    await advance(context, { tenantId, processInstanceId, event, written, closing: closingOf(row) });
    context.serviceTasks.notify();
  } catch (error) {
    if (error instanceof StaleEvent) {
      context.log.warn({ service_task_id: row.id }, "Answer ignored: the service task is no longer open");
      return;
    }
    if (!(error instanceof Problem) || error.code !== "process_failed") throw error;
    const message =
      `The integration answered, but the process could not continue: ${error.message} ` +
      (finalAdviceFor(error) ?? "A rerun continues with the answer and sends nothing.");
    const incident = { type: "process_failed", message, requestSent: "yes" } as const;
    const answered: Answered = { error: event.kind === "serviceTaskRejected" ? event.code : null, variables };
    await raiseWithAnswer(context, row, {
      ...incident,
      outcome: JSON.stringify(answered),
      cause: error.cause,
    });
  }
}

export async function rerun(
  context: EngineContext,
  { tenant, incidentId: id, by }: Rerun,
): Promise<{ processInstanceId: string }> {
  const processInstanceId = await context.sql.begin(async (tx) => {
    const incident = isUuid(id) ? await lockIncident(tx, tenant.id, id) : undefined;
    if (!incident) throw new Problem("incident_not_found");
    const { serviceTaskId, processInstanceId, resolved } = incident;
    if (resolved) throw new Problem("incident_resolved");
    await resolveIncident(tx, id);
    await recordSuccess(tx, {
      ...auditOf(tenant, by),
      action: "rerun_incident",
      statement: `rerun incident ${id} of process instance ${processInstanceId}`,
      affectedRows: null,
    });
    if (serviceTaskId === null) {
      const timer = { process_instance_id: processInstanceId, tenant_id: tenant.id };
      await context.timers.enqueue(tx, [timer]);
      return processInstanceId;
    }
    const job = await startRerun(tx, serviceTaskId);
    if (!job) throw new Problem("incident_resolved");
    await context.serviceTasks.enqueue(tx, [job]);
    return processInstanceId;
  });
  context.serviceTasks.notify();
  context.timers.notify();
  return { processInstanceId };
}
