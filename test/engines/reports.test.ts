/** Reports: every instance of a process, running and ended, with its variables. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { upload } from "../support/attachments.ts";
import { apiCall, end, flow, start, userTask } from "../support/bpmn.ts";
import { expectProblem } from "../support/problem.ts";
import { startWorld, type World } from "./world.ts";

setDefaultTimeout(60_000);
let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const path = (key: string, tenant = 1) => `/api/v1/report/${tenant}/processes/${key}/instances`;
const waits = [start(), userTask("a"), end(), flow("start", "a", "end")];

async function report(key: string, page?: { page: number; limit: number }) {
  const api = await world.server.reports(world.admin);
  return (await api.listReportInstances({ tenantId: 1, processDefinitionKey: key, ...page })).data;
}

test("instances with their variables, newest first, in pages and with a total", async () => {
  const key = await world.deploy(waits);
  const card = await upload(world.server, { by: world.admin });
  const first = await world.start(key, { card: JSON.stringify(card) });
  await world.complete((await world.task(first)).task_id, { approved: true });
  await world.deploy(waits, { key });
  const old = { value: "aGVsbG8=", type: "File", valueInfo: { filename: "a.txt" } };
  const second = await world.start(key, { old }, world.member("jane"));
  const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)$/);
  const value = `/api/v1/probis/form-attachments/${card.attachment_id}/download`;
  expect(await report(key)).toMatchObject({
    page: 0,
    limit: 50,
    total: 2,
    instances: [
      {
        process_instance_id: second,
        version: 2,
        state: "active",
        started_by: "jane",
        started_at: moment,
        ended_at: null,
        variables: {
          old: { type: "File", value: `/${key}/download/${second}/old`, filename: "a.txt", size: 5 },
        },
      },
      {
        process_instance_id: first,
        version: 1,
        state: "completed",
        started_by: "alice",
        ended_at: moment,
        variables: {
          approved: { type: "Boolean", value: true },
          card: { type: "String", value, filename: "pillow.png" },
        },
      },
    ],
  });
  const page = await report(key, { page: 1, limit: 1 });
  expect(page.instances.map(({ process_instance_id }) => process_instance_id)).toEqual([first]);
  expect(page.total).toBe(2);
  expect((await report(key, { page: 2, limit: 1 })).instances).toEqual([]);
});

test("a report shows an instance as active, with an incident too, as terminated or as completed", async () => {
  const call = apiCall("call", { method: "POST", url: "http://169.254.169.254/", body: "{}" });
  const failing = await world.deploy([start(), call, end(), flow("start", "call", "end")]);
  const failed = await world.start(failing);
  await world.incident(failed);
  expect((await report(failing)).instances).toMatchObject([{ process_instance_id: failed, state: "active" }]);
  const at = `/api/v1/probis/process-instances/${failed}`;
  await world.request(at, { method: "DELETE" });
  expect((await report(failing)).instances).toMatchObject([
    { process_instance_id: failed, state: "terminated", ended_at: expect.any(String) },
  ]);
  const key = await world.deploy([start(), end(), flow("start", "end")]);
  await world.start(key, { a: 1 });
  expect((await report(key)).instances).toMatchObject([
    { state: "completed", variables: { a: { type: "Integer", value: 1 } } },
  ]);
});

test("numbers keep every digit", async () => {
  const key = await world.deploy(waits);
  const body = `{"process_key":"${key}","variables":{"n":{"value":9223372036854775807,"type":"Long"}}}`;
  await world.request("/api/v1/probis/process-instances", { method: "POST", body });
  const text = await (await world.request(path(key))).text();
  expect(text).toContain('"value":9223372036854775807');
});

test("a process without instances has an empty page", async () => {
  expect(await report(await world.deploy(waits))).toMatchObject({ total: 0, instances: [] });
});

test("only for administrators; a process that is not deployed in the tenant is a 404", async () => {
  const key = await world.deploy(waits);
  await expectProblem(await world.request(path("nothing")), "process_not_found");
  await expectProblem(await world.request(path(encodeURIComponent('x" --'))), "process_not_found");
  await expectProblem(await world.request(path(key), { by: world.member() }), "unauthenticated");
  await expectProblem(await world.request(path(key, 2)), "unauthenticated");
  await expectProblem(await world.request(path(key, 2), { by: world.stranger }), "process_not_found");
});
