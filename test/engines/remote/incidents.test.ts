/** Incidents of an engine that others use too: which Waybill lists, what it says of them, and what a rerun does. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Incident } from "../../../src/generated/schemas.ts";
import { Problem } from "../../../src/infrastructure/problem.ts";
import type { AnswerShape } from "../../../src/processes/engines/operaton/answerShape.ts";
import { instancesWithIncidents } from "../../../src/processes/engines/operaton/incidents/instancesWithIncidents.ts";
import { listIncidents } from "../../../src/processes/engines/operaton/incidents/listIncidents.ts";
import { rerun } from "../../../src/processes/engines/operaton/incidents/rerun.ts";
import {
  createEngineRest,
  type EngineCall,
  type EngineRest,
} from "../../../src/processes/engines/operaton/rest.ts";
import { EngineUnreachable } from "../../../src/processes/engines/operaton/restErrors.ts";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { askEngine, freshSlug, startOnEngine } from "../engine.ts";
import {
  deployModel,
  failTask,
  fetchTask,
  type LockedTask,
  startAtEngine,
  writeVariables,
} from "./otherClient.ts";

setDefaultTimeout(60_000);
let server: TestServer;
const slug = freshSlug();
const tenant = { id: 1, slug, schema: "tenant_1" };
const stranger = { id: 2, slug: freshSlug(), schema: "tenant_2" };
beforeAll(async () => {
  server = await startOnEngine({ workers: false });
  // The first request of a tenant makes its audit trail.
  await (await server.tables({ slug })).listTables({ tenantId: 1 });
  await deployModel(slug, models);
});
afterAll(() => server.stop());

const external = (key: string) => `
  <process id="${key}" isExecutable="true">
    <startEvent id="start_${key}"/><sequenceFlow id="f1_${key}" sourceRef="start_${key}" targetRef="send_${key}"/>
    <serviceTask id="send_${key}" camunda:type="external" camunda:topic="${key}"/>
  </process>`;

const models = `
  ${["alone", "paged", "twice", "foreign", "own", "below", "gone", "away", "unsure"].map(external).join("")}
  <process id="above" isExecutable="true">
    <startEvent id="start1"/><sequenceFlow id="f1" sourceRef="start1" targetRef="call"/>
    <callActivity id="call" calledElement="below"/>
  </process>
  <process id="later" isExecutable="true">
    <startEvent id="start2" camunda:asyncAfter="true"/><sequenceFlow id="f2" sourceRef="start2" targetRef="decide"/>
    <serviceTask id="decide" camunda:expression="\${amount > 4}"/>
    <sequenceFlow id="f3" sourceRef="decide" targetRef="end2"/><endEvent id="end2"/>
  </process>
  <process id="custom" isExecutable="true">
    <startEvent id="start3"/><sequenceFlow id="f4" sourceRef="start3" targetRef="report"/>
    <serviceTask id="report" camunda:expression="\${execution.createIncident('bad address', null, 'No such street')}"/>
    <sequenceFlow id="f5" sourceRef="report" targetRef="task"/><userTask id="task"/>
  </process>`;

const context = (url = server.deps.config.engine?.url ?? "") => ({
  ...server.deps,
  rest: createEngineRest({ url, authorization: undefined, timeoutMs: 10_000 }),
});
const by = () => ({ actor: "alice", requestId: crypto.randomUUID() });
const run = (incidentId: string, of = tenant) => rerun(context(), { tenant: of, incidentId, by: by() });
const code = (error: unknown) => (error instanceof Problem ? error.code : error);
const outcome = (running: Promise<unknown>) => running.then(() => "rerun", code);

interface Wanted {
  readonly resolved?: boolean;
  readonly offset?: number;
  readonly limit?: number;
  readonly of?: typeof tenant;
}

const list = (
  processInstanceId?: string,
  { resolved = false, offset = 0, limit = 50, of = tenant }: Wanted = {},
) => listIncidents(context(), of, { processInstanceId, resolved, offset, limit });

async function only(listing: Promise<Incident[]>): Promise<Incident> {
  const incidents = await listing;
  expect(incidents).toHaveLength(1);
  return incidents[0] as Incident;
}

/** Starts an instance whose external task fails at its worker. */
async function failed(key: string, message = "It is closed"): Promise<LockedTask> {
  const processInstanceId = await startAtEngine(slug, key, {});
  const task = await fetchTask(slug, key);
  expect(task?.processInstanceId).toBe(processInstanceId);
  if (task) await failTask(task, message);
  return task as LockedTask;
}

interface Row {
  readonly attempt?: number;
  readonly type: string;
  readonly message: string;
  readonly reported?: boolean;
}

/** What the worker writes when an attempt has become an incident. */
const remember = (task: LockedTask, { attempt = 1, type, message, reported = true }: Row) => server.sql`
  insert into waybill.external_tasks
    (id, tenant_id, process_instance_id, process_key, definition_id, activity_id, state, attempt, claim, worker,
     redirects, incident_type, incident_message, request_sent, reported)
  values
    (${task.id}, 1, ${task.processInstanceId}, 'own', 'own:1', 'send_own', 'incident', ${attempt},
     gen_random_uuid(), 'waybill', false, ${type}, ${message}, 'yes', ${reported})
  on conflict (id) do update
    set attempt = excluded.attempt, incident_type = excluded.incident_type,
        incident_message = excluded.incident_message, state = excluded.state`;

test("the failure of another worker is listed with its topic, and a rerun hands the task out again", async () => {
  const task = await failed("alone");
  const incident = await only(list(task.processInstanceId));
  expect(incident).toMatchObject({
    process_instance_id: task.processInstanceId,
    process_key: "alone",
    activity_id: "send_alone",
    type: "external_task_failed",
    message: 'The worker of the topic "alone" has failed: It is closed. A rerun hands the task out again.',
    request_sent: "no",
    attempt: 0,
    resolved_at: null,
  });
  expect(await fetchTask(slug, "alone")).toBeUndefined();
  expect(await run(incident.incident_id)).toEqual({ processInstanceId: task.processInstanceId });
  expect((await fetchTask(slug, "alone"))?.id).toBe(task.id);
  expect(await list(task.processInstanceId)).toEqual([]);
  const resolved = await only(list(task.processInstanceId, { resolved: true }));
  expect(resolved.incident_id).toBe(incident.incident_id);
  expect(resolved.resolved_at).not.toBeNull();
  expect(await outcome(run(incident.incident_id))).toBe("incident_resolved");
  const records = await server.sql`
    select actor, action, outcome from tenant_1._audit where statement like ${`%${incident.incident_id}%`}`;
  expect([...records]).toEqual([{ actor: "alice", action: "rerun_incident", outcome: "success" }]);
});

test("incidents of Waybill's tasks have their type, attempt and whole message, also after a rerun", async () => {
  const first = `The integration rejected the request. ${"x".repeat(1_000)}`;
  const task = await failed("own", first);
  await remember(task, { type: "rejected", message: first });
  const incident = await only(list(task.processInstanceId));
  expect(incident).toMatchObject({ type: "rejected", message: first, request_sent: "yes", attempt: 1 });
  await run(incident.incident_id);
  expect((await fetchTask(slug, "own"))?.id).toBe(task.id);
  await failTask(task, "It does not answer.");
  await remember(task, { attempt: 2, type: "timed_out", message: "It does not answer." });
  const second = await only(list(task.processInstanceId));
  expect(second).toMatchObject({ type: "timed_out", message: "It does not answer.", attempt: 2 });
  const resolved = await only(list(task.processInstanceId, { resolved: true }));
  expect(resolved).toMatchObject({ type: "rejected", message: first, attempt: 1 });
});

test("an incident that another client has rerun keeps its whole message", async () => {
  const first = `The integration rejected the request. ${"y".repeat(1_000)}`;
  const task = await failed("foreign", first);
  await remember(task, { type: "rejected", message: first });
  await askEngine(`/external-task/${task.id}/retries`, { method: "PUT", body: '{"retries":1}' });
  const resolved = () => only(list(task.processInstanceId, { resolved: true }));
  expect(await resolved()).toMatchObject({ type: "rejected", message: first, attempt: 1 });
  expect((await fetchTask(slug, "foreign"))?.id).toBe(task.id);
  await failTask(task, "Later");
  await remember(task, { attempt: 2, type: "timed_out", message: "Later" });
  expect(await resolved()).toMatchObject({ message: first, request_sent: "unknown" });
});

test("an incident of a called process is listed once, for its own instance and for the root", async () => {
  const root = await startAtEngine(slug, "above", {});
  const task = await fetchTask(slug, "below");
  if (!task) throw new Error("the called process has no task");
  await failTask(task, "It is closed");
  const child = task.processInstanceId;
  const ofRoot = await only(list(root));
  expect(ofRoot).toMatchObject({ process_instance_id: child, activity_id: "send_below" });
  expect(await only(list(child))).toEqual(ofRoot);
  const all = await list(undefined, { limit: 500 });
  expect(all.filter((each) => each.incident_id === ofRoot.incident_id)).toHaveLength(1);
  expect(all.map((each) => each.process_key)).not.toContain("above");
  expect(await instancesWithIncidents(context(), tenant, [root, child])).toEqual(new Set([root, child]));
  expect(await instancesWithIncidents(context(), stranger, [root, child])).toEqual(new Set());
  expect(await run(ofRoot.incident_id)).toEqual({ processInstanceId: child });
  expect(await instancesWithIncidents(context(), tenant, [root, child])).toEqual(new Set());
  expect((await only(list(root, { resolved: true }))).incident_id).toBe(ofRoot.incident_id);
});

test("a step that the engine could not do is listed, and goes on after a correction and a rerun", async () => {
  const id = await startAtEngine(slug, "later", {});
  await until(async () => (await list(id)).length === 1, 30);
  const incident = await only(list(id));
  expect(incident).toMatchObject({
    type: "process_failed",
    activity_id: "start2",
    request_sent: "no",
    attempt: 0,
  });
  expect(incident.message).toMatch(
    /^The process could not continue at "decide": .*amount.* A rerun tries it again\.$/,
  );
  await writeVariables(id, { amount: { type: "Long", value: 5 } });
  await run(incident.incident_id);
  const state = async () => (await askEngine<{ state: string }>(`/history/process-instance/${id}`)).state;
  await until(async () => (await state()) === "COMPLETED", 50);
});

test("an incident that an application made is listed, and cannot be rerun", async () => {
  const id = await startAtEngine(slug, "custom", {});
  const incident = await only(list(id));
  expect(incident).toMatchObject({ type: "bad address", activity_id: "report", request_sent: "no" });
  expect(incident.message).toContain("No such street.");
  const error = await run(incident.incident_id).catch((cause: Problem) => cause);
  expect(error).toMatchObject({ code: "not_supported_by_engine", status: 501 });
  expect((error as Problem).message).toContain("The application has to resolve it.");
});

test("another tenant neither sees nor reruns an incident", async () => {
  const [incident] = await list();
  const own = await list(incident?.process_instance_id, { of: stranger });
  expect([own, await list(undefined, { of: stranger })]).toEqual([[], []]);
  expect(await outcome(run(incident?.incident_id ?? "", stranger))).toBe("incident_not_found");
  for (const id of ["nobody's", crypto.randomUUID(), "../task", "a".repeat(200), "1,2"])
    expect(await outcome(run(id))).toBe("incident_not_found");
});

test("of two reruns at the same moment, one starts", async () => {
  const task = await failed("twice");
  const { incident_id } = await only(list(task.processInstanceId));
  const outcomes = await Promise.all([1, 2, 3, 4].map(() => outcome(run(incident_id))));
  expect(outcomes.sort()).toEqual(["incident_resolved", "incident_resolved", "incident_resolved", "rerun"]);
});

test("incidents are listed in pages, newest first", async () => {
  const tasks: LockedTask[] = [];
  for (let count = 0; count < 3; count++) tasks.push(await failed("paged"));
  const expected = tasks.map((task) => task.processInstanceId).reverse();
  const pages = await Promise.all([0, 1, 2].map((offset) => list(undefined, { offset, limit: 1 })));
  expect(pages.flat().map((each) => each.process_instance_id)).toEqual(expected);
});

test("the incident of a deleted instance is resolved", async () => {
  const task = await failed("gone");
  const { incident_id } = await only(list(task.processInstanceId));
  await askEngine(`/process-instance/${task.processInstanceId}`, { method: "DELETE" });
  expect((await only(list(task.processInstanceId, { resolved: true }))).incident_id).toBe(incident_id);
  expect(await outcome(run(incident_id))).toBe("incident_resolved");
});

test("a rerun that did not reach the engine can be repeated", async () => {
  const task = await failed("away");
  const { incident_id } = await only(list(task.processInstanceId));
  const here = context();
  const gone = context("http://127.0.0.1:9/engine-rest");
  const call = (asked: EngineCall, shape: AnswerShape<unknown>) =>
    (asked.method === "PUT" ? gone : here).rest.call(asked, shape);
  const cut = { ...here, rest: { ...here.rest, call: call as EngineRest["call"] } };
  const repeated = () => rerun(cut, { tenant, incidentId: incident_id, by: by() });
  expect(await outcome(repeated())).toBeInstanceOf(EngineUnreachable);
  expect(await outcome(run(incident_id))).toBe("rerun");
});

test("a rerun notes that the engine has the incident, so that the task is run and not reported again", async () => {
  const task = await failed("unsure");
  await remember(task, { type: "unreachable", message: "It is closed", reported: false });
  await run((await only(list(task.processInstanceId))).incident_id);
  const [row] = await server.sql`select state, reported from waybill.external_tasks where id = ${task.id}`;
  expect(row).toEqual({ state: "incident", reported: true });
});
