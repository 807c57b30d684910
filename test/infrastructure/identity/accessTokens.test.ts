/** Access tokens that are signed with the shared secret: which are accepted, and that all refusals look the same. */
import { afterAll, afterEach, beforeAll, expect, setSystemTime, test } from "bun:test";
import { generateKeyPair, type JWTPayload, UnsecuredJWT } from "jose";
import { createAccessTokens } from "../../../src/infrastructure/identity/accessTokens.ts";
import { expectProblem } from "../../support/problem.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { claims, signed, tablesPath } from "./signing.ts";

const secret = "a secret of at least thirty-two characters";
const key = new TextEncoder().encode(secret);
let server: TestServer;

beforeAll(async () => {
  const now = () => new Date();
  const accessTokens = createAccessTokens({
    keys: { kind: "secret", secret },
    issuer: "https://platform.example",
    audience: "waybill",
    fetch,
    now,
  });
  server = await startServer({ deps: { accessTokens, now } });
});
afterAll(() => server.stop());
afterEach(() => {
  setSystemTime();
});

const platform = { iss: "https://platform.example", aud: "waybill" };
const hs256 = (over: JWTPayload = {}) => signed(claims({ ...platform, ...over }), "HS256", { key });
const ask = (authorization: string, path = tablesPath) =>
  fetch(`${server.url}${path}`, { headers: { authorization } });
const status = async (token: string, path?: string) => (await ask(`Bearer ${token}`, path)).status;
const epoch = () => Math.floor(Date.now() / 1000);

test("a token of the platform is accepted", async () => {
  expect(await status(await hs256())).toBe(200);
  expect(await status(await hs256({ aud: ["other", "waybill"], iat: epoch(), name: "Alice" }))).toBe(200);
});

test("a token may name groups", async () => {
  for (const groups of [[], ["clerks", "x".repeat(255), "Zoë"], Array(1_000).fill("a")])
    expect(await status(await hs256({ tenants: [{ ...tenant, groups }] }))).toBe(200);
});

test("the scheme may be written in any case", async () => {
  for (const scheme of ["bearer", "BEARER", "Bearer "])
    expect((await ask(`${scheme} ${await hs256()}`)).status).toBe(200);
});

const tenant = { id: 1, slug: "tenant-1", roles: ["admin_sop"] };

const refusals: Record<string, () => Promise<string> | string> = {
  "no token": () => "",
  "only the scheme": () => "Bearer",
  "another scheme": async () => `Basic ${await hs256()}`,
  "no scheme": () => hs256(),
  "two tokens": async () => `Bearer ${await hs256()}, Bearer ${await hs256()}`,
  "not a JWT": () => "Bearer abc.def.ghi",
  "a token of 100 KB": () => `Bearer ${"a".repeat(12_000)}`,
  "a wrong secret": async () =>
    `Bearer ${await signed(claims(platform), "HS256", { key: new TextEncoder().encode(`${secret}!`) })}`,
  "a changed payload": async () => {
    const [header, , signature] = (await hs256()).split(".");
    const payload = Buffer.from(JSON.stringify(claims({ ...platform, sub: "mallory" }))).toString(
      "base64url",
    );
    return `Bearer ${header}.${payload}.${signature}`;
  },
  "a cut signature": async () => `Bearer ${(await hs256()).slice(0, -2)}`,
  "alg none": () => `Bearer ${new UnsecuredJWT(claims(platform)).encode()}`,
  HS384: async () => `Bearer ${await signed(claims(platform), "HS384", { key })}`,
  HS512: async () => `Bearer ${await signed(claims(platform), "HS512", { key })}`,
  RS256: async () =>
    `Bearer ${await signed(claims(platform), "RS256", { key: (await generateKeyPair("RS256")).privateKey })}`,
  "no exp": () => bearer({ exp: undefined }),
  "expired an hour ago": () => bearer({ exp: epoch() - 3600 }),
  "expired this second": () => bearer({ exp: epoch() }),
  "an exp that is text": () => bearer({ exp: "tomorrow" as never }),
  "not valid yet": () => bearer({ nbf: epoch() + 60 }),
  "another issuer": () => bearer({ iss: "https://platform.example/" }),
  "no issuer": () => bearer({ iss: undefined }),
  "another audience": () => bearer({ aud: "waybill2" }),
  "no audience": () => bearer({ aud: undefined }),
  "no sub": () => bearer({ sub: undefined }),
  "an empty sub": () => bearer({ sub: "" }),
  "a sub that cannot be stored": () => bearer({ sub: "a\0b" }),
  "no tenants": () => bearer({ tenants: undefined }),
  "an empty list of tenants": () => bearer({ tenants: [] }),
  "tenants of another shape": () => bearer({ tenants: { 1: ["admin_sop"] } }),
  "a tenant id that is text": () => bearer({ tenants: [{ ...tenant, id: "1" }] }),
  "no roles": () => bearer({ tenants: [{ ...tenant, roles: [] }] }),
  "groups that are one text": () => bearer({ tenants: [{ ...tenant, groups: "clerks" }] }),
  "groups that are null": () => bearer({ tenants: [{ ...tenant, groups: null }] }),
  "a group that is a number": () => bearer({ tenants: [{ ...tenant, groups: ["clerks", 7] }] }),
  "an empty group": () => bearer({ tenants: [{ ...tenant, groups: [""] }] }),
  "a group of 256 characters": () => bearer({ tenants: [{ ...tenant, groups: ["x".repeat(256)] }] }),
  "a group with U+0000": () => bearer({ tenants: [{ ...tenant, groups: ["a\0b"] }] }),
  "1,001 groups": () => bearer({ tenants: [{ ...tenant, groups: Array(1_001).fill("a") }] }),
  "malformed groups of another tenant": () =>
    bearer({ tenants: [tenant, { id: 2, slug: "tenant-2", roles: ["member"], groups: [null] }] }),
  "a member": () => bearer({ tenants: [{ ...tenant, roles: ["member"] }] }),
  "an engine": () => bearer({ tenants: [{ ...tenant, roles: ["engine"] }] }),
  "a role in another case": () => bearer({ tenants: [{ ...tenant, roles: ["ADMIN_SOP"] }] }),
  "an administrator of another tenant": () => bearer({ tenants: [{ ...tenant, id: 2, slug: "tenant-2" }] }),
  "a member here, an administrator elsewhere": () =>
    bearer({
      tenants: [
        { ...tenant, roles: ["member"] },
        { ...tenant, id: 2, slug: "tenant-2" },
      ],
    }),
};

const bearer = async (over: JWTPayload) => `Bearer ${await hs256(over)}`;

/** The whole answer, except for what always differs. */
async function remainder(response: Response): Promise<string> {
  const headers = [...response.headers].filter(([name]) => !["date", "x-request-id"].includes(name));
  const body = (await response.text()).replace(/"request_id":"[^"]+"/, "");
  return JSON.stringify([response.status, headers, body]);
}

test.each(Object.entries(refusals))("refused with 401: %s", async (_what, authorization) => {
  const response = await ask(await authorization());
  expect(response.headers.get("www-authenticate")).toBe("Bearer");
  await expectProblem(response, "unauthenticated");
});

test("all refusals have exactly the same bytes, whatever the operation", async () => {
  const seen = new Set<string>();
  for (const authorization of Object.values(refusals))
    seen.add(await remainder(await ask(await authorization())));
  seen.add(await remainder(await ask("", `${tablesPath}/customers`)));
  seen.add(await remainder(await ask("", "/api/v1/report/999/schema/tables")));
  expect(seen.size).toBe(1);
});

test("a token ends at the second of its exp, even if it is remembered", async () => {
  const start = epoch();
  const token = await hs256({ exp: start + 10 });
  setSystemTime(new Date((start + 9) * 1000 + 999));
  expect(await status(token)).toBe(200);
  setSystemTime(new Date((start + 10) * 1000));
  expect(await status(token)).toBe(401);
});

test.each([
  "01",
  "1.0",
  "%201",
  "1%20",
  "+1",
  "-1",
  "0",
  "0x1",
  "1e0",
  "९",
  "1a",
  "9".repeat(400),
  "__proto__",
])("a tenant id in the path that is spelled differently from the token's number gets 401: %s", async (id) => {
  const response = await ask(await bearer({}), `/api/v1/report/${id}/schema/tables`);
  await expectProblem(response, "unauthenticated");
});

test("the largest tenant id that JSON holds exactly works; the next one is refused", async () => {
  const largest = Number.MAX_SAFE_INTEGER;
  const token = (id: number) => hs256({ tenants: [{ id, slug: `tenant-${id}`, roles: ["admin_sop"] }] });
  expect(await status(await token(largest), `/api/v1/report/${largest}/schema/tables`)).toBe(200);
  const next = "9007199254740992";
  expect([400, 401]).toContain(
    await status(await token(Number(next)), `/api/v1/report/${next}/schema/tables`),
  );
});

test("a token of several tenants has its own role in each of them", async () => {
  const tenants = [
    tenant,
    { id: 2, slug: "tenant-2", roles: ["member"] },
    { id: 3, slug: "tenant-3", roles: ["admin_sop"] },
  ];
  const token = await hs256({ tenants });
  const answers = [1, 2, 3, 4].map((id) => status(token, `/api/v1/report/${id}/schema/tables`));
  expect(await Promise.all(answers)).toEqual([200, 401, 200, 401]);
});
