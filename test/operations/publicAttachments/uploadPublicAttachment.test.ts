import { afterAll, beforeAll, expect, test } from "bun:test";
import { Configuration, PublicAttachmentsApi } from "../../../sdk/src/generated/index.ts";
import { signed } from "../../infrastructure/identity/signing.ts";
import {
  fixture,
  fixtureBytes,
  freshAddress,
  likeness,
  publicUploadPath,
  remains,
  trustingLoopback,
  type Visit,
  visit,
} from "../../support/attachments.ts";
import { secretsFrom, startServer, type TestServer } from "../../support/server.ts";
import { type Answer, answerOf, refusal } from "../../support/tables.ts";

/** Five `ghostscript.pdf` fit into twice this size, six do not. */
const maxBytes = (await fixtureBytes("weasyprint.pdf")).length;
const shared = {
  secret: "one secret that both of the servers share",
  environment: { ...trustingLoopback, UPLOAD_MAX_SIZE: String(maxBytes) },
};
let server: TestServer;
let other: TestServer;
beforeAll(async () => {
  server = await startServer(shared);
  other = await startServer({ ...shared, database: server.database });
});
afterAll(async () => {
  await other.stop();
  await server.stop();
});

const upload = async ({ api }: Visit, name = "pillow.png") =>
  api.uploadPublicAttachment({ file: await fixture(name), fieldName: "identity_card" });

/** Plain HTTP, so that the test sets all headers. */
async function post(
  to: TestServer,
  headers: Record<string, string>,
  changes: Record<string, string> = {},
): Promise<Answer> {
  const body = new FormData();
  body.append("file", await fixture("pillow.png"));
  for (const [name, value] of Object.entries({ field_name: "f", ...changes })) body.append(name, value);
  return answerOf(await fetch(`${to.url}${publicUploadPath}`, { method: "POST", body, headers }));
}

test("an upload answers the metadata; tenant, process and session come from the form token", async () => {
  const metadata = await upload(await visit(server, { tenant: 3 }));
  expect(metadata).toEqual({
    attachment_id: expect.any(String),
    file_name: "pillow.png",
    mime_type: "image/png",
    size: 93,
    type: "file_attachment",
    uploaded_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
  });
  const [row] = await server.sql`
    select tenant_id::int, state, process_key, field_name, process_instance_id, uploader,
           form_session_id is not null as of_session
    from waybill.attachments where id = ${metadata.attachment_id}`;
  expect(row).toEqual({
    tenant_id: 3,
    state: "draft",
    process_key: "loan_application",
    field_name: "identity_card",
    process_instance_id: null,
    uploader: null,
    of_session: true,
  });
});

test("a request cannot choose its process, instance or tenant", async () => {
  const { formToken } = await visit(server);
  const before = await remains(server);
  for (const name of ["process_key", "process_instance_id", "task_id", "tenant_id"]) {
    const headers = { "x-probis-form-token": formToken, "x-forwarded-for": freshAddress() };
    const answer = await post(server, headers, { [name]: "2" });
    expect(answer).toMatchObject({ status: 400, pointers: [`/${name}`] });
  }
  expect(await remains(server)).toEqual(before);
});

test("missing, invalid, expired and foreign tokens and access tokens give the same 401", async () => {
  const { formToken } = await visit(server);
  const [head = "", claims = "", signature = ""] = formToken.split(".");
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const decoded = JSON.parse(Buffer.from(claims, "base64url").toString());
  const form = { tenant: { id: 1, slug: "tenant-1" }, processKey: "p" };
  const stranger = await startServer();
  const expired = await server.deps.formTokens?.begin(form, { ttlSeconds: -1 });
  const foreign = await stranger.deps.formTokens?.begin(form, { ttlSeconds: 60 });
  // The right secret, but the slug of one tenant and the id of another.
  const crossed = { tenant: { id: 999, slug: "tenant-1" }, processKey: "p" };
  const mixed = await server.deps.formTokens?.begin(crossed, { ttlSeconds: 60 });
  await stranger.stop();
  const tokens = [
    undefined,
    "",
    "garbage",
    "a.b.c",
    `${head}.${claims}.`,
    `${head}.${claims}.${signature.slice(0, -2)}AA`,
    `${head}.${encode({ ...decoded, tenant: { id: 2, slug: "tenant-2" } })}.${signature}`,
    `${encode({ alg: "none" })}.${claims}.`,
    `${head}.${encode({ ...decoded, exp: 4e9 })}.${signature}`,
    "x".repeat(20_000).slice(0, 7_000),
    expired?.token,
    foreign?.token,
    mixed?.token,
    await server.token(),
  ];
  const before = await remains(server);
  const answers = await Promise.all(
    tokens.map((token) => post(server, token === undefined ? {} : { "x-probis-form-token": token })),
  );
  for (const answer of answers) expect(likeness(answer)).toEqual(likeness(answers[0] as Answer));
  expect(answers[0]).toMatchObject({ status: 401, code: "unauthenticated" });
  const asBearer = await post(server, { authorization: `Bearer ${formToken}` });
  expect(asBearer).toMatchObject({ status: 401 });
  expect(await remains(server)).toEqual(before);
});

test("a session takes ten files; deleting one makes room", async () => {
  const visitor = await visit(server);
  const files = [];
  for (let i = 0; i < 10; i++) files.push(await upload(visitor));
  const full = await refusal(upload(visitor));
  expect(full).toMatchObject({ status: 409, code: "session_quota_exceeded" });
  expect((await upload(await visit(server))).size).toBe(93);
  await visitor.api.deletePublicAttachment({ attachmentId: files[3]?.attachment_id ?? "" });
  expect((await upload(visitor)).size).toBe(93);
  expect(await refusal(upload(visitor))).toMatchObject({ status: 409 });
});

test("a session of the same name in another tenant is another session", async () => {
  const key = new TextEncoder().encode(secretsFrom(shared.secret).FORM_TOKEN_SECRET);
  const session = async (id: number): Promise<Visit> => {
    const tenant = { id, slug: `tenant-${id}` };
    const exp = Math.floor(Date.now() / 1000) + 3600;
    const claims = { purpose: "form_session", sid: "mine", tenant, process_key: "loan", exp };
    const formToken = await signed(claims, "HS256", { key });
    const options = {
      basePath: server.url,
      apiKey: formToken,
      headers: { "X-Forwarded-For": freshAddress() },
    };
    return { formToken, api: new PublicAttachmentsApi(new Configuration(options)) };
  };
  const [mine, theirs] = [await session(1), await session(2)];
  for (let i = 0; i < 10; i++) await upload(mine);
  expect(await refusal(upload(mine))).toMatchObject({ status: 409, code: "session_quota_exceeded" });
  expect((await upload(theirs)).size).toBe(93);
});

test("all files of a session may be twice as large as the largest file", async () => {
  const visitor = await visit(server);
  const first = await upload(visitor, "weasyprint.pdf");
  await upload(visitor, "weasyprint.pdf");
  const full = await refusal(upload(visitor));
  expect(full).toMatchObject({ status: 409, code: "session_quota_exceeded" });
  await visitor.api.deletePublicAttachment({ attachmentId: first.attachment_id });
  expect((await upload(visitor)).size).toBe(93);
});

test.each([
  ["files", "pillow.png", 10],
  ["bytes", "ghostscript.pdf", 5],
])(
  "of thirty simultaneous uploads on two servers exactly as many as fit are accepted: %s",
  async (_what, name, fitting) => {
    const { formToken } = await visit(server);
    const from = freshAddress();
    const before = await remains(server);
    const visits = await Promise.all(
      Array.from({ length: 30 }, async (_, i) => {
        const body = new FormData();
        body.append("file", await fixture(name));
        body.append("field_name", "f");
        const headers = { "x-probis-form-token": formToken, "x-forwarded-for": from };
        const to = i % 2 === 0 ? server : other;
        return answerOf(await fetch(`${to.url}${publicUploadPath}`, { method: "POST", body, headers }));
      }),
    );
    const statuses = visits.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...Array(fitting).fill(201), ...Array(30 - fitting).fill(409)]);
    expect((await remains(server)).rows).toBe(before.rows + fitting);
  },
);

test("the 31st upload of an address in a minute is answered 429, in any session, on any server", async () => {
  const visitors = [await visit(server), await visit(server), await visit(server), await visit(server)];
  const from = freshAddress();
  const sent = Array.from({ length: 34 }, (_, i) =>
    post(i % 2 === 0 ? server : other, {
      "x-probis-form-token": visitors[i % 4]?.formToken ?? "",
      "x-forwarded-for": from,
    }),
  );
  const answers = await Promise.all(sent);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([
    ...Array(30).fill(201),
    ...Array(4).fill(429),
  ]);
  const limited = answers.find(({ status }) => status === 429);
  expect(limited?.code).toBe("rate_limited");
  expect(Number(limited?.headers.get("retry-after"))).toBeWithin(1, 61);
  expect(limited?.headers.get("ratelimit-policy")).toBe('"public-upload";q=30;w=60');
  const elsewhere = {
    "x-probis-form-token": visitors[0]?.formToken ?? "",
    "x-forwarded-for": freshAddress(),
  };
  expect(await post(server, elsewhere)).toMatchObject({ status: 201 });
});

/** The rest of the limit of the address that the server reads from these headers. */
async function remaining(to: TestServer, formToken: string, forwardedFor: string): Promise<number> {
  const headers = { "x-probis-form-token": formToken, "x-forwarded-for": forwardedFor };
  const { headers: answered } = await post(to, headers, { no_such_field: "x" });
  return Number(/r=(\d+)/.exec(answered.get("ratelimit") ?? "")?.[1]);
}

test("a visitor cannot choose an address: only the proxy's part of the header counts", async () => {
  const { formToken } = await visit(server);
  const real = freshAddress();
  expect(await remaining(server, formToken, real)).toBe(29);
  expect(await remaining(server, formToken, `${freshAddress()}, ${real}`)).toBe(28);
  expect(await remaining(server, formToken, `nonsense, ::1, 127.0.0.1, ${real}`)).toBe(27);
});

test("addresses share a limit if they are in the same IPv6 /64", async () => {
  const { formToken } = await visit(server);
  const net = `2001:db8:${Math.floor(Math.random() * 0xffff).toString(16)}`;
  expect(await remaining(server, formToken, `${net}:1::1`)).toBe(29);
  expect(await remaining(server, formToken, `${net}:1:ffff:ffff:ffff:ffff`)).toBe(28);
  expect(await remaining(server, formToken, `${net}:2::1`)).toBe(29);
});

test("X-Forwarded-For is ignored unless it comes from a trusted proxy", async () => {
  const strict = await startServer();
  const { formToken } = await visit(strict);
  expect(await remaining(strict, formToken, freshAddress())).toBe(29);
  expect(await remaining(strict, formToken, freshAddress())).toBe(28);
  await strict.stop();
});

test("a file that is not allowed is refused as with a login", async () => {
  const { api } = await visit(server);
  const before = await remains(server);
  const file = await fixture("pillow.png", { as: "a.jpg" });
  const mismatch = await refusal(api.uploadPublicAttachment({ file, fieldName: "f" }));
  expect(mismatch).toMatchObject({ status: 415, code: "type_mismatch" });
  const large = await fixture("chromium.pdf");
  const tooLarge = await refusal(api.uploadPublicAttachment({ file: large, fieldName: "f" }));
  expect(tooLarge).toMatchObject({ status: 413, code: "payload_too_large" });
  expect(await remains(server)).toEqual(before);
});
