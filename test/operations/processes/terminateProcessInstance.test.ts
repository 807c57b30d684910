import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { end, flow, model, oneCall, start, userTask } from "../../support/bpmn.ts";
import { expectProblem } from "../../support/problem.ts";
import {
  deploy,
  freshKey,
  incidentOf,
  incidentsOf,
  startInstance,
  stateOf,
  tasksOf,
} from "../../support/processes.ts";
import { startServer, type TestServer } from "../../support/server.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const terminate = (id: string, init: RequestInit = {}) =>
  server.request(`/api/v1/probis/process-instances/${id}`, {
    method: "DELETE",
    headers: { "x-active-tenant": "tenant-1" },
    ...init,
  });

test("a terminated instance has no open tasks, and cannot be terminated again", async () => {
  const key = freshKey();
  await deploy(
    server,
    model(key, [start(), userTask("review"), end(), flow("start", "review", "end")].join("\n")),
  );
  const { process_instance_id: id } = await startInstance(server, key);
  const [task] = await tasksOf(server, id);
  expect((await terminate(id)).status).toBe(204);
  expect(await stateOf(server, id)).toBe("terminated");
  expect(await tasksOf(server, id)).toEqual([]);
  const late = await server.request(`/api/v1/tasklist/tasks/${task?.task_id}/complete`, {
    method: "POST",
    headers: { "x-active-tenant": "tenant-1" },
    body: "{}",
  });
  await expectProblem(late, "task_completed");
  await expectProblem(await terminate(id), "instance_ended");
});

test("terminating an instance resolves its incident", async () => {
  const key = freshKey();
  // The outbound policy refuses the call.
  await deploy(server, oneCall(key, { method: "POST", url: "http://127.0.0.1:9/", body: "{}" }));
  const { process_instance_id: id } = await startInstance(server, key);
  const { incident_id } = await incidentOf(server, id);
  expect((await terminate(id)).status).toBe(204);
  expect(await incidentsOf(server, id)).toEqual([]);
  const rerun = await server.request(`/api/v1/probis/incidents/${incident_id}/rerun`, {
    method: "POST",
    headers: { "x-active-tenant": "tenant-1" },
  });
  await expectProblem(rerun, "incident_resolved");
});

test("only administrators of the instance's tenant can terminate it", async () => {
  const key = freshKey();
  await deploy(
    server,
    model(key, [start(), userTask("review"), end(), flow("start", "review", "end")].join("\n")),
  );
  const { process_instance_id: id } = await startInstance(server, key);
  const as = async (claims: { tenant: number; roles: string[] }) => ({
    headers: {
      "x-active-tenant": `tenant-${claims.tenant}`,
      authorization: `Bearer ${await server.token(claims)}`,
    },
  });
  await expectProblem(await terminate(id, await as({ tenant: 1, roles: ["member"] })), "unauthenticated");
  await expectProblem(
    await terminate(id, await as({ tenant: 2, roles: ["admin_sop"] })),
    "process_instance_not_found",
  );
  await expectProblem(await terminate("nonsense"), "process_instance_not_found");
  expect(await stateOf(server, id)).toBe("active");
});

test("the log has who terminated it", async () => {
  const key = freshKey();
  const waiting = [start(), userTask("review"), end(), flow("start", "review", "end")];
  await deploy(server, model(key, waiting.join("\n")));
  const { process_instance_id } = await startInstance(server, key);
  await terminate(process_instance_id);
  const line = server.logged.find(
    ({ msg, ...line }) =>
      msg === "Process instance terminated" && line.process_instance_id === process_instance_id,
  );
  expect(line).toMatchObject({ tenant_id: 1, actor: "alice", level: "info" });
});
