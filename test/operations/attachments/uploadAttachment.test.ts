import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { AttachmentsApi, Configuration } from "../../../sdk/src/generated/index.ts";
import {
  fixture,
  fixtureBytes,
  freshUser,
  likeness,
  member,
  objectKey,
  remains,
  upload,
  uploadPath,
} from "../../support/attachments.ts";
import { buildDocument, typesXml } from "../../support/officeParts.ts";
import { expectProblem } from "../../support/problem.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { type Answer, answerOf, refusal } from "../../support/tables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const office = "application/vnd.openxmlformats-officedocument";
const jpeg = await fixture("imagemagick.jpg");

/** A form as a browser sends it. */
const form = (changes: Record<string, string | Blob | undefined> = {}) => {
  const data = new FormData();
  const whole = { file: jpeg, process_key: "loan_application", field_name: "identity_card", ...changes };
  for (const [name, value] of Object.entries(whole)) if (value !== undefined) data.append(name, value);
  return data;
};

async function post(body: FormData, headers: Record<string, string> = {}): Promise<Answer> {
  const authorization = `Bearer ${await server.token({ user: freshUser() })}`;
  const all = { authorization, "x-active-tenant": "tenant-1", ...headers };
  return answerOf(await server.request(uploadPath, { method: "POST", body, headers: all }));
}

test.each([
  ["imagemagick.jpg", "ktp.jpg", "image/jpeg"],
  ["libjpeg-progressive.jpg", "KTP.JPEG", "image/jpeg"],
  ["chromium.png", "a.b.png", "image/png"],
  ["weasyprint.pdf", "payslip.pdf", "application/pdf"],
  ["libreoffice.docx", "letter.docx", `${office}.wordprocessingml.document`],
  ["poi-streamed.xlsx", "income.xlsx", `${office}.spreadsheetml.sheet`],
])("an upload answers the metadata and stores the file: %s", async (name, as, mime_type) => {
  const bytes = await fixtureBytes(name);
  const metadata = await upload(server, { file: await fixture(name, { as, type: mime_type }) });
  expect(metadata).toEqual({
    attachment_id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    file_name: as,
    mime_type,
    size: bytes.length,
    type: "file_attachment",
    uploaded_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
  });
  const stored = await server.deps.storage.get(objectKey(1, metadata.attachment_id));
  expect(await new Response(stored?.body).bytes()).toEqual(bytes);
  const [row] = await server.sql`
    select state, encode(sha256, 'hex') as sha256 from waybill.attachments where id = ${metadata.attachment_id}`;
  expect(row).toEqual({ state: "draft", sha256: createHash("sha256").update(bytes).digest("hex") });
});

test("a draft keeps its process, field, instance, task, tenant and uploader", async () => {
  const by = member();
  const where = { processInstanceId: "4711", taskId: "4712" };
  const { attachment_id } = await upload(server, { by, ...where });
  const [row] = await server.sql`
    select tenant_id::int, process_key, field_name, process_instance_id, task_id, uploader, form_session_id
    from waybill.attachments where id = ${attachment_id}`;
  expect(row).toEqual({
    tenant_id: 1,
    process_key: "loan_application",
    field_name: "identity_card",
    process_instance_id: "4711",
    task_id: "4712",
    uploader: by.user,
    form_session_id: null,
  });
});

test("an empty instance or task, as a start form sends it, means none", async () => {
  const { status, body } = await post(form({ process_instance_id: "", task_id: "" }));
  expect(status).toBe(201);
  const [row] = await server.sql`
    select process_instance_id, task_id from waybill.attachments where id = ${body.attachment_id}`;
  expect(row).toEqual({ process_instance_id: null, task_id: null });
});

const macroType = "application/vnd.ms-word.document.macroEnabled.main+xml";
const refused: [what: string, code: string, file: File][] = [
  ["an empty file", "file_empty", new File([], "a.pdf")],
  ["a type that is not allowed", "extension_not_allowed", new File(["hello"], "a.txt")],
  ["no extension", "extension_not_allowed", await fixture("pillow.png", { as: "png" })],
  ["no name", "extension_not_allowed", await fixture("pillow.png", { as: "" })],
  [
    "two extensions, the last of which is bad",
    "extension_not_allowed",
    await fixture("pillow.png", { as: "a.png.exe" }),
  ],
  ["an old Word file", "extension_not_allowed", await fixture("libreoffice-old.doc")],
  ["an old Word file renamed", "document_encrypted", await fixture("libreoffice-old.doc", { as: "a.docx" })],
  ["a PNG that is named jpg", "type_mismatch", await fixture("pillow.png", { as: "a.jpg" })],
  ["a PNG that is declared a PDF", "type_mismatch", await fixture("pillow.png", { type: "application/pdf" })],
  ["HTML that is named png", "type_mismatch", new File(["<html></html>"], "a.png", { type: "image/png" })],
  ["a docx that is named xlsx", "type_mismatch", await fixture("poi.docx", { as: "a.xlsx" })],
  ["an encrypted docx", "document_encrypted", await fixture("msoffcrypto-encrypted.docx")],
  [
    "a docm renamed",
    "document_has_macros",
    new File([new Uint8Array(buildDocument({ types: typesXml("", macroType) }))], "a.docx"),
  ],
  [
    "half a JPEG",
    "image_truncated",
    new File([(await fixtureBytes("imagemagick.jpg")).subarray(0, 300)], "a.jpg"),
  ],
  [
    "a JPEG with a script behind it",
    "image_trailing_data",
    new File([await fixtureBytes("imagemagick.jpg"), "<script>"], "a.jpg"),
  ],
];
test.each(refused)(
  "a file that is not allowed is answered 415 with the reason, and leaves nothing: %s",
  async (_what, code, file) => {
    const before = await remains(server);
    const data = form({ file });
    const authorization = `Bearer ${await server.token({ user: freshUser() })}`;
    const headers = { authorization, "x-active-tenant": "tenant-1" };
    const response = await server.request(uploadPath, { method: "POST", body: data, headers });
    await expectProblem(response, code as "file_empty");
    expect(await remains(server)).toEqual(before);
  },
);

test.each([
  ["no file", { file: undefined }, ["/file"]],
  ["a file as text", { file: "text" }, ["/file"]],
  ["no process_key", { process_key: undefined }, ["/process_key"]],
  ["an empty process_key", { process_key: "" }, ["/process_key"]],
  ["no field_name", { field_name: undefined }, ["/field_name"]],
  ["a field_name that is too long", { field_name: "x".repeat(256) }, ["/field_name"]],
  ["a tenant of one's own choice", { tenant_id: "2" }, ["/tenant_id"]],
  ["several faults", { process_key: "", task_id: "x".repeat(256) }, ["/process_key", "/task_id"]],
])(
  "a form that breaks the contract is answered 400 with its faults, and leaves nothing: %s",
  async (_what, changes, pointers) => {
    const before = await remains(server);
    expect(await post(form(changes))).toMatchObject({ status: 400, code: "invalid_body", pointers });
    expect(await remains(server)).toEqual(before);
  },
);

test("callers who may not act for the tenant get the same 401 before a file is read", async () => {
  const token = (claims: object) => server.token(claims).then((text) => `Bearer ${text}`);
  const visitor = await server.deps.formTokens?.begin(
    { tenant: { id: 1, slug: "tenant-1" }, processKey: "p" },
    { ttlSeconds: 60 },
  );
  const before = await remains(server);
  const answers = [
    await post(form(), { authorization: "" }),
    await post(form(), { authorization: "Bearer nonsense" }),
    await post(form(), { authorization: await token({ ttlSeconds: -1 }) }),
    await post(form(), { authorization: `Bearer ${visitor?.token}` }),
    await post(form(), { authorization: await token({ tenant: 2 }) }),
    await post(form(), { "x-active-tenant": "1" }),
    await post(form(), { "x-active-tenant": "TENANT-1" }),
    await post(form(), { "x-active-tenant": "tenant-2" }),
    await post(form(), { "x-active-tenant": "" }),
  ];
  for (const answer of answers) expect(likeness(answer)).toEqual(likeness(answers[0] as Answer));
  expect(answers[0]).toMatchObject({ status: 401, code: "unauthenticated" });
  expect(await remains(server)).toEqual(before);
});

test("a request without x-active-tenant is refused", async () => {
  const response = await server.request(uploadPath, { method: "POST", body: form() });
  await expectProblem(response, "unauthenticated");
});

test("a user of two tenants uploads for the tenant in the header", async () => {
  const tenants = [3, 4].map((id) => ({ id, slug: `tenant-${id}`, roles: ["member"] }));
  const accessToken = await server.deps.accessTokens.sign({ sub: freshUser(), tenants }, { ttlSeconds: 60 });
  const api = new AttachmentsApi(new Configuration({ basePath: server.url, accessToken }));
  const file = await fixture("pillow.png");
  for (const { id, slug } of tenants) {
    const one = await api.uploadAttachment({ xActiveTenant: slug, file, processKey: "p", fieldName: "f" });
    const [row] = await server.sql`
      select tenant_id::int from waybill.attachments where id = ${one.attachment_id}`;
    expect(row).toEqual({ tenant_id: id });
  }
});

test("the 21st upload of a user in a minute is answered 429, on all servers together", async () => {
  const secret = "one secret that both of the servers share";
  const first = await startServer({ database: server.database, secret });
  const second = await startServer({ database: server.database, secret });
  const by = member();
  const file = await fixture("pillow.png");
  const uploads = Array.from({ length: 24 }, async (_, i) => {
    const api = await (i % 2 === 0 ? first : second).attachments(by);
    const request = { xActiveTenant: "tenant-1", file, processKey: "p", fieldName: "f" };
    return api.uploadAttachmentRaw(request).then(
      () => undefined,
      (error) => answerOf(error.response),
    );
  });
  const refusals = (await Promise.all(uploads)).filter((answer) => answer !== undefined);
  expect(refusals.map(({ code }) => code)).toEqual(Array(4).fill("rate_limited"));
  const retryAfter = Number(refusals[0]?.headers.get("retry-after"));
  expect(retryAfter).toBeWithin(1, 61);
  expect(refusals[0]?.headers.get("ratelimit-policy")).toBe('"upload";q=20;w=60');
  expect(refusals[0]?.headers.get("ratelimit")).toBe(`"upload";r=0;t=${retryAfter}`);
  expect((await upload(first)).size).toBeGreaterThan(0);
  await first.stop();
  await second.stop();
});

test("the answer has the rest of the limit, and a refused file counts", async () => {
  const authorization = `Bearer ${await server.token({ user: freshUser() })}`;
  const bad = await post(form({ file: new File(["x"], "a.txt") }), { authorization });
  expect(bad.headers.get("ratelimit")).toMatch(/^"upload";r=19;t=\d+$/);
  const good = await post(form(), { authorization });
  expect(good.headers.get("ratelimit")).toMatch(/^"upload";r=18;t=\d+$/);
  expect(good.headers.get("ratelimit-policy")).toBe('"upload";q=20;w=60');
});

test("without the storage an upload is answered 503 and makes no draft", async () => {
  const folder = join(server.deps.config.dataDir, "objects");
  const by = member();
  await rename(folder, `${folder}-away`);
  const answer = await refusal(upload(server, { by }));
  await rename(`${folder}-away`, folder);
  expect(answer).toMatchObject({ status: 503, code: "storage_unavailable" });
  const rows = await server.sql`
    select state from waybill.attachments where uploader = ${by.user ?? ""}`;
  expect(rows.map(({ state }) => state)).toEqual(["receiving"]);
});

test("simultaneous uploads are not mixed up", async () => {
  const names = [
    "pillow.png",
    "chromium.png",
    "imagemagick.png",
    "imagemagick.jpg",
    "ffmpeg.jpg",
    "poi.docx",
  ];
  const all = await Promise.all(names.map(async (name) => upload(server, { file: await fixture(name) })));
  for (const [i, name] of names.entries()) {
    const stored = await server.deps.storage.get(objectKey(1, all[i]?.attachment_id ?? ""));
    expect(await new Response(stored?.body).bytes()).toEqual(await fixtureBytes(name));
  }
});

test("other methods on its path are answered 405", async () => {
  for (const method of ["GET", "HEAD", "PUT", "PATCH", "OPTIONS"])
    expect((await server.request(uploadPath, { method })).status).toBe(405);
});
