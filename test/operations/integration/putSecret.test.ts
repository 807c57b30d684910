import { afterAll, beforeAll, expect, test } from "bun:test";
import { member } from "../../support/attachments.ts";
import { expectProblem } from "../../support/problem.ts";
import { startServer, type TestServer, type TokenClaims } from "../../support/server.ts";
import { refusal } from "../../support/tables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const put = async (name: string, value: string, by: TokenClaims = {}) =>
  (await server.integration(by)).putSecret({
    name,
    xActiveTenant: `tenant-${by.tenant ?? 1}`,
    newSecret: { value },
  });

test("a secret's value is never answered, logged or stored in plain text", async () => {
  const value = "Bearer 4f6c-änd-more";
  expect(await put("core", value)).toEqual({
    name: "core",
    updated_by: "alice",
    updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
  });
  const rows = await server.sql<{ row: string; sealed: Uint8Array }[]>`
    select s::text as row, sealed from waybill.tenant_secrets s where name = 'core'`;
  expect(rows).toHaveLength(1);
  expect(Buffer.from(rows[0]?.sealed ?? []).includes("4f6c")).toBe(false);
  const trail = await server.sql`select * from tenant_1._audit where action = 'put_secret'`;
  expect(trail).toHaveLength(1);
  expect(trail[0]).toMatchObject({ actor: "alice", outcome: "success", statement: 'put secret "core"' });
  expect(JSON.stringify([rows[0]?.row, trail, server.logged])).not.toContain("4f6c");
});

test("setting it again replaces the value, and equal values are sealed differently", async () => {
  const sealed = async () =>
    (
      await server.sql<{ sealed: string }[]>`
      select encode(sealed, 'hex') as sealed from waybill.tenant_secrets where name = 'twice'`
    )[0]?.sealed;
  await put("twice", "the same");
  const first = await sealed();
  expect(await put("twice", "the same", { user: "carol" })).toMatchObject({ updated_by: "carol" });
  expect(await sealed()).not.toBe(first as string);
});

test.each([
  ["nothing", ""],
  ["more than 8,192 bytes", "é".repeat(4_097)],
  ["U+0000", "a\0b"],
  ["half of a surrogate pair", "a\ud800"],
])("an invalid value is answered 400 without repeating it: %s", async (_what, value) => {
  const answer = await refusal(put("refused", value));
  expect(answer).toMatchObject({ status: 400 });
  expect(JSON.stringify(answer)).not.toContain("éééé");
});

test("a value may have 8,192 bytes", async () => {
  expect(await put("long", "é".repeat(4_096))).toMatchObject({ name: "long" });
});

test.each(["a b", ".hidden", "-x", "x".repeat(101), "é"])(
  "a name that no placeholder can have is answered 400: %s",
  async (name) => {
    expect(await refusal(put(name, "value"))).toMatchObject({ status: 400 });
  },
);

test("members, engines and other tenants' administrators cannot set one: 401", async () => {
  for (const by of [member(), { roles: ["engine"] }])
    expect(await refusal(put("foreign", "value", by))).toMatchObject({ status: 401 });
  const api = await server.integration({ tenant: 2 });
  const call = api.putSecret({ name: "foreign", xActiveTenant: "tenant-1", newSecret: { value: "x" } });
  expect(await refusal(call)).toMatchObject({ status: 401 });
});

test("a tenant has at most 100 secrets, which can still be replaced", async () => {
  const by = { tenant: 3 };
  const names = Array.from({ length: 110 }, (_, n) => `secret-${n}`);
  const results = await Promise.allSettled(names.map((name) => put(name, "value", by)));
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(100);
  const refused = names[results.findIndex(({ status }) => status === "rejected")] ?? "";
  expect(await refusal(put(refused, "value", by))).toMatchObject({ status: 409, code: "too_many_secrets" });
  const kept = names[results.findIndex(({ status }) => status === "fulfilled")] ?? "";
  expect(await put(kept, "another", by)).toMatchObject({ name: kept });
});

test("without SECRETS_KEY the operations are answered 501", async () => {
  const without = await startServer({ environment: { SECRETS_KEY: "" } });
  try {
    const headers = { "x-active-tenant": "tenant-1" };
    const path = "/api/v1/integration/secrets";
    const body = '{"value":"x"}';
    await expectProblem(
      await without.request(`${path}/a`, { method: "PUT", headers, body }),
      "not_configured",
    );
    await expectProblem(await without.request(`${path}/a`, { method: "DELETE", headers }), "not_configured");
    await expectProblem(await without.request(path, { headers }), "not_configured");
  } finally {
    await without.stop();
  }
});
