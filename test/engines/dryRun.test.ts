/** A dry run works without the engine, but for what a deployment would say about the model. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { apiCall, end, flow, model, start } from "../support/bpmn.ts";
import { freshKey } from "../support/processes.ts";
import { startWorld, type World } from "./world.ts";

setDefaultTimeout(60_000);
let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const dryRun = async (bpmn: string) => {
  const api = await world.server.processes(world.admin);
  const variables = { amount: { value: 5 } };
  return api.dryRunProcess({ xActiveTenant: world.admin.slug, newDryRun: { bpmn, variables } });
};

test("the requests of a model are shown, and it is not deployed", async () => {
  const key = freshKey("dry");
  const call = apiCall("call", { method: "POST", url: "https://a.example/", body: '{"amount":${amount}}' });
  const bpmn = model(key, [start(), call, end(), flow("start", "call", "end")].join("\n"));
  const { faults, service_tasks } = await dryRun(bpmn);
  expect(faults).toEqual([]);
  expect(service_tasks).toMatchObject([
    { activity_id: "call", failure: null, request: { method: "POST", body: '{"amount":5}' } },
  ]);
  const path = `/api/v1/probis/process-definitions/${key}`;
  expect((await world.request(path)).status).toBe(404);
});

test("a service task with faults is a fault of the model, as in a deployment", async () => {
  const call = apiCall("call", { method: "FETCH", url: "https://a.example/" });
  const bpmn = model(freshKey("dry"), [start(), call, end(), flow("start", "call", "end")].join("\n"));
  const { faults, service_tasks } = await dryRun(bpmn);
  expect(faults).toEqual([expect.stringMatching(/"call": "method" has to be one of/)]);
  expect(service_tasks).toMatchObject([{ request: null, failure: { type: "invalid_template" } }]);
});
