/** The table that a deployment creates is for reports. The table builder does not see it. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { end, flow, model, start, userTask } from "../support/bpmn.ts";
import { deploy, freshKey, startInstance } from "../support/processes.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { rowsPath, send } from "../support/tables.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const waiting = (key: string) =>
  model(key, [start(), userTask("a"), end(), flow("start", "a", "end")].join("\n"));

async function reported(processDefinitionKey: string): Promise<string[]> {
  const api = await server.reports();
  const { data } = await api.listReportInstances({ tenantId: 1, processDefinitionKey });
  return data.instances.map(({ process_instance_id }) => process_instance_id);
}

test("the table builder cannot change its rows", async () => {
  const key = freshKey("loan");
  await deploy(server, waiting(key));
  const { process_instance_id: instance } = await startInstance(server, key);
  const path = rowsPath(`trx_${key}`);
  const where = { process_instance_id: instance };
  const attempts: [string, unknown][] = [
    [`POST ${path}`, { rows: [{ process_instance_id: crypto.randomUUID() }] }],
    [`PATCH ${path}`, { where, set: { state: "completed" } }],
    [`DELETE ${path}`, { where }],
  ];
  for (const [request, body] of attempts)
    expect(await send(server, request, { body })).toMatchObject({ status: 404, code: "table_not_found" });
  expect(await reported(key)).toEqual([instance]);
});

test("process keys that differ in case or contain a dot have separate tables", async () => {
  const key = freshKey("Loan.v-");
  for (const one of [key, key.toLowerCase()]) await deploy(server, waiting(one));
  const { process_instance_id: instance } = await startInstance(server, key);
  expect(await reported(key)).toEqual([instance]);
  expect(await reported(key.toLowerCase())).toEqual([]);
});
