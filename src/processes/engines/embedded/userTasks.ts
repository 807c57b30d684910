/** Completes, claims and assigns user tasks. */
import { Problem } from "../../../infrastructure/problem.ts";
import { recordSuccess } from "../../../tenants/audit.ts";
import { auditOf } from "../../audit.ts";
import type { TaskAssignment, TaskChange, TaskCompletion } from "../../engine.ts";
import { requireMayClaim, requireMayComplete, requireMayUnclaim } from "../../userTasks.ts";
import type { EngineContext } from "./engineContext.ts";
import { StaleEvent } from "./run.ts";
import { advance } from "./step.ts";
import { changeAssignee, closingOf, findTaskState, setAssignee, type TaskState } from "./userTaskQueries.ts";

type TaskKey = Pick<TaskChange, "tenant" | "taskId">;

/** How often a change starts again, because the task's assignee has changed in the meantime. */
const mostRounds = 5;

export async function completeTask(context: EngineContext, completion: TaskCompletion): Promise<void> {
  for (let round = 0; round < mostRounds; round++) {
    const task = await readOpen(context, completion);
    requireMayComplete(task, completion.by);
    if (await closed(context, completion, task)) {
      context.serviceTasks.notify();
      return;
    }
  }
  throw busy();
}

/**
 * Returns false if the task's assignee has changed. The step closes the task only for the assignee that was checked.
 */
async function closed(
  context: EngineContext,
  { tenant, taskId, variables, by, bindsAny = false, once }: TaskCompletion,
  { processInstanceId, executionId, assignee }: TaskState,
): Promise<boolean> {
  const { user } = by;
  const tenantId = tenant.id;
  const event = { kind: "userTaskCompleted", executionId } as const;
  const binder = bindsAny ? undefined : { user };
  const step = { tenantId, processInstanceId, event, written: variables, taskId, by: binder };
  const closing = closingOf({ id: taskId, user, tenantId, processInstanceId, assignee });
  try {
    await advance(context, { ...step, closing, once });
    return true;
  } catch (error) {
    if (!(error instanceof StaleEvent)) throw error;
    const now = await readOpen(context, { tenant, taskId });
    if (now.assignee === assignee) throw taskCompleted();
    return false;
  }
}

export const claimTask = (context: EngineContext, { by, ...task }: TaskChange): Promise<void> =>
  reassign(context, task, (state) => {
    requireMayClaim(state, by);
    return by.user;
  });

export const unclaimTask = (context: EngineContext, { by, ...task }: TaskChange): Promise<void> =>
  reassign(context, task, (state) => {
    requireMayUnclaim(state, by);
    return null;
  });

/** Assigns the task to whom `choose` names. It is called again if somebody else was faster. */
async function reassign(
  context: EngineContext,
  key: TaskKey,
  choose: (task: TaskState) => string | null,
): Promise<void> {
  for (let round = 0; round < mostRounds; round++) {
    const task = await readOpen(context, key);
    const to = choose(task);
    if (to === task.assignee) return;
    const change = { from: task.assignee, to };
    if (await changeAssignee(context.sql, { id: key.taskId, tenantId: key.tenant.id }, change)) return;
  }
  throw busy();
}

export async function assignTask(
  context: EngineContext,
  { tenant, taskId, assignee, by }: TaskAssignment,
): Promise<void> {
  await readOpen(context, { tenant, taskId });
  await context.sql.begin(async (tx) => {
    if (!(await setAssignee(tx, { id: taskId, tenantId: tenant.id, to: assignee }))) throw taskCompleted();
    const whom = assignee === null ? "nobody" : JSON.stringify(assignee);
    await recordSuccess(tx, {
      ...auditOf(tenant, by),
      action: "assign_task",
      statement: `assign task ${taskId} to ${whom}`,
      affectedRows: null,
    });
  });
}

/** Throws `task_not_found` and `task_completed`. */
async function readOpen({ sql }: EngineContext, { tenant, taskId }: TaskKey): Promise<TaskState> {
  const task = await findTaskState(sql, tenant.id, taskId);
  if (!task) throw new Problem("task_not_found");
  if (task.ended) throw taskCompleted();
  return task;
}

const taskCompleted = () => new Problem("task_completed", { message: "The task is no longer open." });

const busy = () =>
  new Problem("busy", {
    message: "Others are changing the task at the same time. Try again later.",
    headers: { "Retry-After": "2" },
  });
