import { afterAll, beforeAll, expect, test } from "bun:test";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import {
  commit,
  fixture,
  freshUser,
  likeness,
  member,
  objectKey,
  slugOf,
  upload,
  visit,
} from "../../support/attachments.ts";
import { startServer, type TestServer, type TokenClaims } from "../../support/server.ts";
import { refusal, send } from "../../support/tables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const remove = async (attachmentId: string, by: TokenClaims, xActiveTenant = slugOf(by)) =>
  (await server.attachments(by)).deleteAttachment({ attachmentId, xActiveTenant });

const rowOf = async (id: string) =>
  (await server.sql`select state from waybill.attachments where id = ${id}`)[0]?.state as string | undefined;

test("a user deletes their own draft with its row and object", async () => {
  const by = member();
  const { attachment_id: id } = await upload(server, { by });
  await remove(id, by);
  expect(await rowOf(id)).toBeUndefined();
  expect(await server.deps.storage.get(objectKey(1, id))).toBeUndefined();
});

test("an id in capital letters is the same attachment", async () => {
  const by = member();
  const { attachment_id: id } = await upload(server, { by });
  await remove(id.toUpperCase(), by);
  expect(await rowOf(id)).toBeUndefined();
  expect(await server.deps.storage.get(objectKey(1, id))).toBeUndefined();
});

test("a committed attachment is kept: 409", async () => {
  const { id, uploader } = await commit(server);
  expect(await refusal(remove(id, uploader))).toMatchObject({ status: 409, code: "attachment_committed" });
  expect(await rowOf(id)).toBe("committed");
  expect(await server.deps.storage.get(objectKey(1, id))).toBeDefined();
});

test("foreign, missing and deleted attachments give the same 404", async () => {
  const by = member();
  const others = await upload(server);
  const othersCommitted = await commit(server);
  const foreign = await upload(server, { by: { ...by, tenant: 2 } });
  const { api } = await visit(server);
  const visitors = await api.uploadPublicAttachment({ file: await fixture("pillow.png"), fieldName: "f" });
  const removed = await upload(server, { by });
  await remove(removed.attachment_id, by);
  const ids = [
    others.attachment_id,
    othersCommitted.id,
    foreign.attachment_id,
    visitors.attachment_id,
    removed.attachment_id,
    "0c8f9f0e-6f0b-4b8a-9d3e-2f4f1d0a7b11",
    "not-a-uuid",
    "1 or 1=1",
  ];
  const answers = await Promise.all(ids.map(async (id) => likeness(await refusal(remove(id, by)))));
  for (const answer of answers) expect(answer).toEqual(answers[0] as (typeof answers)[0]);
  expect(answers[0]?.status).toBe(404);
  for (const { attachment_id } of [others, foreign, visitors])
    expect(await rowOf(attachment_id)).toBe("draft");
});

test("an administrator cannot delete another user's draft", async () => {
  const { attachment_id } = await upload(server);
  const admin = { user: freshUser(), roles: ["admin_sop"] };
  expect(await refusal(remove(attachment_id, admin))).toMatchObject({ status: 404 });
  expect(await rowOf(attachment_id)).toBe("draft");
});

test("a user's draft in another tenant is not found in this one", async () => {
  const by = member();
  const { attachment_id } = await upload(server, { by });
  expect(await refusal(remove(attachment_id, { ...by, tenant: 2 }))).toMatchObject({ status: 404 });
  expect(await refusal(remove(attachment_id, by, "tenant-2"))).toMatchObject({ status: 401 });
  expect(await refusal(remove(attachment_id, by, "1"))).toMatchObject({ status: 401 });
  expect(await rowOf(attachment_id)).toBe("draft");
});

test("of many simultaneous deletions one is answered 204, the others 404", async () => {
  const by = member();
  const { attachment_id } = await upload(server, { by });
  const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => remove(attachment_id, by)));
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

test("without the storage the draft disappears, and the sweep deletes its object", async () => {
  const by = member();
  const { attachment_id: id } = await upload(server, { by });
  const folder = join(server.deps.config.dataDir, "objects");
  await rename(folder, `${folder}-away`);
  await remove(id, by);
  await rename(`${folder}-away`, folder);
  expect(await rowOf(id)).toBe("deleting");
  expect(await refusal(remove(id, by))).toMatchObject({ status: 404 });
});

test("a request without a login or x-active-tenant is answered 401", async () => {
  const { attachment_id } = await upload(server);
  const path = `DELETE /api/v1/probis/form-attachments/${attachment_id}`;
  expect(await send(server, path)).toMatchObject({ status: 401 });
  const headers = { authorization: "", "x-active-tenant": "tenant-1" };
  expect(await send(server, path, { headers })).toMatchObject({ status: 401 });
});
