import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { member } from "../../support/attachments.ts";
import { end, flow, model, start, userTask } from "../../support/bpmn.ts";
import { completeTask, deploy, freshKey, startInstance, tasksOf } from "../../support/processes.ts";
import { startServer, type TestServer } from "../../support/server.ts";

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
