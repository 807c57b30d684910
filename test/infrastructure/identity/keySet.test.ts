/** Access tokens that are signed with the platform's keys, which the platform publishes and changes. */
import { afterAll, afterEach, beforeAll, expect, setSystemTime, test } from "bun:test";
import { exportJWK, exportSPKI, generateKeyPair, type JWK } from "jose";
import { createAccessTokens } from "../../../src/infrastructure/identity/accessTokens.ts";
import { expectProblem } from "../../support/problem.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { claims, type SigningKey, signed, tablesPath } from "./signing.ts";

interface PlatformKey {
  readonly alg: string;
  readonly kid: string;
  readonly privateKey: SigningKey;
  readonly publicKey: CryptoKey;
  readonly jwk: JWK;
}

/** The keys that the platform publishes, and how it answers. */
const published = { keys: [] as JWK[], status: 200, fetches: 0 };
const platform = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () => {
    published.fetches++;
    return Response.json({ keys: published.keys }, { status: published.status });
  },
});
let server: TestServer;
let rsa: PlatformKey;

beforeAll(async () => {
  const now = () => new Date();
  const keys = { kind: "jwks", url: new URL("/keys", platform.url) } as const;
  server = await startServer({ deps: { accessTokens: createAccessTokens({ keys, fetch, now }), now } });
  rsa = await newKey("RS256", "rsa-1");
});
afterAll(async () => {
  await server.stop();
  await platform.stop(true);
});
afterEach(() => {
  setSystemTime();
});

async function newKey(alg: string, kid: string): Promise<PlatformKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg);
  return { alg, kid, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } };
}

/** Each test begins so much later than the test before that nothing is remembered. */
let start = Date.now();
function publish(...keys: PlatformKey[]): void {
  start += 3_600_000;
  setSystemTime(new Date(start));
  Object.assign(published, { keys: keys.map(({ jwk }) => jwk), status: 200, fetches: 0 });
}
const after = (seconds: number) => setSystemTime(new Date(start + seconds * 1000));

const tokenOf = ({ alg, kid, privateKey }: PlatformKey, over = {}) =>
  signed(claims({ exp: Math.floor(Date.now() / 1000) + 86_400, ...over }), alg, { key: privateKey, kid });
const ask = (token: string) =>
  fetch(`${server.url}${tablesPath}`, { headers: { authorization: `Bearer ${token}` } });
const status = async (token: string) => (await ask(token)).status;

test.each(["RS256", "ES256", "EdDSA"])("a token signed with %s is accepted", async (alg) => {
  const key = await newKey(alg, `${alg}-1`);
  publish(key);
  expect(await status(await tokenOf(key))).toBe(200);
});

test("a token of an unpublished key gets 401, even with the id of a published key", async () => {
  publish(rsa);
  const stranger = await newKey("RS256", "stranger");
  expect(await status(await tokenOf(stranger))).toBe(401);
  expect(await status(await tokenOf({ ...stranger, kid: rsa.kid }))).toBe(401);
});

test("the key set is not fetched for each request", async () => {
  publish(rsa);
  for (let count = 0; count < 5; count++)
    expect(await status(await tokenOf(rsa, { jti: `${count}` }))).toBe(200);
  expect(published.fetches).toBe(1);
});

test("a new key works at most five seconds after the last fetch", async () => {
  const next = await newKey("RS256", "rsa-2");
  publish(rsa);
  expect(await status(await tokenOf(rsa))).toBe(200);
  published.keys = [rsa.jwk, next.jwk];
  after(5);
  expect(await status(await tokenOf(next))).toBe(200);
});

test("a removed key works for at most one minute, also for remembered tokens", async () => {
  const gone = await newKey("ES256", "gone");
  publish(rsa, gone);
  const token = await tokenOf(gone);
  expect(await status(token)).toBe(200);
  published.keys = [rsa.jwk];
  // Verified just before the keys from the start are too old.
  after(29);
  const late = await tokenOf(gone, { jti: "late" });
  expect(await status(late)).toBe(200);
  after(60);
  expect(await status(token)).toBe(401);
  expect(await status(late)).toBe(401);
  expect(await status(await tokenOf(rsa))).toBe(200);
});

test("without the key set, known keys work for ten minutes, and unknown ones get 503", async () => {
  const unknown = await newKey("RS256", "unknown");
  publish(rsa);
  expect(await status(await tokenOf(rsa))).toBe(200);
  published.status = 500;
  after(300);
  expect(await status(await tokenOf(rsa))).toBe(200);
  const response = await ask(await tokenOf(unknown));
  expect(response.headers.get("retry-after")).toBe("5");
  await expectProblem(response, "identity_unavailable");
  after(601);
  await expectProblem(await ask(await tokenOf(rsa, { jti: "late" })), "identity_unavailable");
  published.status = 200;
  expect(await status(await tokenOf(rsa))).toBe(200);
});

test("without the key set, a forged token gets 401 and not 503", async () => {
  publish(rsa);
  expect(await status(await tokenOf(rsa))).toBe(200);
  published.status = 500;
  after(60);
  const forged = `${(await tokenOf(rsa)).slice(0, -4)}AAAA`;
  expect(await status(forged)).toBe(401);
});

test("a public key is not a shared secret: a token signed with its text by HS256 gets 401", async () => {
  publish(rsa);
  const pem = await exportSPKI(rsa.publicKey);
  for (const text of [pem, pem.trim(), JSON.stringify(rsa.jwk), rsa.jwk.n ?? ""]) {
    const key = new TextEncoder().encode(text);
    expect(await status(await signed(claims(), "HS256", { key, kid: rsa.kid }))).toBe(401);
    expect(await status(await signed(claims(), "HS256", { key }))).toBe(401);
  }
});

test("Waybill cannot sign tokens if the platform has the keys", async () => {
  const keys = { kind: "jwks", url: platform.url } as const;
  const tokens = createAccessTokens({ keys, fetch, now: () => new Date() });
  const signing = tokens.sign({ sub: "alice", tenants: [] }, { ttlSeconds: 60 });
  await expect(signing).rejects.toThrow("only the platform that has the keys");
});
