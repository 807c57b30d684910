import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash, createHmac } from "node:crypto";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { Configuration, PublicAttachmentsApi } from "../../../sdk/src/generated/index.ts";
import {
  type CommittedAttachment,
  commit,
  fixture,
  fixtureBytes,
  issue,
  issueOne,
  likeness,
  objectKey,
  upload,
} from "../../support/attachments.ts";
import { expectProblem } from "../../support/problem.ts";
import { openRaw } from "../../support/rawHttp.ts";
import { secretsFrom, startServer, type TestServer } from "../../support/server.ts";
import { type Answer, answerOf, refusal } from "../../support/tables.ts";

const shared = { secret: "one secret that both of the servers share" };
let server: TestServer;
let other: TestServer;
let attachment: CommittedAttachment;
beforeAll(async () => {
  server = await startServer(shared);
  other = await startServer({
    ...shared,
    database: server.database,
    environment: { DATA_DIR: server.deps.config.dataDir },
  });
  attachment = await commit(server, { file: await fixture("weasyprint.pdf", { as: "slip é.pdf" }) });
});
afterAll(async () => {
  await other.stop();
  await server.stop();
});

const base = "/api/v1/probis/public/form-attachments";
const get = async (url: string, init?: RequestInit) => answerOf(await fetch(url, init));
const statusOf = async (url: string, init?: RequestInit) => {
  const response = await fetch(url, init);
  await response.arrayBuffer();
  return response.status;
};

test("a signed URL gives the complete file with its name, without other credentials", async () => {
  const url = await issueOne(server, attachment);
  expect(url).toStartWith(`${server.url}${base}/${attachment.id}/download?token=v1.`);
  const response = await fetch(url);
  const bytes = await fixtureBytes("weasyprint.pdf");
  expect(response.status).toBe(200);
  expect(await response.bytes()).toEqual(bytes);
  const digest = createHash("sha256").update(bytes).digest("base64");
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "application/pdf",
    "content-length": String(bytes.length),
    "content-disposition": `attachment; filename="slip e.pdf"; filename*=UTF-8''slip%20%C3%A9.pdf`,
    "repr-digest": `sha-256=:${digest}:`,
    "accept-ranges": "none",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "content-security-policy": "sandbox",
    "referrer-policy": "no-referrer",
  });
});

test("the SDK downloads with only the token", async () => {
  const token = new URL(await issueOne(server, attachment)).searchParams.get("token") ?? "";
  const api = new PublicAttachmentsApi(new Configuration({ basePath: server.url }));
  const file = await api.downloadSignedAttachment({ attachmentId: attachment.id, token });
  expect(file.size).toBe(attachment.metadata.size);
});

test("a second use answers 401", async () => {
  const url = await issueOne(server, attachment);
  expect(await statusOf(url)).toBe(200);
  expect(await get(url)).toMatchObject({ status: 401, code: "download_refused" });
  expect(await get(url.replace(server.url, other.url))).toMatchObject({ status: 401 });
});

test("of a hundred simultaneous downloads on two servers, exactly one gets the file", async () => {
  const url = await issueOne(server, attachment);
  const urls = [url, url.replace(server.url, other.url)];
  const statuses = await Promise.all(Array.from({ length: 100 }, (_, i) => statusOf(urls[i % 2] ?? "")));
  expect(statuses.toSorted()).toEqual([200, ...Array(99).fill(401)]);
});

/** A token with a correct signature but without a row. */
function forged(secret: string): string {
  const random = Buffer.alloc(32, 1).toString("base64url");
  const scope = ["v1", "download", random, attachment.id, 1, Date.now() + 60_000].join("\n");
  return `v1.${random}.${createHmac("sha256", secret).update(scope).digest("base64url")}`;
}

test("missing, badly signed, expired, used or for another file: the same answer, byte for byte", async () => {
  const quick = await startServer({
    ...shared,
    database: server.database,
    environment: { FORM_ATTACHMENT_URL_TTL_SECONDS: "1", PUBLIC_BASE_URL: server.url },
  });
  const expired = await issueOne(quick, attachment);
  await quick.stop();
  const used = await issueOne(server, attachment);
  expect(await statusOf(used)).toBe(200);
  const valid = await issueOne(server, attachment);
  const another = await commit(server);
  const path = `${server.url}${base}/${attachment.id}/download`;
  await Bun.sleep(1_100);
  const answers = {
    missing: await get(path),
    empty: await get(`${path}?token=`),
    badlySigned: await get(`${valid.slice(0, -1)}${valid.endsWith("A") ? "B" : "A"}`),
    forged: await get(`${path}?token=${forged(secretsFrom(shared.secret).DOWNLOAD_TOKEN_SECRET)}`),
    noToken: await get(`${path}?token=hello`),
    notLatin: await get(`${path}?token=${encodeURIComponent(`v1.x.${"é".repeat(43)}`)}`),
    long: await get(`${path}?token=v1.${"A".repeat(5_000)}`),
    expired: await get(expired),
    used: await get(used),
    anotherFile: await get(valid.replace(attachment.id, another.id)),
    missingFile: await get(valid.replace(attachment.id, "0c8f9f0e-6f0b-4b8a-9d3e-2f4f1d0a7b11")),
  };
  for (const answer of Object.values(answers)) expect(likeness(answer)).toEqual(likeness(answers.missing));
  expect(answers.missing).toMatchObject({ status: 401, code: "download_refused" });
  expect(await statusOf(valid)).toBe(200);
});

test("a URL works until the second in which it expires", async () => {
  const quick = await startServer({
    ...shared,
    database: server.database,
    environment: { FORM_ATTACHMENT_URL_TTL_SECONDS: "2", DATA_DIR: server.deps.config.dataDir },
  });
  const [early = "", late = ""] = await issue(quick, attachment, 2);
  await Bun.sleep(900);
  expect(await statusOf(early)).toBe(200);
  await Bun.sleep(1_200);
  expect(await statusOf(late)).toBe(401);
  await quick.stop();
});

test("HEAD, OPTIONS and all other methods are answered 405 and use up nothing", async () => {
  const url = await issueOne(server, attachment);
  for (const method of ["HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"]) {
    const response = await fetch(url, { method });
    expect({ method, status: response.status, allow: response.headers.get("allow") }).toEqual({
      method,
      status: 405,
      allow: "GET",
    });
  }
  expect(await statusOf(url)).toBe(200);
});

test("an attachment_id that is not a UUID is answered 400 and uses up nothing", async () => {
  const url = await issueOne(server, attachment);
  for (const id of [
    "1",
    "not-a-uuid",
    `${attachment.id}0`,
    `%7B${attachment.id}%7D`,
    attachment.id.replaceAll("-", ""),
  ])
    await expectProblem(await fetch(url.replace(attachment.id, id)), "invalid_parameter");
  expect(await statusOf(url)).toBe(200);
});

test("an unknown parameter or a second token is answered 400 and uses up nothing", async () => {
  const url = await issueOne(server, attachment);
  for (const bad of [`${url}&tenant_id=1`, `${url}&token=x`, `${url}&x=%ff`])
    await expectProblem(await fetch(bad), "invalid_parameter");
  expect(await statusOf(url)).toBe(200);
});

test("an id in capital letters is the same file", async () => {
  const url = await issueOne(server, attachment);
  expect(await statusOf(url.replace(attachment.id, attachment.id.toUpperCase()))).toBe(200);
});

test("Range is ignored: the whole file is sent with 200", async () => {
  const urls = await issue(server, attachment, 4);
  const ranges = ["bytes=0-9", "bytes=-5", "bytes=99999-", "bytes=0-1,3-4"];
  const bytes = await fixtureBytes("weasyprint.pdf");
  for (const [i, range] of ranges.entries()) {
    const response = await fetch(urls[i] ?? "", { headers: { range } });
    expect({ status: response.status, body: await response.bytes() }).toEqual({ status: 200, body: bytes });
    expect(response.headers.get("content-length")).toBe(String(bytes.length));
  }
});

test("conditional headers are ignored: the file is sent with 200", async () => {
  const urls = await issue(server, attachment, 2);
  const conditions: Record<string, string>[] = [
    { "if-none-match": "*" },
    { "if-modified-since": new Date(Date.now() + 1e7).toUTCString() },
  ];
  for (const [i, headers] of conditions.entries())
    expect(await statusOf(urls[i] ?? "", { headers })).toBe(200);
});

test("an interrupted download has used up its token", async () => {
  const url = await issueOne(server, attachment);
  const { pathname, search } = new URL(url);
  const connection = await openRaw(server.url);
  connection.send(`GET ${pathname}${search} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  while (connection.received() === "") await Bun.sleep(1);
  connection.destroy();
  expect(await get(url)).toMatchObject({ status: 401 });
});

test("a missing object is answered 404, and the token is used up", async () => {
  const gone = await commit(server);
  const url = await issueOne(server, gone);
  await server.deps.storage.remove(objectKey(1, gone.id));
  expect(await get(url)).toMatchObject({ status: 404, code: "attachment_not_found" });
  expect(await get(url)).toMatchObject({ status: 401 });
});

test("a storage failure after the token was accepted is answered 503, and the token is used up", async () => {
  const url = await issueOne(server, attachment);
  const folder = join(server.deps.config.dataDir, "objects");
  await rename(folder, `${folder}-away`);
  const answer = await get(url);
  await rename(`${folder}-away`, folder);
  expect(answer).toMatchObject({ status: 503, code: "storage_unavailable" });
  expect(await get(url)).toMatchObject({ status: 401 });
});

test("a token row written directly into the database is useless without the secret", async () => {
  const token = forged("some other secret of thirty-two bytes");
  const digest = createHash("sha256").update(token).digest();
  await server.sql`
    insert into waybill.download_tokens (digest, attachment_id, tenant_id, process_instance_id, expires_at)
    values (${digest}, ${attachment.id}, 1, ${attachment.processInstanceId}, now() + interval '1 minute')
  `;
  expect(await get(`${server.url}${base}/${attachment.id}/download?token=${token}`)).toMatchObject({
    status: 401,
  });
});

test("a token row moved to another file, tenant or expiry is useless", async () => {
  const another = await commit(server);
  const [toFile = "", toTenant = "", toHour = ""] = await issue(server, attachment, 3);
  const digest = (url: string) =>
    createHash("sha256")
      .update(new URL(url).searchParams.get("token") ?? "")
      .digest();
  await server.sql`
    update waybill.download_tokens
       set attachment_id = ${another.id}
     where digest = ${digest(toFile)}
  `;
  await server.sql`
    update waybill.download_tokens
       set tenant_id = 2
     where digest = ${digest(toTenant)}
  `;
  await server.sql`
    update waybill.download_tokens
       set expires_at = now() + interval '9 hours'
     where digest = ${digest(toHour)}
  `;
  for (const url of [toFile.replace(attachment.id, another.id), toTenant, toHour])
    expect(await get(url)).toMatchObject({ status: 401 });
});

test("an access token or a form token does not work as a download token", async () => {
  const { attachment_id } = await upload(server);
  const path = `${server.url}${base}/${attachment_id}/download`;
  const authorization = `Bearer ${await server.token()}`;
  expect(await get(path, { headers: { authorization } })).toMatchObject({ status: 401 });
  expect(await get(`${path}?token=${await server.token()}`)).toMatchObject({ status: 401 });
});

test.each([["DOWNLOAD_TOKEN_SECRET"], ["PUBLIC_BASE_URL"]])(
  "an instance without %s answers 501 and uses up nothing",
  async (name) => {
    const closed = await startServer({ ...shared, database: server.database, environment: { [name]: "" } });
    const url = await issueOne(server, attachment);
    const answer: Answer = await get(url.replace(server.url, closed.url));
    expect(answer).toMatchObject({ status: 501, code: "not_configured" });
    expect(await refusal(issue(closed, attachment))).toMatchObject({ status: 501, code: "not_configured" });
    await closed.stop();
    expect(await statusOf(url)).toBe(200);
  },
);
