/** A download token is valid only for what it was issued for, and exists only in its URL. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import {
  digestOf,
  isSigned,
  issueToken,
  type TokenScope,
} from "../../../src/files/attachments/downloadTokens.ts";
import {
  commit,
  fixture,
  freshAddress,
  issue,
  trustingLoopback,
  upload,
  visit,
} from "../../support/attachments.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { makeTable, refusal, send } from "../../support/tables.ts";

const settings = { seed: 20260904, numRuns: 200 };
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ %é\0😀";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ environment: trustingLoopback });
});
afterAll(() => server.stop());

const scopes: fc.Arbitrary<TokenScope> = fc.record({
  attachmentId: fc.uuid(),
  tenantId: fc.integer({ min: 1, max: 2 ** 53 - 1 }),
  expiresAt: fc.date({ noInvalidDate: true }),
});
const secrets = fc.string({ minLength: 32, maxLength: 64 });

test("a token is valid only for its file, tenant, expiry and secret", () => {
  const check = (secret: string, scope: TokenScope, other: TokenScope, otherSecret: string) => {
    const { token } = issueToken(secret, scope);
    expect(isSigned(secret, token, scope)).toBe(true);
    expect(isSigned(secret, token, { ...scope, attachmentId: other.attachmentId })).toBe(
      scope.attachmentId === other.attachmentId,
    );
    expect(isSigned(secret, token, { ...scope, tenantId: other.tenantId })).toBe(
      scope.tenantId === other.tenantId,
    );
    expect(isSigned(secret, token, { ...scope, expiresAt: other.expiresAt })).toBe(
      scope.expiresAt.getTime() === other.expiresAt.getTime(),
    );
    expect(isSigned(otherSecret, token, scope)).toBe(secret === otherSecret);
  };
  fc.assert(fc.property(secrets, scopes, scopes, secrets, check), settings);
});

test("a token with any character changed, added or removed is not valid", () => {
  const signs = fc.constantFrom(...alphabet);
  const check = (scope: TokenScope, at: number, left: number, sign: string) => {
    const secret = "a secret of at least thirty-two bytes";
    const { token, digest } = issueToken(secret, scope);
    const changed = token.slice(0, at) + sign + token.slice(at + left);
    fc.pre(changed !== token);
    expect(digestOf(changed) === digest).toBe(false);
    // The signature detects it too, except in the version and after the signature.
    const [version, , , ...rest] = changed.split(".");
    if (version === "v1" && rest.length === 0) expect(isSigned(secret, changed, scope)).toBe(false);
  };
  const positions = fc.integer({ min: 0, max: 89 });
  fc.assert(fc.property(scopes, positions, fc.integer({ min: 0, max: 2 }), signs, check), {
    ...settings,
    numRuns: 2_000,
  });
});

test("any text is checked without an error, and is not a valid token", () => {
  const texts = fc.oneof(
    fc.string({ unit: "binary", maxLength: 200 }),
    fc.tuple(fc.string({ unit: "binary" }), fc.string({ unit: "binary" })).map(([a, b]) => `v1.${a}.${b}`),
    fc
      .array(fc.constantFrom(...alphabet), { minLength: 43, maxLength: 43 })
      .map((all) => `v1.x.${all.join("")}`),
  );
  fc.assert(
    fc.property(texts, scopes, (text, scope) => {
      expect(isSigned("a secret of at least thirty-two bytes", text, scope)).toBe(false);
      expect(digestOf(text)).toMatch(/^[0-9a-f]{64}$/);
    }),
    settings,
  );
});

test("a URL with any character of its token changed answers 401, and the right URL works after that", async () => {
  const [url = ""] = await issue(server, await commit(server));
  const start = url.indexOf("token=") + "token=".length;
  const statuses = [];
  for (let at = start; at < url.length; at++) {
    const sign = alphabet[(alphabet.indexOf(url[at] ?? "") + 1 + (at % 60)) % 64] ?? "A";
    const response = await fetch(url.slice(0, at) + (sign === url[at] ? "~" : sign) + url.slice(at + 1));
    statuses.push(response.status);
    await response.arrayBuffer();
  }
  expect(statuses).toEqual(Array(90).fill(401));
  expect((await fetch(url)).status).toBe(200);
});

test("ten thousand tokens are all different", async () => {
  const attachment = await commit(server);
  const urls = [];
  for (let i = 0; i < 10; i++) urls.push(...(await issue(server, attachment, 1_000)));
  expect(new Set(urls).size).toBe(10_000);
  const randoms = urls.map((url) => url.split("v1.")[1]?.split(".")[0]);
  expect(new Set(randoms).size).toBe(10_000);
});

/** Every table of the database, as text. */
async function everything({ sql }: TestServer): Promise<string> {
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`;
  const texts = await Promise.all(
    tables.map(async ({ name }) => {
      const [row] = await sql.unsafe(`select string_agg(t::text, E'\\n') as text from ${name} t`);
      return `${name}: ${row?.text}`;
    }),
  );
  return texts.join("\n");
}

test("no part of a token gets into the database, the logs or a problem", async () => {
  const busy = await startServer({ environment: trustingLoopback });
  const problems: string[] = [];
  const refuse = async (call: Promise<unknown>) => void problems.push((await refusal(call)).text);
  const get = async (url: string, init?: RequestInit) => {
    const response = await fetch(url, init);
    if (response.status >= 400) problems.push(await response.text());
    else await response.arrayBuffer();
  };

  const attachment = await commit(busy);
  const urls = await issue(busy, attachment, 6);
  const tokens = urls.map((url) => new URL(url).searchParams.get("token") ?? "");
  const [used = "", unused = "", headed = "", wrongFile = "", malformed = "", vanished = ""] = urls;
  for (const url of [
    used,
    used,
    `${unused}x`,
    `${unused}&y=1`,
    wrongFile.replace(attachment.id, crypto.randomUUID()),
  ])
    await get(url);
  await get(headed, { method: "HEAD" });
  await get(malformed.replace(attachment.id, "not-a-uuid"));
  await get(`${malformed}&token=%ff`);
  await busy.deps.storage.remove(`attachments/1/${attachment.id}`);
  await get(vanished);

  const visitor = await visit(busy, { from: freshAddress() });
  await visitor.api.uploadPublicAttachment({ file: await fixture("pillow.png"), fieldName: "f" });
  const bad = await fixture("pillow.png", { as: "a.jpg" });
  await refuse(visitor.api.uploadPublicAttachment({ file: bad, fieldName: "f" }));
  await refuse(busy.visitor(`${visitor.formToken}x`).getPublicAllowedTypes());
  await refuse(busy.visitor(tokens[0] ?? "").getPublicAllowedTypes());

  const accessToken = await busy.token({ user: "busy" });
  const authorization = `Bearer ${accessToken}`;
  await makeTable(busy, { a: "text" });
  const writes = { authorization };
  const path = "/api/v1/report/1/schema/tables";
  problems.push((await send(busy, `POST ${path}`, { headers: writes, body: { name: "!" } })).text);
  problems.push((await send(busy, `GET ${path}?token=${accessToken}`, { headers: writes })).text);
  problems.push((await send(busy, `GET ${path}`, { headers: { authorization: `${authorization}x` } })).text);
  await upload(busy);

  const left = {
    database: await everything(busy),
    log: JSON.stringify(busy.logged),
    problems: problems.join("\n"),
  };
  expect(left.database).toContain("waybill.download_tokens: (");
  expect(left.database).toContain("tenant_1._audit: (");
  expect(left.log).toContain("downloadSignedAttachment");
  expect(problems.length).toBeGreaterThan(12);
  const secret = busy.deps.config.downloadTokenSecret ?? "";
  const parts = [
    secret,
    ...tokens.flatMap((token) => token.split(".").slice(1)),
    ...[visitor.formToken, accessToken].map((token) => token.split(".")[2] ?? ""),
  ];
  for (const part of parts) {
    expect(part.length).toBeGreaterThan(40);
    for (const [where, text] of Object.entries(left))
      for (const form of [
        part,
        Buffer.from(part).toString("hex"),
        Buffer.from(part, "base64url").toString("hex"),
      ])
        if (text.includes(form)) throw new Error(`${where} holds a part of a token`);
  }
  await busy.stop();
});
