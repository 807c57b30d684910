/** The audit trail records deployments, corrections, terminations and reruns, each with its request. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { end, flow, model, oneCall, start, userTask } from "../../support/bpmn.ts";
import { freshKey, incidentOf, startInstance } from "../../support/processes.ts";
import { startServer, type TestServer } from "../../support/server.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const tenant = { "x-active-tenant": "tenant-1" };

async function send(method: string, path: string, body?: BodyInit) {
  const answer = await server.request(`/api/v1/probis${path}`, {
    method,
    headers: tenant,
    ...(body === undefined ? {} : { body }),
  });
  return { status: answer.status, requestId: answer.headers.get("x-request-id") ?? "" };
}

function deployment(bpmn: string): FormData {
  const body = new FormData();
  body.set("bpmn", new File([bpmn], "model.bpmn"));
  return body;
}

const recordsOf = (requestId: string) => server.sql`
  select actor, action, table_name, statement, outcome, error from tenant_1._audit
  where request_id = ${requestId}`;

const waiting = (key: string) =>
  model(key, [start(), userTask("a"), end(), flow("start", "a", "end")].join("\n"));

const success = { actor: "alice", table_name: null, outcome: "success", error: null };

test("a deployment is recorded with its version, and a refused one as a failure", async () => {
  const key = freshKey("audited");
  for (const version of [1, 2]) {
    const { status, requestId } = await send("POST", "/process-definitions", deployment(waiting(key)));
    expect(status).toBe(201);
    expect([...(await recordsOf(requestId))]).toEqual([
      { ...success, action: "deploy_process", statement: `deploy process ${key}, version ${version}` },
    ]);
  }
  const refused = await send("POST", "/process-definitions", deployment("<a/>"));
  expect(refused.status).toBe(400);
  expect([...(await recordsOf(refused.requestId))]).toMatchObject([
    { actor: "alice", action: "deploy_process", outcome: "failure" },
  ]);
});

test("a correction is recorded with the names of the variables, without their values", async () => {
  const key = freshKey("audited");
  await send("POST", "/process-definitions", deployment(waiting(key)));
  const { process_instance_id: id } = await startInstance(server, key);
  const variables = { salary: { value: "12345678" }, 'a "name"': { value: 1 } };
  const path = `/process-instances/${id}/variables`;
  const { status, requestId } = await send("PATCH", path, JSON.stringify({ variables }));
  expect(status).toBe(204);
  const statement = `set variables "salary", "a \\"name\\"" of process instance ${id}`;
  expect([...(await recordsOf(requestId))]).toEqual([{ ...success, action: "set_variables", statement }]);
  const wrong = {
    variables: { salary: { value: "87654321", type: "Integer", valueInfo: { filename: "x" } } },
  };
  const refused = await send("PATCH", path, JSON.stringify(wrong));
  expect(refused.status).toBe(400);
  expect([...(await recordsOf(refused.requestId))]).toMatchObject([{ outcome: "failure" }]);
  const all = await server.sql<{ text: string }[]>`select _audit::text as text from tenant_1._audit`;
  expect(all.map(({ text }) => text).join()).not.toMatch(/12345678|87654321/);
});

test("a termination is recorded, and a second one of the instance as a failure", async () => {
  const key = freshKey("audited");
  await send("POST", "/process-definitions", deployment(waiting(key)));
  const { process_instance_id: id } = await startInstance(server, key);
  const first = await send("DELETE", `/process-instances/${id}`);
  expect(first.status).toBe(204);
  const statement = `terminate process instance ${id}`;
  expect([...(await recordsOf(first.requestId))]).toEqual([
    { ...success, action: "terminate_instance", statement },
  ]);
  const second = await send("DELETE", `/process-instances/${id}`);
  expect(second.status).toBe(409);
  expect([...(await recordsOf(second.requestId))]).toMatchObject([
    { action: "terminate_instance", outcome: "failure" },
  ]);
});

test("a rerun is recorded; an attempt by a member leaves no record", async () => {
  const key = freshKey("audited");
  await send("POST", "/process-definitions", deployment(oneCall(key, { method: "GET", url: "${nowhere}" })));
  const { process_instance_id: id } = await startInstance(server, key);
  const { incident_id } = await incidentOf(server, id);
  const { status, requestId } = await send("POST", `/incidents/${incident_id}/rerun`);
  expect(status).toBe(202);
  const statement = `rerun incident ${incident_id} of process instance ${id}`;
  expect([...(await recordsOf(requestId))]).toEqual([{ ...success, action: "rerun_incident", statement }]);
  const token = await server.token({ user: "bob", roles: ["member"] });
  const refused = await server.request(`/api/v1/probis/process-instances/${id}`, {
    method: "DELETE",
    headers: { ...tenant, authorization: `Bearer ${token}` },
  });
  expect(refused.status).toBe(401);
  expect([...(await recordsOf(refused.headers.get("x-request-id") ?? ""))]).toEqual([]);
});
