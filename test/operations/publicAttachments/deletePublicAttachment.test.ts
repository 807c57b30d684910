import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  fixture,
  likeness,
  objectKey,
  trustingLoopback,
  upload,
  type Visit,
  visit,
} from "../../support/attachments.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { refusal } from "../../support/tables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ environment: trustingLoopback });
});
afterAll(() => server.stop());

const draftOf = async ({ api }: Visit) =>
  (await api.uploadPublicAttachment({ file: await fixture("pillow.png"), fieldName: "f" })).attachment_id;

const exists = async (id: string) =>
  (await server.sql`select from waybill.attachments where id = ${id}`).length === 1;

const bind = async (id: string) => {
  const binding = { tenant_id: 1, process_instance_id: "4711", attachment_ids: [id] };
  return (await server.engine()).bindAttachments({ binding });
};

test("a visitor deletes a draft of their session with its row and object", async () => {
  const visitor = await visit(server);
  const id = await draftOf(visitor);
  await visitor.api.deletePublicAttachment({ attachmentId: id });
  expect(await exists(id)).toBe(false);
  expect(await server.deps.storage.get(objectKey(1, id))).toBeUndefined();
});

test("foreign, missing and deleted attachments give the same 404", async () => {
  const visitor = await visit(server);
  const removed = await draftOf(visitor);
  await visitor.api.deletePublicAttachment({ attachmentId: removed });
  const kept = [
    await draftOf(await visit(server)),
    await draftOf(await visit(server, { tenant: 2 })),
    (await upload(server)).attachment_id,
  ];
  const committed = await draftOf(await visit(server));
  await bind(committed);
  const ids = [...kept, committed, removed, "0c8f9f0e-6f0b-4b8a-9d3e-2f4f1d0a7b11", "not-a-uuid"];
  const answers = await Promise.all(
    ids.map(async (attachmentId) =>
      likeness(await refusal(visitor.api.deletePublicAttachment({ attachmentId }))),
    ),
  );
  for (const answer of answers) expect(answer).toEqual(answers[0] as (typeof answers)[0]);
  expect(answers[0]?.status).toBe(404);
  for (const id of [...kept, committed]) expect(await exists(id)).toBe(true);
});

test("an attachment that the engine has bound is kept: 409", async () => {
  const visitor = await visit(server);
  const attachmentId = await draftOf(visitor);
  await bind(attachmentId);
  expect(await refusal(visitor.api.deletePublicAttachment({ attachmentId }))).toMatchObject({
    status: 409,
    code: "attachment_committed",
  });
  expect(await exists(attachmentId)).toBe(true);
});

test("a session of the same name in another tenant cannot reach the drafts", async () => {
  const visitor = await visit(server);
  const id = await draftOf(visitor);
  const [row] = await server.sql`select form_session_id from waybill.attachments where id = ${id}`;
  const claims = JSON.parse(Buffer.from(visitor.formToken.split(".")[1] ?? "", "base64url").toString());
  expect(claims.sid).toBe(row?.form_session_id);
  const other = await visit(server, { tenant: 2 });
  expect(await refusal(other.api.deletePublicAttachment({ attachmentId: id }))).toMatchObject({
    status: 404,
  });
});

test("an invalid form token or an access token is answered 401", async () => {
  const attachmentId = await draftOf(await visit(server));
  for (const token of ["garbage", await server.token()])
    expect(await refusal(server.visitor(token).deletePublicAttachment({ attachmentId }))).toMatchObject({
      status: 401,
    });
  expect(await exists(attachmentId)).toBe(true);
});
