/** Incidents of Waybill's own service tasks at a remote engine, from the first failure to the completion. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Incident } from "../../../sdk/src/generated/index.ts";
import { type Answer, type Partner, startPartner } from "../../infrastructure/outbound/partner.ts";
import { apiCall, end, flow, start } from "../../support/bpmn.ts";
import { askEngine } from "../engine.ts";
import { startWorld, type World } from "../world.ts";

setDefaultTimeout(120_000);
let world: World;
let partner: Partner;
let answer: Answer;
beforeAll(async () => {
  world = await startWorld();
  partner = await startPartner((...exchange) => answer(...exchange));
});
afterAll(async () => {
  await partner.stop();
  await world.stop();
});

const refusing =
  (text: string): Answer =>
  (_, response) =>
    void response.writeHead(422, { "content-type": "text/plain" }).end(text);

const resolved = async (id: string): Promise<Incident[]> => {
  const path = `/api/v1/probis/incidents?process_instance_id=${id}&resolved=true`;
  return (await world.request(path)).json();
};

const deployCall = (path: string) => {
  const call = apiCall("call", {
    method: "POST",
    url: `http://127.0.0.1:${partner.port}${path}`,
    body: "{}",
  });
  return world.deploy([start(), call, end(), flow("start", "call", "end")]);
};

test("each incident keeps its own reason and attempt, and the last rerun completes", async () => {
  answer = refusing("the account is closed");
  const id = await world.start(await deployCall("/closed"));
  await world.reaches(id, "incident");
  const first = await world.incident(id);
  expect(first).toMatchObject({ type: "rejected", request_sent: "yes", attempt: 1, activity_id: "call" });
  expect(first.message).toContain("the account is closed");
  answer = refusing("the amount is too high");
  await world.rerun(first.incident_id);
  await world.reaches(id, "incident");
  const second = await world.incident(id);
  expect(second).toMatchObject({ type: "rejected", attempt: 2 });
  expect(second.message).toContain("the amount is too high");
  expect(await resolved(id)).toMatchObject([
    { incident_id: first.incident_id, message: first.message, attempt: 1 },
  ]);
  answer = (_, response) => void response.writeHead(200).end();
  await world.rerun(second.incident_id);
  await world.reaches(id, "completed");
  expect((await resolved(id)).map((each) => each.attempt)).toEqual([2, 1]);
  const keys = partner.received.map(
    ({ headers }) => headers.find(([name]) => name === "idempotency-key")?.[1],
  );
  expect(new Set(keys).size).toBe(3);
});

test("an incident that an operator reruns in the engine's own tools keeps its whole message", async () => {
  answer = refusing("x".repeat(2_000));
  const id = await world.start(await deployCall("/tools"));
  await world.reaches(id, "incident");
  const { incident_id, message } = await world.incident(id);
  const [incident] = await askEngine<{ configuration: string }[]>(`/incident?incidentId=${incident_id}`);
  answer = (_, response) => void response.writeHead(200).end();
  await askEngine(`/external-task/${incident?.configuration}/retries`, {
    method: "PUT",
    body: '{"retries":1}',
  });
  await world.reaches(id, "completed");
  expect(await resolved(id)).toMatchObject([{ incident_id, message, type: "rejected", attempt: 1 }]);
});
