import { afterAll, beforeAll, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { sweepOnce } from "../../../src/files/maintenance/sweep.ts";
import { freshUser } from "../../support/attachments.ts";
import { expectProblem } from "../../support/problem.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { send } from "../../support/tables.ts";

const secret = "one secret that both of the servers share";
let server: TestServer;
let other: TestServer;
beforeAll(async () => {
  server = await startServer({ secret });
  other = await startServer({ secret, database: server.database });
});
afterAll(async () => {
  await other.stop();
  await server.stop();
});

const path = "POST /api/v1/probis/tokens/revocations";
const named = { "x-active-tenant": "tenant-1" };
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

const jtiOf = (token: string) => decodeJwt(token).jti ?? "";
const revoke = (body: object, { headers = named, to = server }: { headers?: object; to?: TestServer } = {}) =>
  send(to, path, { body, headers: { ...headers } });

/** The status of a request with the token. */
async function statusOf(token: string, { to = server, tenant = 1 } = {}): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${to.url}/api/v1/report/${tenant}/schema/tables`, { headers })).status;
}

/** Waits until the token gets a status. Returns how many seconds that took. */
async function secondsUntil(status: number, token: string, to: TestServer): Promise<number> {
  const begun = performance.now();
  while ((await statusOf(token, { to })) !== status && performance.now() - begun < 20_000)
    await Bun.sleep(50);
  return (performance.now() - begun) / 1_000;
}

const audited = (jti: string) =>
  server.sql`select actor, action, outcome, affected_rows::int from tenant_1._audit
             where statement like ${`%${jti}%`} order by id`;

test("a revoked token is refused at once by this process, and by others within five seconds", async () => {
  const [lost, kept] = [await server.token(), await server.token()];
  for (const to of [server, other]) expect(await statusOf(lost, { to })).toBe(200);
  const revocation = await (await server.tokens()).revokeToken({
    xActiveTenant: "tenant-1",
    newRevocation: { jti: jtiOf(lost), expires_at: inAnHour() },
  });
  expect(revocation).toMatchObject({ jti: jtiOf(lost), revoked_by: "alice" });
  expect(await statusOf(lost)).toBe(401);
  // Half a second more for the request itself on a busy machine.
  expect(await secondsUntil(401, lost, other)).toBeLessThan(5.5);
  for (const to of [server, other]) expect(await statusOf(kept, { to })).toBe(200);
});

test("a process that starts later refuses it from its first request on", async () => {
  const lost = await server.token();
  expect(await revoke({ jti: jtiOf(lost) })).toMatchObject({ status: 200 });
  const late = await startServer({ secret, database: server.database });
  expect(await statusOf(lost, { to: late })).toBe(401);
  await late.stop();
});

test("a revoked token gets the same answer as any invalid token", async () => {
  const lost = await server.token();
  await revoke({ jti: jtiOf(lost) });
  const ask = async (authorization: string) => {
    const response = await fetch(`${server.url}/api/v1/report/1/schema/tables`, {
      headers: { authorization },
    });
    return (await response.text()).replace(/"request_id":"[^"]+"/, "");
  };
  expect(await ask(`Bearer ${lost}`)).toBe(await ask("Bearer abc.def.ghi"));
});

test("a revocation holds only in the administrator's tenant", async () => {
  const tenants = [1, 2].map((id) => ({ id, slug: `tenant-${id}`, roles: ["admin_sop"] }));
  const both = await server.deps.accessTokens.sign({ sub: freshUser(), tenants }, { ttlSeconds: 60 });
  expect([await statusOf(both), await statusOf(both, { tenant: 2 })]).toEqual([200, 200]);
  expect(await revoke({ jti: jtiOf(both) })).toMatchObject({ status: 200 });
  expect([await statusOf(both), await statusOf(both, { tenant: 2 })]).toEqual([401, 200]);

  const ours = await server.token();
  const elsewhere = await server.tokens({ tenant: 2 });
  await elsewhere.revokeToken({ xActiveTenant: "tenant-2", newRevocation: { jti: jtiOf(ours) } });
  expect(await statusOf(ours)).toBe(200);
});

test("only administrators of the tenant can revoke tokens", async () => {
  const token = await server.token();
  for (const claims of [{ roles: ["member"] }, { roles: ["engine"] }, { roles: [] }, { tenant: 2 }]) {
    const headers = { ...named, authorization: `Bearer ${await server.token(claims)}` };
    expect(await revoke({ jti: jtiOf(token) }, { headers })).toMatchObject({ status: 401 });
  }
  expect(await statusOf(token)).toBe(200);
  expect(await audited(jtiOf(token))).toHaveLength(0);
});

test("an administrator may revoke the token of the request itself", async () => {
  const own = await server.token();
  const headers = { ...named, authorization: `Bearer ${own}` };
  expect(await revoke({ jti: jtiOf(own) }, { headers })).toMatchObject({ status: 200 });
  expect(await revoke({ jti: jtiOf(own) }, { headers })).toMatchObject({ status: 401 });
});

test("repeating it can extend a revocation, but not shorten it", async () => {
  const jti = crypto.randomUUID();
  const [soon, later] = [inAnHour(), new Date(Date.now() + 7_200_000).toISOString()];
  const first = await revoke({ jti, expires_at: soon });
  expect(first.status).toBe(200);
  expect(Date.parse(first.body.expires_at)).toBe(Date.parse(soon));
  const headers = { ...named, authorization: `Bearer ${await server.token({ user: "bob" })}` };
  expect((await revoke({ jti, expires_at: soon }, { headers })).body).toEqual(first.body);
  const extended = (await revoke({ jti, expires_at: later })).body;
  expect(Date.parse(extended.expires_at)).toBe(Date.parse(later));
  expect((await revoke({ jti, expires_at: soon })).body).toEqual(extended);
  expect((await revoke({ jti })).body).toEqual({ ...extended, expires_at: null });
  expect((await revoke({ jti, expires_at: later })).body.expires_at).toBeNull();
  const simultaneous = await Promise.all(Array.from({ length: 10 }, () => revoke({ jti })));
  expect(simultaneous.map(({ status }) => status)).toEqual(Array(10).fill(200));
});

test("the audit trail has each revocation and each refused one", async () => {
  const jti = crypto.randomUUID();
  await revoke({ jti });
  await revoke({ jti });
  const record = { actor: "alice", action: "revoke_token", outcome: "success" };
  expect([...(await audited(jti))]).toEqual([
    { ...record, affected_rows: 1 },
    { ...record, affected_rows: 0 },
  ]);
  const refused = await revoke({ jti: "" });
  const [failure] = await server.sql`
    select action, outcome from tenant_1._audit where request_id = ${refused.headers.get("x-request-id")}`;
  expect(failure).toEqual({ action: "revoke_token", outcome: "failure" });
});

test.each([
  ["nothing", {}, "/jti"],
  ["an empty jti", { jti: "" }, "/jti"],
  ["a jti that cannot be stored", { jti: "a\0b" }, ""],
  ["a jti of 256 characters", { jti: "a".repeat(256) }, "/jti"],
  ["a number", { jti: 7 }, "/jti"],
  ["no moment", { jti: "a", expires_at: "tomorrow" }, "/expires_at"],
  ["a day that the calendar lacks", { jti: "a", expires_at: "2099-02-30T00:00:00Z" }, "/expires_at"],
  [
    "a moment of 100,000 digits",
    { jti: "a", expires_at: `2099-01-01T00:00:00.${"1".repeat(100_000)}Z` },
    "/expires_at",
  ],
  ["a tenant of one's own choice", { jti: "a", tenant_id: 2 }, "/tenant_id"],
])("a body that breaks the contract is answered 400: %s", async (_what, body, pointer) => {
  const answer = await revoke(body);
  expect(answer).toMatchObject({ status: 400, code: "invalid_body" });
  if (pointer) expect(answer.pointers).toContain(pointer);
});

test("an unknown token or one with a numeric jti can be revoked", async () => {
  expect(await revoke({ jti: "never seen" })).toMatchObject({ status: 200 });
  const tenants = [{ id: 1, slug: "tenant-1", roles: ["admin_sop"] }];
  const { SignJWT } = await import("jose");
  const exp = Math.floor(Date.now() / 1_000) + 60;
  const token = await new SignJWT({ sub: "alice", tenants, jti: 4711 as never, exp })
    .setProtectedHeader({ alg: "HS256" })
    .sign(new TextEncoder().encode(secret));
  expect(await statusOf(token)).toBe(200);
  expect(await revoke({ jti: "4711" })).toMatchObject({ status: 200 });
  expect(await statusOf(token)).toBe(401);
});

test("a tenant has at most 10,000 unexpired revocations; expired ones are swept", async () => {
  const { sql } = server;
  const headers = {
    "x-active-tenant": "tenant-9",
    authorization: `Bearer ${await server.token({ tenant: 9 })}`,
  };
  expect(await revoke({ jti: "first" }, { headers })).toMatchObject({ status: 200 });
  await sql`insert into waybill.revoked_tokens (tenant_id, jti, revoked_by, expires_at)
            select 9, 'filler ' || n, 'alice', now() + interval '1 hour' from generate_series(1, 9999) n`;
  const full = await revoke({ jti: "one too many" }, { headers });
  expect(full).toMatchObject({ status: 409, code: "too_many_revocations" });
  expect(await revoke({ jti: "first" }, { headers })).toMatchObject({ status: 200 });
  expect(await revoke({ jti: "of another tenant" })).toMatchObject({ status: 200 });

  await sql`update waybill.revoked_tokens set expires_at = now() - interval '1 second' where jti like 'filler %'`;
  expect(await revoke({ jti: "now there is room" }, { headers })).toMatchObject({ status: 200 });
  await sweepOnce(server.deps);
  const [left] = await sql`select count(*)::int as count from waybill.revoked_tokens where tenant_id = 9`;
  expect(left).toEqual({ count: 2 });
});

test("requests check it without the database, on data that is at most five seconds old", async () => {
  const alone = await startServer();
  const token = await alone.token();
  expect(await statusOf(token, { to: alone })).toBe(200);
  await alone.sql`alter table waybill.revoked_tokens rename to away`;
  const statuses = await Promise.all(Array.from({ length: 20 }, () => statusOf(token, { to: alone })));
  expect(statuses).toEqual(Array(20).fill(200));
  const seconds = await secondsUntil(500, token, alone);
  expect(seconds).toBeWithin(1, 6);
  await alone.sql`alter table waybill.away rename to revoked_tokens`;
  expect(await statusOf(token, { to: alone })).toBe(200);
  await alone.stop();
});

test("every token that Waybill signs has a jti", async () => {
  const ids = await Promise.all([1, 2, 3].map(async () => jtiOf(await server.token())));
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
  await expectProblem(await server.request("/api/v1/probis/tokens/revocations"), "method_not_allowed");
});

test("the revocation of an expired token is accepted and deleted by the next sweep", async () => {
  const answer = await revoke({ jti: "long over", expires_at: "2020-01-01T00:00:00Z" });
  expect(answer).toMatchObject({ status: 200, body: { expires_at: "2020-01-01T00:00:00.000000Z" } });
  await sweepOnce(server.deps);
  const rows = await server.sql`select from waybill.revoked_tokens where jti = 'long over'`;
  expect(rows.length).toBe(0);
});
