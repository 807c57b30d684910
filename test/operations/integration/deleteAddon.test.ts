import { afterAll, beforeAll, expect, test } from "bun:test";
import { member } from "../../support/attachments.ts";
import { startServer, type TestServer, type TokenClaims } from "../../support/server.ts";
import { refusal } from "../../support/tables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const addons = async (by: TokenClaims = {}, xActiveTenant = `tenant-${by.tenant ?? 1}`) => {
  const api = await server.integration(by);
  return {
    put: (key: string) => api.putAddon({ key, xActiveTenant, newAddon: { url: "https://score.example/" } }),
    remove: (key: string) => api.deleteAddon({ key, xActiveTenant }),
    keys: async () => (await api.listAddons({ xActiveTenant })).addons.map(({ key }) => key),
  };
};

test("only the named addon is removed; the second time is answered 404", async () => {
  const { put, remove, keys } = await addons();
  for (const key of ["score", "Score", "scores"]) await put(key);
  await remove("score");
  expect(await keys()).toEqual(["Score", "scores"]);
  for (const key of ["score", "never"])
    expect(await refusal(remove(key))).toMatchObject({ status: 404, code: "addon_not_found" });
});

test("another tenant's addon does not exist, and members and engines cannot remove one", async () => {
  const own = await addons();
  await own.put("kept");
  const other = await addons({ tenant: 2 });
  expect(await refusal(other.remove("kept"))).toMatchObject({ status: 404, code: "addon_not_found" });
  for (const by of [member(), { roles: ["engine"] }])
    expect(await refusal((await addons(by)).remove("kept"))).toMatchObject({ status: 401 });
  const foreign = await addons({ tenant: 2 }, "tenant-1");
  expect(await refusal(foreign.remove("kept"))).toMatchObject({ status: 401 });
  expect(await own.keys()).toContain("kept");
});

test("the log says who removed what", async () => {
  const { put, remove } = await addons({ user: "dora" });
  await put("logged");
  await remove("logged");
  const lines = server.logged.filter(({ addon }) => addon === "logged");
  expect(lines.map(({ actor, msg }) => [actor, msg])).toEqual([
    ["dora", "Addon registered"],
    ["dora", "Addon removed"],
  ]);
});
