/** Incidents of service tasks: what they say, how they are listed, and how a person runs them again. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Answer, type Partner, startPartner } from "../infrastructure/outbound/partner.ts";
import { upload } from "../support/attachments.ts";
import {
  addon,
  apiCall,
  boundaryError,
  conditionalFlow,
  end,
  flow,
  start,
  userTask,
} from "../support/bpmn.ts";
import { expectProblem } from "../support/problem.ts";
import { until } from "../support/until.ts";
import { startWorld, type World } from "./world.ts";

setDefaultTimeout(60_000);
let world: World;
let partner: Partner;
let url: string;
let answer: Answer;
beforeAll(async () => {
  world = await startWorld();
  partner = await startPartner((...exchange) => answer(...exchange));
  url = `http://127.0.0.1:${partner.port}`;
});
afterAll(async () => {
  await partner.stop();
  await world.stop();
});

const path = "/api/v1/probis/incidents";
const rerun = (id: string, by = world.admin) =>
  world.request(`${path}/${encodeURIComponent(id)}/rerun`, { method: "POST", by });
const status =
  (code: number, body = ""): Answer =>
  (_, response) =>
    void response.writeHead(code).end(body);

/** Deploys start → call → end and starts it. */
async function begin(properties: Record<string, string>, variables = {}): Promise<string> {
  const call = apiCall("call", { method: "POST", url, body: "{}", ...properties });
  const key = await world.deploy([start(), call, end(), flow("start", "call", "end")]);
  return world.start(key, variables);
}

const keysOf = (id: string) =>
  partner.received
    .flatMap(({ headers }) => headers)
    .filter(([name, value]) => name === "idempotency-key" && value.startsWith(id))
    .map(([, value]) => value);

test("an incident has its activity, its type, what to do, and whether the request was sent", async () => {
  const id = await begin({ url: "http://169.254.169.254/latest" });
  const { process_key } = await world.instance(id);
  expect(await world.incident(id)).toEqual({
    incident_id: expect.any(String),
    process_instance_id: id,
    process_key,
    activity_id: "call",
    type: "refused_by_policy",
    message: expect.stringContaining("OUTBOUND_ALLOW"),
    request_sent: "no",
    attempt: 1,
    created_at: expect.any(String),
    resolved_at: null,
  });
  expect((await world.instance(id)).state).toBe("incident");
});

const faults: [name: string, answer: Answer, type: string, requestSent: string][] = [
  ["no answer in time", () => {}, "timed_out", "unknown"],
  [
    "a redirect",
    (_, response) => void response.writeHead(302, { location: "/elsewhere" }).end(),
    "redirected",
    "yes",
  ],
  ["a connection that is closed", (_, response) => void response.destroy(), "unreachable", "unknown"],
  ["a server's error", status(503), "rejected", "yes"],
  ["a refusal", status(422, "no"), "rejected", "yes"],
];
test.each(faults)("a fault of the receiver is an incident: %s", async (_name, given, type, requestSent) => {
  answer = given;
  const id = await begin({ timeout_seconds: "1" });
  expect(await world.incident(id)).toMatchObject({ type, request_sent: requestSent, attempt: 1 });
  expect(keysOf(id)).toHaveLength(1);
});

test("a fault before the request is an incident, and nothing is sent", async () => {
  const closed = await begin({ url: "http://127.0.0.1:1/" });
  expect(await world.incident(closed)).toMatchObject({ type: "unreachable", request_sent: "no" });
  const unknown = await begin({ body: '{"a":"${nobody}"}' });
  const incident = await world.incident(unknown);
  expect(incident).toMatchObject({ type: "unknown_placeholder", request_sent: "no" });
  expect(incident.message).toContain("${nobody}");
  expect(keysOf(unknown)).toEqual([]);
  const score = addon("score", { addon: "nobody", parameters: "{}" });
  const key = await world.deploy([start(), score, end(), flow("start", "score", "end")]);
  const missing = await world.incident(await world.start(key));
  expect(missing).toMatchObject({ type: "addon_not_found", activity_id: "score", request_sent: "no" });
});

test("a long refusal is shown without its tokens, and no longer than an incident has room for", async () => {
  answer = (_, response, body) =>
    void response.writeHead(400).end(`Cannot read\r\n${body}\n${"x".repeat(5_000)}`);
  const card = JSON.stringify(await upload(world.server, { by: world.admin }));
  const id = await begin({ body: '{"card":"${card}"}' }, { card });
  const { message } = await world.incident(id);
  expect(message).toContain('HTTP 400: "Cannot read {"card":"http');
  expect(message).toContain("token=[token]");
  expect(message).toContain("A rerun");
});

test("a rerun sends again under another key, and its failure is a new incident with the next attempt", async () => {
  answer = status(500);
  const id = await begin({});
  const first = await world.incident(id);
  const answered = await rerun(first.incident_id);
  expect(answered.status).toBe(202);
  expect(await answered.json()).toEqual({ incident_id: first.incident_id, process_instance_id: id });
  await until(() => keysOf(id).length === 2);
  const second = await world.incident(id);
  expect(second.incident_id).not.toBe(first.incident_id);
  expect(second.attempt).toBe(2);
  answer = status(200);
  await world.rerun(second.incident_id);
  await world.reaches(id, "completed");
  const keys = keysOf(id);
  expect(keys.map((key) => key.split(":").at(-1))).toEqual(["1", "2", "3"]);
  expect(new Set(keys.map((key) => key.replace(/\d+$/, ""))).size).toBe(1);
});

test("a rerun takes a variable that was missing, issues new URLs, and revokes those that were not used", async () => {
  answer = status(500);
  const card = JSON.stringify(await upload(world.server, { by: world.admin }));
  const id = await begin({ body: '{"card":"${card}","n":"${number}"}' }, { card });
  const missing = await world.incident(id);
  await world.correct(id, { number: "4711" });
  await world.rerun(missing.incident_id);
  await until(() => keysOf(id).length === 1);
  const refused = await world.incident(id);
  answer = status(200);
  await world.rerun(refused.incident_id);
  await world.reaches(id, "completed");
  const sent = partner.received.slice(-2).map(({ body }) => JSON.parse(body));
  expect(sent.map(({ n }) => n)).toEqual(["4711", "4711"]);
  expect((await fetch(sent[0].card)).status).toBe(401);
  expect((await fetch(sent[1].card)).status).toBe(200);
});

test("if an incident is rerun many times at the same time, one rerun sends", async () => {
  answer = status(500);
  const id = await begin({});
  const { incident_id } = await world.incident(id);
  answer = status(200);
  const answers = await Promise.all(Array.from({ length: 8 }, () => rerun(incident_id)));
  expect(answers.map((each) => each.status).toSorted()).toEqual([202, ...Array(7).fill(409)]);
  await world.reaches(id, "completed");
  expect(keysOf(id)).toHaveLength(2);
  await expectProblem(await rerun(incident_id), "incident_resolved");
});

test("where the process cannot go on with the answer, a rerun uses the answer and sends nothing", async () => {
  answer = (_, response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end('{"points":3}');
  const call = apiCall("call", { method: "POST", url, body: "{}", result_variable: "score" });
  const gateway = '<exclusiveGateway id="decision"/>';
  const conditions = ["${limit > 1}", "${limit < 0}"];
  const flows = conditions.map((condition, at) => conditionalFlow("decision", `end${at}`, condition));
  const elements = [start(), call, gateway, end("end0"), end("end1"), ...flows];
  const key = await world.deploy([...elements, flow("start", "call", "decision")]);
  const id = await world.start(key);
  const incident = await world.incident(id);
  expect(incident).toMatchObject({ type: "process_failed", request_sent: "yes", activity_id: "call" });
  await world.correct(id, { limit: 2 });
  await world.rerun(incident.incident_id);
  await world.reaches(id, "completed");
  expect(keysOf(id)).toHaveLength(1);
  expect((await world.variables(id)).score).toMatchObject({ type: "Json" });
});

test("only with redirect_failures does a refusal reach a boundary event that catches it", async () => {
  answer = status(422, '{"why":"no"}');
  const redirect = { redirect_failures_to_error_boundary: "true" };
  const begun = async (properties: Record<string, string>, code?: string) => {
    const { event, error } = boundaryError("refused", "call", code);
    const call = apiCall("call", { method: "POST", url, body: "{}", ...properties });
    const flows = [flow("start", "call", "end"), flow("refused", "fix", "end")];
    const elements = [start(), call, event, userTask("fix"), end(), ...flows];
    return world.start(await world.deploy(elements, { beside: error }));
  };
  const caught = await begun(redirect);
  await world.task(caught, "fix");
  expect(await world.variables(caught)).toMatchObject({
    error_status: { type: "Integer", value: 422 },
    error_body: { value: expect.stringContaining('{"why":"no"}') },
  });
  for (const uncaught of [await begun({}), await begun(redirect, "ANOTHER")])
    expect(await world.incident(uncaught)).toMatchObject({ type: "rejected", request_sent: "yes" });
});

test("a refusal with a long body is caught, and its body kept", async () => {
  const body = "0123456789".repeat(1_000);
  answer = status(409, body);
  const { event, error } = boundaryError("refused", "call");
  const redirect = { redirect_failures_to_error_boundary: "true" };
  const call = apiCall("call", { method: "POST", url, body: "{}", ...redirect });
  const flows = [flow("start", "call", "end"), flow("refused", "fix", "end")];
  const elements = [start(), call, event, userTask("fix"), end(), ...flows];
  const id = await world.start(await world.deploy(elements, { beside: error }));
  await world.task(id, "fix");
  expect(String((await world.variables(id)).error_body?.value)).toContain(body);
});

test("newest first, in pages, by instance and by resolved; other tenants have none", async () => {
  const other = await startWorld();
  try {
    const call = apiCall("call", { method: "POST", url: "http://169.254.169.254/", body: "{}" });
    const key = await other.deploy([start(), call, end(), flow("start", "call", "end")]);
    const ids: string[] = [];
    for (const _ of [1, 2]) {
      ids.push(await other.start(key));
      await other.incident(ids.at(-1) ?? "");
    }
    const api = await other.server.incidents(other.admin);
    const tenant = { xActiveTenant: other.admin.slug };
    const found = await Promise.all(
      [0, 1, 2].map((page) => api.listIncidents({ ...tenant, limit: 1, page })),
    );
    expect(found.map(([incident]) => incident?.process_instance_id)).toEqual([ids[1], ids[0], undefined]);
    const [first = ""] = ids;
    const { incident_id } = await other.incident(first);
    await other.rerun(incident_id);
    const resolved = await api.listIncidents({ ...tenant, processInstanceId: first, resolved: true });
    expect(resolved.map((each) => [each.incident_id, typeof each.resolved_at])).toEqual([
      [incident_id, "string"],
    ]);
    expect(await api.listIncidents({ ...tenant, processInstanceId: "nonsense" })).toEqual([]);
    expect(await (await other.request(path, { by: other.stranger })).json()).toEqual([]);
    await expectProblem(await other.request(path, { by: other.member() }), "unauthenticated");
  } finally {
    await other.stop();
  }
});

test("only administrators of its tenant run it again; an unknown incident is 404", async () => {
  const id = await begin({ url: "http://169.254.169.254/" });
  const { incident_id } = await world.incident(id);
  await expectProblem(await rerun(incident_id, world.member()), "unauthenticated");
  await expectProblem(await rerun(incident_id, world.stranger), "incident_not_found");
  for (const unknown of ["nonsense", crypto.randomUUID(), "a'b\"c"])
    await expectProblem(await rerun(unknown), "incident_not_found");
});

test("terminating an instance resolves its incident", async () => {
  const id = await begin({ url: "http://169.254.169.254/" });
  const { incident_id } = await world.incident(id);
  const at = `/api/v1/probis/process-instances/${id}`;
  expect((await world.request(at, { method: "DELETE" })).status).toBe(204);
  expect((await world.instance(id)).state).toBe("terminated");
  await expectProblem(await rerun(incident_id), "incident_resolved");
});
