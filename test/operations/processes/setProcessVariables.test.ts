import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { startPartner } from "../../infrastructure/outbound/partner.ts";
import { type CommittedAttachment, commit, upload } from "../../support/attachments.ts";
import { end, flow, model, oneCall, start, userTask } from "../../support/bpmn.ts";
import { expectProblem } from "../../support/problem.ts";
import {
  allowLoopback,
  completeTask,
  deploy,
  freshKey,
  incidentOf,
  reaches,
  rerun,
  startInstance,
  tasksOf,
  variablesOf,
} from "../../support/processes.ts";
import { startServer, type TestServer } from "../../support/server.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ environment: allowLoopback });
});
afterAll(() => server.stop());

const correct = (id: string, body: object, headers: Record<string, string> = {}) =>
  server.request(`/api/v1/probis/process-instances/${id}/variables`, {
    method: "PATCH",
    headers: { "x-active-tenant": "tenant-1", ...headers },
    body: JSON.stringify(body),
  });

async function waitingInstance(values: object = {}): Promise<{ key: string; id: string }> {
  const key = freshKey();
  await deploy(server, model(key, [start(), userTask("a"), end(), flow("start", "a", "end")].join("\n")));
  const variables = values as Record<string, unknown>;
  const { process_instance_id: id } = await startInstance(server, key, { variables });
  return { key, id };
}

const read = async (id: string) => {
  const api = await server.processes();
  return api.getProcessVariables({ xActiveTenant: "tenant-1", processInstanceId: id });
};

test("a rerun sends the request with a variable that was missing", async () => {
  const partner = await startPartner();
  const key = freshKey();
  const url = `http://127.0.0.1:${partner.port}`;
  await deploy(server, oneCall(key, { method: "POST", url, body: '{"n":"${number}","card":"${card}"}' }));
  const { process_instance_id: id } = await startInstance(server, key);
  const incident = await incidentOf(server, id);
  expect(incident.message).toContain("${number}. Set one and run the task again");
  const card = JSON.stringify(await upload(server));
  const corrected = await correct(id, { variables: variablesOf({ number: "4711", card }) });
  expect(corrected.status).toBe(204);
  await rerun(server, incident.incident_id);
  await reaches(server, id, "completed");
  const sent = JSON.parse(partner.received[0]?.body ?? "");
  expect(sent.n).toBe("4711");
  expect((await fetch(sent.card)).status).toBe(200);
  await partner.stop();
});

test("the named variables change value and type, and the report and the next step see them", async () => {
  const { key, id } = await waitingInstance({ a: "1", b: "stays" });
  await correct(id, { variables: { a: { value: 2 }, c: { value: [1.1], type: "Json" } } });
  expect(await read(id)).toMatchObject({
    a: { type: "Integer", value: 2 },
    b: { type: "String", value: "stays" },
    c: { type: "Json" },
  });
  const reports = await server.reports();
  const { data } = await reports.listReportInstances({ tenantId: 1, processDefinitionKey: key });
  expect(data.instances[0]).toMatchObject({ state: "active", variables: { a: { value: 2 } } });
  expect(await tasksOf(server, id)).toHaveLength(1);
});

test("an attachment is bound, or else nothing is written", async () => {
  const { id } = await waitingInstance({ a: "1" });
  const elsewhere: CommittedAttachment = await commit(server);
  const foreign = { attachment_id: elsewhere.id, file_name: "a.png" };
  const refused = await correct(id, { variables: variablesOf({ a: "2", card: JSON.stringify(foreign) }) });
  await expectProblem(refused, "not_committed");
  expect(await read(id)).toEqual({ a: { type: "String", value: "1", valueInfo: {} } });
  const card = await upload(server);
  expect((await correct(id, { variables: variablesOf({ card: JSON.stringify(card) }) })).status).toBe(204);
  const [row] = await server.sql`
    select state, process_instance_id from waybill.attachments where id = ${card.attachment_id}`;
  expect(row).toEqual({ state: "committed", process_instance_id: id } as never);
});

test("only an administrator of the tenant can, and only while the instance runs", async () => {
  const { id } = await waitingInstance();
  const body = { variables: { a: { value: 1 } } };
  const member = { authorization: `Bearer ${await server.token({ roles: ["member"] })}` };
  await expectProblem(await correct(id, body, member), "unauthenticated");
  const stranger = await server.token({ tenant: 2, roles: ["admin_sop"] });
  const headers = { authorization: `Bearer ${stranger}`, "x-active-tenant": "tenant-2" };
  await expectProblem(await correct(id, body, headers), "process_instance_not_found");
  for (const missing of [crypto.randomUUID(), "nonsense"])
    await expectProblem(await correct(missing, body), "process_instance_not_found");
  const unfit = { variables: { a: { value: "x", type: "Integer" } } };
  await expectProblem(await correct(id, unfit), "invalid_variable");
  await expectProblem(await correct(id, {}), "invalid_body");
  const [task] = await tasksOf(server, id);
  await completeTask(server, task?.task_id ?? "");
  await expectProblem(await correct(id, body), "instance_ended");
});

test("simultaneous corrections and completions of one instance are not lost", async () => {
  const { id } = await waitingInstance();
  const names = Array.from({ length: 20 }, (_, n) => `v${n}`);
  const answers = await Promise.all(
    names.map((name) => correct(id, { variables: variablesOf({ [name]: 1 }) })),
  );
  expect(answers.map(({ status }) => status)).toEqual(names.map(() => 204));
  expect(Object.keys(await read(id)).toSorted()).toEqual(names.toSorted());
});

test("the log has who corrected which variables, but no values", async () => {
  const { id } = await waitingInstance({ a: "1" });
  await correct(id, { variables: { a: { value: "a secret" } } });
  const line = server.logged.find((line) => line.process_instance_id === id && "names" in line);
  expect(line).toMatchObject({ tenant_id: 1, actor: "alice", names: ["a"] });
  expect(JSON.stringify(line)).not.toContain("a secret");
});
