/** Steps of tests of user tasks: people with groups, and instances that wait at one task. */
import type { Task } from "../../sdk/src/generated/index.ts";
import { freshUser, slugOf } from "./attachments.ts";
import { end, flow, model, start, userTask } from "./bpmn.ts";
import { deploy, freshKey, type StartOptions, startInstance, tasksOf } from "./processes.ts";
import type { TestServer, TokenClaims } from "./server.ts";

/** A member whose token names the groups. */
export const memberOf = (...groups: string[]): TokenClaims => ({
  user: freshUser(),
  tenant: 1,
  roles: ["member"],
  groups,
});

export const administrator: TokenClaims = { user: "alice", tenant: 1, roles: ["admin_sop"] };

/** start → one user task with these attributes → end. */
export const oneTask = (key: string, attributes = "", before = start()) =>
  model(key, [before, userTask("review", attributes), end(), flow("start", "review", "end")].join("\n"));

/** The open task of a new instance of a new process. */
export async function openedTask(
  server: TestServer,
  attributes = "",
  { by = administrator, variables = {} }: StartOptions = {},
): Promise<Task> {
  const key = freshKey();
  await deploy(server, oneTask(key, attributes));
  const { process_instance_id: id } = await startInstance(server, key, { by, variables });
  const [task, ...others] = await tasksOf(server, id);
  if (!task || others.length > 0) throw new Error(`there are ${others.length} other tasks`);
  return task;
}

export type Action = "claim" | "unclaim" | "complete";

const bodies = { claim: undefined, unclaim: undefined, complete: "{}", assign: undefined };

/** Plain HTTP, for answers that are problems. */
export async function act(
  server: TestServer,
  action: Action,
  { on, by }: { readonly on: string; readonly by: TokenClaims },
): Promise<Response> {
  const body = bodies[action];
  return server.request(`/api/v1/tasklist/tasks/${on}/${action}`, {
    method: "POST",
    headers: { "x-active-tenant": slugOf(by), authorization: `Bearer ${await server.token(by)}` },
    ...(body === undefined ? {} : { body }),
  });
}

/** Assigns the task as an administrator. */
export async function assign(server: TestServer, taskId: string, assignee: string | null): Promise<void> {
  const api = await server.tasklist(administrator);
  await api.assignTask({ xActiveTenant: slugOf(administrator), taskId, taskAssignment: { assignee } });
}

/** The task as members see it. */
export async function shown(server: TestServer, taskId: string) {
  const api = await server.tasklist(memberOf());
  return api.getTask({ xActiveTenant: "tenant-1", taskId });
}
