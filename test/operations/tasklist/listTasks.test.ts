import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { member } from "../../support/attachments.ts";
import { end, flow, model, start, userTask } from "../../support/bpmn.ts";
import { expectProblem } from "../../support/problem.ts";
import { completeTask, deploy, freshKey, startInstance, tasksOf } from "../../support/processes.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { assign, memberOf, openedTask } from "../../support/userTasks.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test("every member gets the open tasks of the tenant or of one instance, oldest first", async () => {
  const key = freshKey();
  const fork = '<parallelGateway id="fork"/><parallelGateway id="join"/>';
  const flows = [flow("start", "fork", "a", "join", "end"), flow("fork", "b", "join")];
  await deploy(server, model(key, [start(), fork, userTask("a"), userTask("b"), end(), ...flows].join("\n")));
  const one = (await startInstance(server, key)).process_instance_id;
  const two = (await startInstance(server, key)).process_instance_id;
  const bob = member();
  const api = await server.tasklist(bob);
  const all = await api.listTasks({ xActiveTenant: "tenant-1" });
  expect(all.map(({ process_instance_id }) => process_instance_id)).toEqual([one, one, two, two]);
  expect(await api.listTasks({ xActiveTenant: "tenant-1", limit: 1, page: 3 })).toEqual(all.slice(3));
  const [first] = await tasksOf(server, one, bob);
  await completeTask(server, first?.task_id ?? "", { by: bob });
  expect(await tasksOf(server, one, bob)).toHaveLength(1);
  expect(await api.listTasks({ xActiveTenant: "tenant-1", processInstanceId: "nonsense" })).toEqual([]);
  const other = await server.tasklist({ tenant: 2 });
  expect(await other.listTasks({ xActiveTenant: "tenant-2" })).toEqual([]);
});

test("filters select tasks by assignee, candidate group, process, and whether nobody has them; they combine", async () => {
  const [bob, clerks, managers] = [memberOf(), freshKey("clerks"), freshKey("managers")];
  const groups = `camunda:candidateGroups="${clerks},${managers}"`;
  const [waiting, claimed, other] = [
    await openedTask(server, groups),
    await openedTask(server, groups),
    await openedTask(server, `camunda:candidateUsers="${clerks}"`),
  ];
  await assign(server, claimed.task_id, bob.user ?? "");
  await assign(server, other.task_id, bob.user ?? "");
  const api = await server.tasklist(memberOf());
  const idsOf = async (query: object) =>
    (await api.listTasks({ xActiveTenant: "tenant-1", ...query })).map(({ task_id }) => task_id);
  expect(await idsOf({ assignee: bob.user })).toEqual([claimed.task_id, other.task_id]);
  expect(await idsOf({ assignee: bob.user, limit: 1, page: 1 })).toEqual([other.task_id]);
  expect(await idsOf({ candidateGroup: clerks })).toEqual([waiting.task_id, claimed.task_id]);
  expect(await idsOf({ candidateGroup: managers, unassigned: true })).toEqual([waiting.task_id]);
  expect(await idsOf({ candidateGroup: managers, unassigned: false })).toHaveLength(2);
  expect(await idsOf({ processKey: other.process_key })).toEqual([other.task_id]);
  expect(await idsOf({ processKey: other.process_key, candidateGroup: clerks })).toEqual([]);
  expect(await idsOf({ assignee: bob.user, unassigned: true })).toEqual([]);
  expect(await idsOf({ assignee: bob.user, processInstanceId: other.process_instance_id })).toHaveLength(1);
  const odd = ["*", "%", "{}", '"', "'", "{a,b}", "null", `${clerks},${managers}`];
  for (const text of odd) expect(await idsOf({ candidateGroup: text, assignee: text })).toEqual([]);
});

test("filters of another tenant find nothing, and impossible ones are refused", async () => {
  const { process_key: processKey, task_id } = await openedTask(server, 'camunda:candidateGroups="shared"');
  await assign(server, task_id, "bob");
  const elsewhere = await server.tasklist({ tenant: 2, groups: ["shared"] });
  for (const filter of [{ assignee: "bob" }, { candidateGroup: "shared" }, { processKey }])
    expect(await elsewhere.listTasks({ xActiveTenant: "tenant-2", ...filter })).toEqual([]);
  const impossible = [
    "assignee=",
    "candidate_group=%00",
    "process_key=a%00",
    "unassigned=1",
    "assignee=a&assignee=b",
  ];
  for (const query of impossible) {
    const answer = await server.request(`/api/v1/tasklist/tasks?${query}`, {
      headers: { "x-active-tenant": "tenant-1" },
    });
    await expectProblem(answer, "invalid_parameter");
  }
});
