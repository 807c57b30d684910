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
  (await server.integration(by)).listSecrets({ xActiveTenant: slug });

test("the secrets are ordered by name, each with the user who set it last, without values", async () => {
  const api = await server.integration();
  for (const name of ["b", "a", "Z"])
    await api.putSecret({ name, xActiveTenant: "tenant-1", newSecret: { value: `value-of-${name}` } });
  const answer = await list();
  expect(answer.secrets.map(({ name }) => name)).toEqual(["Z", "a", "b"]);
  for (const secret of answer.secrets)
    expect(Object.keys(secret).toSorted()).toEqual(["name", "updated_at", "updated_by"]);
  expect(JSON.stringify(answer)).not.toContain("value-of");
});

test("a tenant without secrets gets an empty list, even if others have some", async () => {
  expect(await list({ tenant: 3 })).toEqual({ secrets: [] });
});

test("only administrators of the tenant see their names: 401", async () => {
  for (const by of [member(), { roles: ["engine"] }])
    expect(await refusal(list(by))).toMatchObject({ status: 401 });
  expect(await refusal(list({ tenant: 2 }, "tenant-1"))).toMatchObject({ status: 401 });
});
