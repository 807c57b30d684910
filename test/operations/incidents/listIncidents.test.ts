import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { oneCall } from "../../support/bpmn.ts";
import { expectProblem } from "../../support/problem.ts";
import { deploy, freshKey, incidentOf, incidentsOf, rerun, startInstance } from "../../support/processes.ts";
import { startServer, type TestServer } from "../../support/server.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** An instance whose service task the outbound policy refuses. */
async function fail(): Promise<string> {
  const key = freshKey();
  await deploy(server, oneCall(key, { method: "POST", url: "http://169.254.169.254/latest", body: "{}" }));
  return (await startInstance(server, key)).process_instance_id;
}

test("an incident has its activity, type, what to do, and whether the request was sent", async () => {
  const id = await fail();
  const incident = await incidentOf(server, id);
  expect(incident).toEqual({
    incident_id: expect.any(String),
    process_instance_id: id,
    process_key: expect.any(String),
    activity_id: "call",
    type: "refused_by_policy",
    message: expect.stringContaining("OUTBOUND_ALLOW"),
    request_sent: "no",
    attempt: 1,
    created_at: expect.any(String),
    resolved_at: null,
  });
});

test("newest first, in pages; filtered by instance and by resolved", async () => {
  const ids = [await fail(), await fail()];
  for (const id of ids) await incidentOf(server, id);
  const api = await server.incidents();
  const [newest] = await api.listIncidents({ xActiveTenant: "tenant-1", limit: 1 });
  expect(newest?.process_instance_id).toBe(ids[1] ?? "");
  const [older] = await api.listIncidents({ xActiveTenant: "tenant-1", limit: 1, page: 1 });
  expect(older?.process_instance_id).toBe(ids[0] ?? "");
  const [first = ""] = ids;
  const incident = await incidentOf(server, first);
  await rerun(server, incident.incident_id);
  const resolved = await api.listIncidents({
    xActiveTenant: "tenant-1",
    processInstanceId: first,
    resolved: true,
  });
  expect(resolved.map(({ incident_id, resolved_at }) => [incident_id, typeof resolved_at])).toEqual([
    [incident.incident_id, "string"],
  ]);
  expect(await api.listIncidents({ xActiveTenant: "tenant-1", processInstanceId: "nonsense" })).toEqual([]);
});

test("only for administrators of the tenant", async () => {
  const id = await fail();
  await incidentOf(server, id);
  expect(await incidentsOf(server, id, { user: "bob", tenant: 2, roles: ["admin_sop"] })).toEqual([]);
  const authorization = `Bearer ${await server.token({ roles: ["member"] })}`;
  const headers = { "x-active-tenant": "tenant-1", authorization };
  await expectProblem(await server.request("/api/v1/probis/incidents", { headers }), "unauthenticated");
});
