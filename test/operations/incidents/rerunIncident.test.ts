/** Rerunning a service task: by a person, once for each incident, with the next attempt number. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { ResponseError } from "../../../sdk/src/generated/index.ts";
import { type Partner, startPartner } from "../../infrastructure/outbound/partner.ts";
import { upload } from "../../support/attachments.ts";
import { oneCall } from "../../support/bpmn.ts";
import { expectProblem } from "../../support/problem.ts";
import {
  allowLoopback,
  deploy,
  freshKey,
  incidentOf,
  reaches,
  rerun,
  startInstance,
} from "../../support/processes.ts";
import { startServer, type TestServer } from "../../support/server.ts";

setDefaultTimeout(60_000);
let server: TestServer;
let partner: Partner;
let status = 500;
beforeAll(async () => {
  server = await startServer({ environment: allowLoopback });
  partner = await startPartner((_request, response) => void response.writeHead(status).end());
});
afterAll(async () => {
  await partner.stop();
  await server.stop();
});

async function fail(): Promise<{ id: string; incident: string }> {
  status = 500;
  const key = freshKey();
  const url = `http://127.0.0.1:${partner.port}/`;
  await deploy(server, oneCall(key, { method: "POST", url, body: '{"card":"${card}"}' }));
  const card = JSON.stringify(await upload(server));
  const { process_instance_id: id } = await startInstance(server, key, { variables: { card } });
  return { id, incident: (await incidentOf(server, id)).incident_id };
}

const send = async (id: string, claims = {}, tenant = "tenant-1") =>
  server.request(`/api/v1/probis/incidents/${id}/rerun`, {
    method: "POST",
    headers: { "x-active-tenant": tenant, authorization: `Bearer ${await server.token(claims)}` },
  });

const keysOf = (id: string) =>
  partner.received
    .flatMap(({ headers }) => headers)
    .filter(([name, value]) => name === "idempotency-key" && value.startsWith(id))
    .map(([, value]) => value);

test("a rerun sends again, and its failure is a new incident", async () => {
  const { id, incident } = await fail();
  const answer = await send(incident);
  expect(answer.status).toBe(202);
  expect(await answer.json()).toEqual({ incident_id: incident, process_instance_id: id });
  for (let left = 200; keysOf(id).length < 2; left--) {
    if (left === 0) throw new Error("it was not sent again");
    await Bun.sleep(20);
  }
  const second = await incidentOf(server, id);
  expect(second.incident_id).not.toBe(incident);
  expect(second.attempt).toBe(2);
  status = 200;
  await rerun(server, second.incident_id);
  await reaches(server, id, "completed");
  expect(keysOf(id)).toEqual([`${id}:call:1`, `${id}:call:2`, `${id}:call:3`]);
});

test("if an incident is rerun many times at the same time, one rerun sends", async () => {
  const { id, incident } = await fail();
  status = 200;
  const answers = await Promise.all(Array.from({ length: 8 }, () => send(incident)));
  expect(answers.map((answer) => answer.status).sort()).toEqual([202, ...Array(7).fill(409)]);
  await reaches(server, id, "completed");
  expect(keysOf(id)).toHaveLength(2);
  await expectProblem(await send(incident), "incident_resolved");
});

test("only administrators of its tenant can rerun; an unknown incident is a 404", async () => {
  const { incident } = await fail();
  await expectProblem(await send(incident, { roles: ["member"] }), "unauthenticated");
  await expectProblem(await send(incident, { tenant: 2 }, "tenant-2"), "incident_not_found");
  await expectProblem(await send("nonsense"), "incident_not_found");
  await expectProblem(await send(crypto.randomUUID()), "incident_not_found");
});

test("simultaneous reruns, corrections and terminations do not deadlock", async () => {
  const api = await server.processes();
  for (let round = 0; round < 10; round++) {
    const { id, incident } = await fail();
    const instance = { xActiveTenant: "tenant-1", processInstanceId: id };
    const variableCorrections = { variables: { amount: { value: round } } };
    const outcomes = await Promise.allSettled([
      send(incident).then(({ status: answered }) => answered),
      api.terminateProcessInstance(instance).then(() => 204),
      api.setProcessVariables({ ...instance, variableCorrections }).then(() => 204),
    ]);
    const statuses = outcomes.map((outcome) =>
      outcome.status === "fulfilled" ? outcome.value : (outcome.reason as ResponseError).response.status,
    );
    expect(statuses.filter((answered) => ![202, 204, 409].includes(answered))).toEqual([]);
  }
});

test("the log has who reran an incident", async () => {
  const { incident } = await fail();
  await send(incident);
  const line = server.logged.find(
    ({ msg, incident_id }) => msg === "Incident rerun" && incident_id === incident,
  );
  expect(line).toMatchObject({ tenant_id: 1, actor: "alice", level: "info" });
});
