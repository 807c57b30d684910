/** User tasks: whose they are. The same rules for every engine. */
import type { Task } from "../generated/schemas.ts";
import { Problem } from "../infrastructure/problem.ts";
import type { Caller } from "../tenants/caller.ts";
import type { Tenant } from "../tenants/tenant.ts";
import type { ProcessEngine, TaskActor } from "./engine.ts";

/** Subjects and groups are compared exactly, character for character. */
export interface TaskOwners
  extends Readonly<Pick<Task, "assignee" | "candidate_users" | "candidate_groups">> {
  /** Whether the model gives the task to somebody, by whatever expression. Then it never becomes everybody's. */
  readonly owned?: boolean;
}

/** An open task of the tenant. Throws `task_not_found`. */
export async function openTask(engine: ProcessEngine, tenant: Tenant, id: string): Promise<Task> {
  const task = await engine.findTask(tenant, id);
  if (!task) throw new Problem("task_not_found");
  return task;
}

export const taskActorOf = ({ subject, groups, roles }: Caller): TaskActor => ({
  user: subject,
  groups,
  isAdministrator: roles.includes("admin_sop"),
});

/**
 * An assigned task is for its assignee, another one for its candidates. One that its model gives to nobody is for every
 * member, and every task is for administrators.
 */
export function mayComplete(task: TaskOwners, by: TaskActor): boolean {
  if (by.isAdministrator) return true;
  return task.assignee === null ? isCandidate(task, by) : task.assignee === by.user;
}

/** Everybody is a candidate of a task that nobody owns, and administrators are candidates of every task. */
function isCandidate(task: TaskOwners, { user, groups, isAdministrator }: TaskActor): boolean {
  const { candidate_users: users, candidate_groups: wanted, owned = false } = task;
  if (isAdministrator || (users.length + wanted.length === 0 && !owned)) return true;
  return users.includes(user) || groups.some((group) => wanted.includes(group));
}

/** Throws `task_not_yours`. */
export function requireMayComplete(task: TaskOwners, by: TaskActor): void {
  if (!mayComplete(task, by)) throw notYours();
}

/** A candidate claims a task that is assigned to nobody. Throws `task_not_yours` and `task_assigned`. */
export function requireMayClaim(task: TaskOwners, by: TaskActor): void {
  if (task.assignee === by.user) return;
  if (!isCandidate(task, by)) throw notYours();
  if (task.assignee !== null)
    throw new Problem("task_assigned", {
      message: "Another user has the task. Only an administrator can take it.",
    });
}

/** For the assignee and administrators. A task that nobody has stays as it is. Throws `task_not_yours`. */
export const requireMayUnclaim = requireMayComplete;

const notYours = () =>
  new Problem("task_not_yours", {
    message: "The task is assigned to another user, or you are not one of its candidates.",
  });
