/** User tasks at the engine: lists them, completes them, and says whose they are. */

import Type from "typebox";
import { insertParticipant } from "../../../discussions/participants.ts";
import type { Task } from "../../../generated/schemas.ts";
import type { Tx } from "../../../infrastructure/database/connect.ts";
import { Problem } from "../../../infrastructure/problem.ts";
import { recordSuccess } from "../../../tenants/audit.ts";
import type { Tenant } from "../../../tenants/tenant.ts";
import { auditOf } from "../../audit.ts";
import type {
  FormSchema,
  TaskActor,
  TaskAssignment,
  TaskChange,
  TaskCompletion,
  TaskQuery,
} from "../../engine.ts";
import { requireMayClaim, requireMayComplete, requireMayUnclaim } from "../../userTasks.ts";
import { withServerMetadata } from "../../variables/attachments.ts";
import { engineMoment, shapeOf, text, textOrNull } from "./answerShape.ts";
import { changeWithFiles } from "./changeWithFiles.ts";
import { toEngine, utcText } from "./engineVariables.ts";
import { formNameOf, formNames, formOf, generatedTaskForm } from "./forms.ts";
import { inParallel } from "./inParallel.ts";
import { definitionById } from "./models.ts";
import type { OperatonContext } from "./operatonContext.ts";
import { isOwned } from "./ownedTasks.ts";
import { repeatIfLocked } from "./repeat.ts";
import { at, isEngineId } from "./rest.ts";
import { isJudgement } from "./restErrors.ts";

const EngineTask = Type.Object({
  id: text,
  name: textOrNull,
  assignee: textOrNull,
  created: engineMoment,
  /** Null for a task that belongs to no process: Waybill does not show it. */
  processInstanceId: textOrNull,
  processDefinitionId: textOrNull,
  taskDefinitionKey: textOrNull,
  tenantId: textOrNull,
  ...formNames,
});
type EngineTask = Readonly<Type.Static<typeof EngineTask>>;
const tasksShape = shapeOf(Type.Array(EngineTask));
const linksShape = shapeOf(Type.Array(Type.Object({ userId: textOrNull, groupId: textOrNull })));
const historicTasksShape = shapeOf(
  Type.Array(Type.Object({ tenantId: textOrNull, processInstanceId: textOrNull })),
);

/** A page of open tasks, oldest first. */
export async function listTasks(context: OperatonContext, tenant: Tenant, query: TaskQuery): Promise<Task[]> {
  const { processInstanceId, offset, limit } = query;
  if (processInstanceId !== undefined && !isEngineId(processInstanceId)) return [];
  const page = { firstResult: offset, maxResults: limit };
  const body = { ...conditionsOf(query), tenantIdIn: [tenant.slug] };
  const found = await context.rest.call({ method: "POST", path: "/task", query: page, body }, tasksShape);
  const tasks = await inParallel(found.filter(isOf(tenant)), (task) => shownIfOpen(context, tenant, task));
  return tasks.filter((task) => task !== undefined);
}

const conditionsOf = ({
  processInstanceId,
  processKey,
  assignee,
  candidateGroup,
  unassigned,
}: TaskQuery) => ({
  processInstanceId,
  processDefinitionKey: processKey,
  assignee,
  ...(candidateGroup === undefined ? {} : { candidateGroup, includeAssignedTasks: true }),
  ...(unassigned ? { unassigned: true } : {}),
  // Leaves out tasks that belong to no process.
  taskDefinitionKeyLike: "%",
  sorting: [
    { sortBy: "created", sortOrder: "asc" },
    { sortBy: "id", sortOrder: "asc" },
  ],
});

interface ProcessTask extends EngineTask {
  readonly processInstanceId: string;
  readonly processDefinitionId: string;
}

const isOf =
  ({ slug }: Tenant) =>
  (task: EngineTask): task is ProcessTask =>
    task.tenantId === slug && task.processInstanceId !== null && task.processDefinitionId !== null;

async function shown(context: OperatonContext, task: ProcessTask): Promise<Task> {
  const [definition, candidates] = await Promise.all([
    definitionById(context, task.processDefinitionId),
    candidatesOf(context, task.id),
  ]);
  const generated = await generatedTaskForm(context, definition, task);
  const activity = task.taskDefinitionKey ?? "";
  return {
    task_id: task.id,
    process_instance_id: task.processInstanceId,
    process_key: definition.key,
    activity_id: activity,
    name: task.name || activity,
    form_key: generated ? String(generated.id) : formNameOf(task),
    created_at: utcText(task.created),
    assignee: task.assignee,
    ...candidates,
  };
}

/** Undefined for a task that was completed in the meantime. The engine then answers with an error. */
async function shownIfOpen(
  context: OperatonContext,
  tenant: Tenant,
  task: ProcessTask,
): Promise<Task | undefined> {
  try {
    return await shown(context, task);
  } catch (error) {
    if (!isJudgement(error) || (await openTask(context, tenant, task.id))) throw error;
    return undefined;
  }
}

type Candidates = Pick<Task, "candidate_users" | "candidate_groups">;

/** Never empty because of an error: then every member could complete the task. */
async function candidatesOf({ rest }: OperatonContext, id: string): Promise<Candidates> {
  const path = at`/task/${id}/identity-links`;
  const query = { type: "candidate" };
  const links = await rest.call({ path, query }, linksShape);
  const names = (pick: (link: (typeof links)[number]) => string | null) =>
    [...new Set(links.map(pick).filter((name) => name !== null))].sort();
  return {
    candidate_users: names(({ userId }) => userId),
    candidate_groups: names(({ groupId }) => groupId),
  };
}

/** By a query, because some ids, such as `count`, are names in the engine's REST interface. */
async function openTask(
  { rest }: OperatonContext,
  tenant: Tenant,
  id: string,
): Promise<ProcessTask | undefined> {
  if (!isEngineId(id)) return undefined;
  const body = { taskIdIn: [id], tenantIdIn: [tenant.slug] };
  const found = await rest.call(
    { method: "POST", path: "/task", query: { maxResults: 1 }, body },
    tasksShape,
  );
  return found.find(isOf(tenant));
}

export async function findTask(
  context: OperatonContext,
  tenant: Tenant,
  id: string,
): Promise<Task | undefined> {
  const task = await openTask(context, tenant, id);
  return task && shownIfOpen(context, tenant, task);
}

export async function findTaskForm(
  context: OperatonContext,
  tenant: Tenant,
  { task_id: id }: Pick<Task, "task_id">,
): Promise<FormSchema | null> {
  const task = await openTask(context, tenant, id);
  if (!task) return null;
  const definition = await definitionById(context, task.processDefinitionId);
  const generated = await generatedTaskForm(context, definition, task);
  if (generated) return generated;
  return formOf(context, { names: task, definition, path: at`/task/${id}/deployed-form` });
}

type TaskKey = Pick<TaskChange, "tenant" | "taskId">;

interface OpenTask extends Task {
  /** Whether the model gives the task to somebody. True if it has candidates, whoever named them. */
  readonly owned: boolean;
}

/** An open task. Throws `task_not_found` and `task_completed`. */
async function requireOpen(context: OperatonContext, { tenant, taskId }: TaskKey): Promise<OpenTask> {
  const found = await openTask(context, tenant, taskId);
  const task = found && (await shownIfOpen(context, tenant, found));
  if (found && task) {
    const { activity_id: activityId, candidate_users: users, candidate_groups: groups } = task;
    const { processDefinitionId } = found;
    const hasCandidates = users.length + groups.length > 0;
    const owned = hasCandidates || (await isOwned(context, tenant, { processDefinitionId, activityId }));
    return { ...task, owned };
  }
  const query = { taskId, tenantIdIn: tenant.slug };
  const call = { path: "/history/task", query };
  const known = isEngineId(taskId) ? await context.rest.call(call, historicTasksShape) : [];
  const isKnown = known.some((each) => each.tenantId === tenant.slug && each.processInstanceId !== null);
  throw isKnown ? taskCompleted() : new Problem("task_not_found");
}

interface Completion extends TaskCompletion {
  /** Runs in the transaction before the engine is told. */
  readonly before?: (tx: Tx) => Promise<void>;
}

export async function completeTask(context: OperatonContext, completion: Completion): Promise<void> {
  const { tenant, taskId, by, bindsAny = false, before } = completion;
  const task = await requireOpen(context, completion);
  requireMayComplete(task, by);
  const processInstanceId = task.process_instance_id;
  const variables = await withServerMetadata(context.sql, tenant.id, completion.variables);
  const actor = bindsAny ? undefined : { user: by.user };
  const to = { tenantId: tenant.id, processInstanceId, taskId, actor };
  const path = at`/task/${task.task_id}/complete`;
  const body = { variables: toEngine(variables) };
  await changeWithFiles(context, { tenant, variables, to, before }, () =>
    whileHeld(context, { task, completion }, () =>
      repeatIfLocked(() => context.rest.call({ method: "POST", path, body })),
    ),
  ).catch((error) => explain(context, completion, error));
  const discussion = { tenantId: tenant.id, processInstanceId };
  await insertParticipant(context.sql, discussion, { user: by.user, addedBy: by.user });
}

interface Held {
  readonly task: Task;
  readonly completion: TaskCompletion;
}

/**
 * Claims a task that nobody has before it is completed: the engine completes a task for anybody, but only one user can
 * claim it. So nobody completes a task that somebody else claims at the same time. Throws `task_not_yours`.
 */
async function whileHeld<T>(
  context: OperatonContext,
  { task, completion: { by, ...key } }: Held,
  complete: () => Promise<T>,
): Promise<T> {
  if (by.isAdministrator || task.assignee !== null) return complete();
  await claimAtEngine(context, key, by).catch(async (error) => {
    if (!isJudgement(error)) throw error;
    requireMayComplete(await requireOpen(context, key), by);
    throw error;
  });
  try {
    return await complete();
  } catch (error) {
    await giveBack(context, key, by).catch((err) => {
      const task = { tenant_id: key.tenant.id, task_id: key.taskId };
      context.log.warn({ ...task, err }, "Task stays assigned to the user whose completion failed");
    });
    throw error;
  }
}

async function giveBack(context: OperatonContext, key: TaskKey, { user }: TaskActor): Promise<void> {
  const task = await openTask(context, key.tenant, key.taskId);
  if (task?.assignee === user) await change(context, key, { path: at`/task/${task.id}/unclaim` });
}

const claimAtEngine = (context: OperatonContext, key: TaskKey, { user }: TaskActor): Promise<void> =>
  change(context, key, { path: at`/task/${key.taskId}/claim`, body: { userId: user } });

/** The engine answers 500 alike for a task that was completed in the meantime, and for a process that cannot go on. */
async function explain(context: OperatonContext, key: TaskKey, error: unknown): Promise<never> {
  if (!isJudgement(error)) throw error;
  await requireOpen(context, key);
  if (error.isOptimisticLocking) throw busy(error);
  if (error.status < 500) throw error;
  const message = `The process could not continue. The process engine says: ${error.message}`;
  throw new Problem("process_failed", { message, cause: error });
}

export async function claimTask(context: OperatonContext, { by, ...key }: TaskChange): Promise<void> {
  const task = await requireOpen(context, key);
  requireMayClaim(task, by);
  if (task.assignee === by.user) return;
  await claimAtEngine(context, key, by).catch(async (error) => {
    // Somebody else may have been faster: then this says so.
    if (isJudgement(error)) requireMayClaim(await requireOpen(context, key), by);
    throw error;
  });
}

export async function unclaimTask(context: OperatonContext, { by, ...key }: TaskChange): Promise<void> {
  const task = await requireOpen(context, key);
  requireMayUnclaim(task, by);
  if (task.assignee !== null) await change(context, key, { path: at`/task/${task.task_id}/unclaim` });
}

export async function assignTask(
  context: OperatonContext,
  { by, assignee, ...key }: TaskAssignment,
): Promise<void> {
  const { task_id: id } = await requireOpen(context, key);
  await change(context, key, { path: at`/task/${id}/assignee`, body: { userId: assignee } });
  const whom = assignee === null ? "nobody" : JSON.stringify(assignee);
  await recordSuccess(context.sql, {
    ...auditOf(key.tenant, by),
    action: "assign_task",
    statement: `assign task ${id} to ${whom}`,
    affectedRows: null,
  });
}

async function change(
  context: OperatonContext,
  key: TaskKey,
  call: { readonly path: string; readonly body?: object },
): Promise<void> {
  try {
    await repeatIfLocked(() => context.rest.call({ method: "POST", ...call }));
  } catch (error) {
    if (isJudgement(error)) await requireOpen(context, key);
    throw error;
  }
}

const taskCompleted = () => new Problem("task_completed", { message: "The task is no longer open." });

const busy = (cause: unknown) =>
  new Problem("busy", {
    message: "The process instance is busy with other steps. Try again later.",
    headers: { "Retry-After": "2" },
    cause,
  });
