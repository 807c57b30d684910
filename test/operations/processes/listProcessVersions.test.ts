import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { member } from "../../support/attachments.ts";
import { end, flow, model, start } from "../../support/bpmn.ts";
import { expectProblem } from "../../support/problem.ts";
import { deploy, freshKey } from "../../support/processes.ts";
import { startServer, type TestServer } from "../../support/server.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test("any member gets every version, newest first, in pages", async () => {
  const key = freshKey();
  for (let version = 1; version <= 3; version++)
    await deploy(server, model(key, [start(), end(), flow("start", "end")].join("\n")));
  const api = await server.processes(member());
  const of = { xActiveTenant: "tenant-1", processKey: key };
  const versions = await api.listProcessVersions(of);
  expect(versions.map(({ version }) => version)).toEqual([3, 2, 1]);
  expect(versions[0]).toEqual({
    process_key: key,
    version: 3,
    name: `Process ${key}`,
    deployed_by: "alice",
    deployed_at: expect.any(String),
  });
  expect(await api.listProcessVersions({ ...of, limit: 2, page: 1 })).toMatchObject([{ version: 1 }]);
  expect(await api.listProcessVersions({ ...of, page: 1 })).toEqual([]);
});

test("an unknown process and that of another tenant are 404", async () => {
  const key = freshKey();
  await deploy(server, model(key, [start(), end(), flow("start", "end")].join("\n")));
  const authorization = `Bearer ${await server.token({ tenant: 2 })}`;
  for (const [name, headers] of [
    ["nothing", { "x-active-tenant": "tenant-1" }],
    [key, { "x-active-tenant": "tenant-2", authorization }],
  ] as const)
    await expectProblem(
      await server.request(`/api/v1/probis/process-definitions/${name}/versions`, { headers }),
      "process_not_found",
    );
});
