/** The assignee and administrators give a task back. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { expectProblem } from "../../support/problem.ts";
import { completeTask } from "../../support/processes.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { act, administrator, assign, memberOf, openedTask, shown } from "../../support/userTasks.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test("the assignee gives a task back, and another member claims it", async () => {
  const { task_id: on } = await openedTask(server);
  const [bob, carol] = [memberOf(), memberOf()];
  await act(server, "claim", { on, by: bob });
  await expectProblem(await act(server, "unclaim", { on, by: carol }), "task_not_yours");
  expect((await shown(server, on)).assignee).toBe(bob.user ?? "");
  expect((await act(server, "unclaim", { on, by: bob })).status).toBe(204);
  expect((await act(server, "unclaim", { on, by: bob })).status).toBe(204);
  expect((await shown(server, on)).assignee).toBeNull();
  expect((await act(server, "claim", { on, by: carol })).status).toBe(204);
});

test("an administrator gives another user's task back", async () => {
  const { task_id: on } = await openedTask(server);
  const [bob, carol] = [memberOf(), memberOf()];
  await act(server, "claim", { on, by: bob });
  expect((await act(server, "unclaim", { on, by: administrator })).status).toBe(204);
  await completeTask(server, on, { by: carol });
  await expectProblem(await act(server, "unclaim", { on, by: bob }), "task_completed");
});

test("a task that its model gives to one user does not become everybody's when that user gives it back", async () => {
  const { task_id: on } = await openedTask(server, 'camunda:assignee="ann"');
  const ann = { ...memberOf(), user: "ann" };
  expect((await act(server, "unclaim", { on, by: ann })).status).toBe(204);
  expect((await shown(server, on)).assignee).toBeNull();
  await expectProblem(await act(server, "claim", { on, by: memberOf() }), "task_not_yours");
  await expectProblem(await act(server, "complete", { on, by: ann }), "task_not_yours");
  await assign(server, on, "ann");
  await completeTask(server, on, { by: ann });
});

test("a task of another tenant and an unknown task are 404", async () => {
  const { task_id: on } = await openedTask(server);
  const stranger = { user: "bob", tenant: 2, roles: ["admin_sop"] };
  await expectProblem(await act(server, "unclaim", { on, by: stranger }), "task_not_found");
  await expectProblem(await act(server, "unclaim", { on: "nonsense", by: memberOf() }), "task_not_found");
});
