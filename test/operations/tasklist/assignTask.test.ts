/** Administrators decide who has a task. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { expectProblem } from "../../support/problem.ts";
import { completeTask } from "../../support/processes.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { act, assign, memberOf, openedTask, shown } from "../../support/userTasks.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const request = async (taskId: string, body: unknown, by = {}) =>
  server.request(`/api/v1/tasklist/tasks/${taskId}/assign`, {
    method: "POST",
    headers: { "x-active-tenant": "tenant-1", authorization: `Bearer ${await server.token(by)}` },
    body: JSON.stringify(body),
  });

test("an administrator takes a task from one user, gives it to another, and to nobody", async () => {
  const { task_id: on } = await openedTask(server);
  const [bob, carol] = [memberOf(), memberOf()];
  await act(server, "claim", { on, by: bob });
  await assign(server, on, carol.user ?? "");
  await expectProblem(await act(server, "complete", { on, by: bob }), "task_not_yours");
  await assign(server, on, null);
  expect((await shown(server, on)).assignee).toBeNull();
  await assign(server, on, carol.user ?? "");
  await completeTask(server, on, { by: carol });
  await expectProblem(await request(on, { assignee: "bob" }), "task_completed");
});

test("members cannot assign tasks", async () => {
  const { task_id: on } = await openedTask(server);
  await expectProblem(await request(on, { assignee: "bob" }, memberOf()), "unauthenticated");
  expect((await shown(server, on)).assignee).toBeNull();
});

test("the audit trail has assignments and those that were refused", async () => {
  const { task_id: on } = await openedTask(server);
  await assign(server, on, 'a "b" c');
  await assign(server, on, null);
  await completeTask(server, on);
  await expectProblem(await request(on, { assignee: "bob" }), "task_completed");
  const rows = await server.sql`
    select actor, statement, outcome
    from tenant_1._audit
    where action = 'assign_task'
      and statement like ${`assign task ${on}%`}
    order by id`;
  expect([...rows]).toEqual([
    { actor: "alice", statement: `assign task ${on} to "a \\"b\\" c"`, outcome: "success" },
    { actor: "alice", statement: `assign task ${on} to nobody`, outcome: "success" },
    { actor: "alice", statement: `assign task ${on}`, outcome: "failure" },
  ]);
});

test("a body without an assignee, or with an impossible one, changes nothing", async () => {
  const { task_id: on } = await openedTask(server);
  await assign(server, on, "bob");
  for (const body of [
    {},
    { assignee: "" },
    { assignee: 7 },
    { assignee: "x".repeat(256) },
    { assignee: "\0" },
  ])
    expect((await request(on, body)).status).toBe(400);
  expect((await shown(server, on)).assignee).toBe("bob");
});

test("a task of another tenant and an unknown task are 404", async () => {
  const { task_id: on } = await openedTask(server);
  const elsewhere = await server.request(`/api/v1/tasklist/tasks/${on}/assign`, {
    method: "POST",
    headers: { "x-active-tenant": "tenant-2", authorization: `Bearer ${await server.token({ tenant: 2 })}` },
    body: JSON.stringify({ assignee: "bob" }),
  });
  await expectProblem(elsewhere, "task_not_found");
  await expectProblem(await request("nonsense", { assignee: null }), "task_not_found");
  expect((await shown(server, on)).assignee).toBeNull();
});
