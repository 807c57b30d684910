/** A claimed task belongs to one user. */
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

test("a member claims a task that names nobody; nobody else may claim or complete it then", async () => {
  const { task_id: on } = await openedTask(server);
  const [bob, carol] = [memberOf(), memberOf()];
  expect((await act(server, "claim", { on, by: bob })).status).toBe(204);
  expect((await act(server, "claim", { on, by: bob })).status).toBe(204);
  expect((await shown(server, on)).assignee).toBe(bob.user ?? "");
  await expectProblem(await act(server, "claim", { on, by: carol }), "task_assigned");
  await expectProblem(await act(server, "complete", { on, by: carol }), "task_not_yours");
  await completeTask(server, on, { by: bob });
  await expectProblem(await act(server, "claim", { on, by: bob }), "task_completed");
});

test("if many claim a task at the same time, one gets it", async () => {
  const { task_id: on } = await openedTask(server);
  const people = Array.from({ length: 8 }, () => memberOf());
  const answers = await Promise.all(people.map((by) => act(server, "claim", { on, by })));
  expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array(7).fill(409)]);
  const winner = people[answers.findIndex(({ status }) => status === 204)];
  expect((await shown(server, on)).assignee).toBe(winner?.user ?? "");
});

test("a task that was assigned to another user cannot be claimed, not even by an administrator", async () => {
  const { task_id: on } = await openedTask(server);
  await assign(server, on, "bob");
  await expectProblem(await act(server, "claim", { on, by: { user: "root" } }), "task_assigned");
});

test("a task of another tenant and an unknown task are 404", async () => {
  const { task_id: on } = await openedTask(server);
  const stranger = { user: "bob", tenant: 2, roles: ["member"] };
  await expectProblem(await act(server, "claim", { on, by: stranger }), "task_not_found");
  await expectProblem(await act(server, "claim", { on: "nonsense", by: memberOf() }), "task_not_found");
});
