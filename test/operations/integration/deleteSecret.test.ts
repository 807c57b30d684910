import { afterAll, beforeAll, expect, test } from "bun:test";
import { member } from "../../support/attachments.ts";
import { startServer, type TestServer, type TokenClaims } from "../../support/server.ts";
import { refusal } from "../../support/tables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const secrets = async (by: TokenClaims = {}, xActiveTenant = `tenant-${by.tenant ?? 1}`) => {
  const api = await server.integration(by);
  return {
    put: (name: string) => api.putSecret({ name, xActiveTenant, newSecret: { value: "value" } }),
    remove: (name: string) => api.deleteSecret({ name, xActiveTenant }),
    names: async () => (await api.listSecrets({ xActiveTenant })).secrets.map(({ name }) => name),
  };
};

test("only the named secret is deleted, then answered 404, and the audit trail has both", async () => {
  const { put, remove, names } = await secrets();
  for (const name of ["core", "Core", "cores"]) await put(name);
  await remove("core");
  expect(await names()).toEqual(["Core", "cores"]);
  for (const name of ["core", "never"])
    expect(await refusal(remove(name))).toMatchObject({ status: 404, code: "secret_not_found" });
  const trail = await server.sql`
    select outcome, statement from tenant_1._audit where action = 'delete_secret' order by id`;
  expect(trail.map(({ outcome }) => outcome)).toEqual(["success", "failure", "failure"]);
  expect(trail[0]).toMatchObject({ statement: 'delete secret "core"' });
});

test("another tenant's secret does not exist, and members and engines cannot delete one", async () => {
  const own = await secrets();
  await own.put("kept");
  const other = await secrets({ tenant: 2 });
  expect(await refusal(other.remove("kept"))).toMatchObject({ status: 404, code: "secret_not_found" });
  for (const by of [member(), { roles: ["engine"] }])
    expect(await refusal((await secrets(by)).remove("kept"))).toMatchObject({ status: 401 });
  const foreign = await secrets({ tenant: 2 }, "tenant-1");
  expect(await refusal(foreign.remove("kept"))).toMatchObject({ status: 401 });
  expect(await own.names()).toContain("kept");
});
