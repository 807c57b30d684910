import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "content-disposition";
import {
  commit,
  fixture,
  fixtureBytes,
  freshInstance,
  freshUser,
  likeness,
  member,
  objectKey,
  slugOf,
  upload,
} from "../../support/attachments.ts";
import { startServer, type TestServer, type TokenClaims } from "../../support/server.ts";
import { refusal, send } from "../../support/tables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const path = (id: string) => `/api/v1/probis/form-attachments/${id}/download`;

const download = async (attachmentId: string, by: TokenClaims) => {
  const api = await server.attachments(by);
  const { raw } = await api.downloadAttachmentRaw({ attachmentId, xActiveTenant: slugOf(by) });
  return raw;
};

const participants = (processInstanceId: string) => {
  const target = { processInstanceId, xActiveTenant: "tenant-1" };
  return {
    add: async (user: string) =>
      (await server.discussions()).addParticipant({ ...target, newParticipant: { user } }),
    remove: async (user: string) => (await server.discussions()).removeParticipant({ ...target, user }),
  };
};

const notFound = { status: 404, code: "attachment_not_found" };

test("the uploader gets the complete file with its name, and no cache may keep it", async () => {
  const by = member();
  const file = await fixture("weasyprint.pdf", { as: "Slip gaji é.pdf" });
  const { attachment_id } = await upload(server, { by, file });
  const response = await download(attachment_id, by);
  const bytes = await fixtureBytes("weasyprint.pdf");
  expect(response.status).toBe(200);
  expect(await response.bytes()).toEqual(bytes);
  const digest = createHash("sha256").update(bytes).digest("base64");
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "application/pdf",
    "content-length": String(bytes.length),
    "content-disposition": `attachment; filename="Slip gaji e.pdf"; filename*=UTF-8''Slip%20gaji%20%C3%A9.pdf`,
    "repr-digest": `sha-256=:${digest}:`,
    "accept-ranges": "none",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "content-security-policy": "sandbox",
    "referrer-policy": "no-referrer",
  });
  expect(parse(response.headers.get("content-disposition") ?? "").parameters.filename).toBe(file.name);
});

test("a file can be downloaded repeatedly, as a draft and when committed", async () => {
  const { id, uploader } = await commit(server);
  for (let i = 0; i < 3; i++) expect((await download(id, uploader)).status).toBe(200);
});

test("a participant of the instance's discussion may download until they leave", async () => {
  const { id, processInstanceId } = await commit(server);
  const bob = member();
  const discussion = participants(processInstanceId);
  expect(await refusal(download(id, bob))).toMatchObject(notFound);
  await discussion.add(bob.user ?? "");
  expect((await download(id, bob)).status).toBe(200);
  await discussion.remove(bob.user ?? "");
  expect(await refusal(download(id, bob))).toMatchObject(notFound);
});

test("a participant does not see another user's draft, even if it names the instance", async () => {
  const processInstanceId = freshInstance();
  const bob = member();
  await participants(processInstanceId).add(bob.user ?? "");
  const draft = await upload(server, { processInstanceId });
  expect(await refusal(download(draft.attachment_id, bob))).toMatchObject(notFound);
});

test("a participant of another instance or another tenant may not download", async () => {
  const { id, processInstanceId } = await commit(server);
  const bob = member();
  await participants(freshInstance()).add(bob.user ?? "");
  const elsewhere = await server.discussions({ tenant: 2 });
  await elsewhere.addParticipant({
    processInstanceId,
    xActiveTenant: "tenant-2",
    newParticipant: { user: bob.user ?? "" },
  });
  expect(await refusal(download(id, bob))).toMatchObject(notFound);
  expect(await refusal(download(id, { ...bob, tenant: 2 }))).toMatchObject(notFound);
});

test("administrators and engines may not download because of their role", async () => {
  const { id } = await commit(server);
  for (const role of ["admin_sop", "engine"])
    expect(await refusal(download(id, { user: freshUser(), roles: [role] }))).toMatchObject(notFound);
});

test("foreign, missing and deleted attachments and missing objects give the same 404", async () => {
  const by = member();
  const api = await server.attachments(by);
  const removed = await upload(server, { by });
  await api.deleteAttachment({ attachmentId: removed.attachment_id, xActiveTenant: "tenant-1" });
  const vanished = await upload(server, { by });
  await server.deps.storage.remove(objectKey(1, vanished.attachment_id));
  const ids = [
    (await upload(server)).attachment_id,
    (await commit(server)).id,
    (await upload(server, { by: { ...by, tenant: 2 } })).attachment_id,
    removed.attachment_id,
    vanished.attachment_id,
    "0c8f9f0e-6f0b-4b8a-9d3e-2f4f1d0a7b11",
    "not-a-uuid",
    "../../etc/passwd",
  ];
  const answers = await Promise.all(ids.map(async (id) => likeness(await refusal(download(id, by)))));
  for (const answer of answers) expect(answer).toEqual(answers[0] as (typeof answers)[0]);
  expect(answers[0]?.status).toBe(404);
});

test("the header names the tenant by its slug, and the token must contain it", async () => {
  const { id, uploader } = await commit(server);
  const authorization = `Bearer ${await server.token(uploader)}`;
  for (const slug of ["1", "TENANT-1", "tenant-2", ""])
    expect(
      await send(server, `GET ${path(id)}`, { headers: { authorization, "x-active-tenant": slug } }),
    ).toMatchObject({ status: 401 });
  expect(await send(server, `GET ${path(id)}`, { headers: { authorization } })).toMatchObject({
    status: 401,
  });
});

test("Range is ignored: the whole file is sent with 200", async () => {
  const { id, uploader } = await commit(server);
  const bytes = await fixtureBytes("pillow.png");
  for (const range of ["bytes=0-9", "bytes=-5", "bytes=90-", "bytes=1000-", "bytes=0-1,3-4"]) {
    const authorization = `Bearer ${await server.token(uploader)}`;
    const headers = { authorization, "x-active-tenant": "tenant-1", range };
    const response = await server.request(path(id), { headers });
    expect({ status: response.status, body: await response.bytes() }).toEqual({ status: 200, body: bytes });
    expect(response.headers.get("content-length")).toBe(String(bytes.length));
  }
});

test("without the storage a download is answered 503", async () => {
  const { id, uploader } = await commit(server);
  const folder = join(server.deps.config.dataDir, "objects");
  await rename(folder, `${folder}-away`);
  const answer = await refusal(download(id, uploader));
  await rename(`${folder}-away`, folder);
  expect(answer).toMatchObject({ status: 503, code: "storage_unavailable" });
  expect((await download(id, uploader)).status).toBe(200);
});

test("an object that differs from the stored file is not sent", async () => {
  const { id, uploader } = await commit(server);
  const object = await server.deps.storage.get(objectKey(1, id));
  await object?.body.cancel();
  await rm(object?.path ?? "");
  await writeFile(object?.path ?? "", "short");
  expect(await refusal(download(id, uploader))).toMatchObject({ status: 500, code: "internal_error" });
});

test("HEAD and other methods are answered 405", async () => {
  const { id } = await commit(server);
  for (const method of ["HEAD", "OPTIONS", "POST", "PUT", "DELETE"])
    expect((await server.request(path(id), { method })).status).toBe(405);
});
