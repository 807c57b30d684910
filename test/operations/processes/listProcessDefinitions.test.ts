import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { end, flow, model, start } from "../../support/bpmn.ts";
import { deploy } from "../../support/processes.ts";
import { startServer, type TestServer } from "../../support/server.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test("any member gets the latest version of each process of the tenant, by key", async () => {
  for (const key of ["beta", "alpha", "beta"])
    await deploy(server, model(key, [start(), end(), flow("start", "end")].join("\n")));
  const api = await server.processes({ user: "bob", roles: ["member"] });
  const { process_definitions } = await api.listProcessDefinitions({ xActiveTenant: "tenant-1" });
  expect(process_definitions).toMatchObject([
    { process_key: "alpha", version: 1, name: "Process alpha", deployed_by: "alice" },
    { process_key: "beta", version: 2 },
  ]);
  const other = await server.processes({ tenant: 2 });
  expect(await other.listProcessDefinitions({ xActiveTenant: "tenant-2" })).toEqual({
    process_definitions: [],
  });
});
