import { afterAll, beforeAll, expect, test } from "bun:test";
import { member } from "../../support/attachments.ts";
import { startServer, type TestServer, type TokenClaims } from "../../support/server.ts";
import { refusal } from "../../support/tables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const list = async (by: TokenClaims = {}, slug = `tenant-${by.tenant ?? 1}`) =>
  (await server.integration(by)).listAddons({ xActiveTenant: slug });

test("the addons are ordered by key, each with the user who changed it last", async () => {
  const api = await server.integration();
  for (const key of ["b", "a", "Z", "a-1", "10"])
    await api.putAddon({ key, xActiveTenant: "tenant-1", newAddon: { url: `https://${key}.example/` } });
  const { addons } = await list();
  expect(addons.map(({ key }) => key)).toEqual(["10", "Z", "a", "a-1", "b"]);
  expect(addons[2]).toMatchObject({ url: "https://a.example/", updated_by: "alice" });
});

test("a tenant without addons gets an empty list, even if others have some", async () => {
  expect(await list({ tenant: 3 })).toEqual({ addons: [] });
});

test("only administrators of the tenant see them: 401", async () => {
  for (const by of [member(), { roles: ["engine"] }])
    expect(await refusal(list(by))).toMatchObject({ status: 401 });
  expect(await refusal(list({ tenant: 2 }, "tenant-1"))).toMatchObject({ status: 401 });
});
