import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import {
  fixture,
  fixtureBytes,
  freshUser,
  likeness,
  member,
  slugOf,
  upload,
} from "../../support/attachments.ts";
import { discussionOn, idOfPath, uploadGeneral } from "../../support/messages.ts";
import { startServer, type TestServer, type TokenClaims } from "../../support/server.ts";
import { refusal, send } from "../../support/tables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const download = async (fileId: string, by: TokenClaims) => {
  const api = await server.integration(by);
  return (await api.downloadFileRaw({ fileId, xActiveTenant: slugOf(by) })).raw;
};
const notFound = { status: 404, code: "file_not_found" };

test("every member of the tenant gets the complete file with its name, repeatedly", async () => {
  const file = await fixture("weasyprint.pdf", { as: "Slip gaji é.pdf" });
  const id = idOfPath(await uploadGeneral(server, member(), file));
  const bytes = await fixtureBytes("weasyprint.pdf");
  const digest = createHash("sha256").update(bytes).digest("base64");
  for (const role of ["member", "admin_sop", "engine"]) {
    const response = await download(id, { user: freshUser(), roles: [role] });
    expect(await response.bytes()).toEqual(bytes);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/pdf",
      "content-length": String(bytes.length),
      "content-disposition": `attachment; filename="Slip gaji e.pdf"; filename*=UTF-8''Slip%20gaji%20%C3%A9.pdf`,
      "repr-digest": `sha-256=:${digest}:`,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "content-security-policy": "sandbox",
    });
  }
});

test("foreign and missing files, attachments and missing objects give the same 404", async () => {
  const by = member();
  const theirs = idOfPath(await uploadGeneral(server, member(freshUser(), 2), await fixture("pillow.png")));
  const { attachment_id } = await upload(server, { by });
  const discussion = discussionOn(server);
  await discussion.join(by);
  const { attachments } = await discussion.post(by, { files: [await fixture("pillow.png")] });
  const gone = idOfPath(await uploadGeneral(server, by, await fixture("pillow.png")));
  await server.deps.storage.remove(`files/1/${gone}`);
  const ids = [theirs, crypto.randomUUID(), attachment_id, attachments[0]?.attachment_id ?? "", gone, "x"];
  const answers = await Promise.all(ids.map((id) => refusal(download(id, by))));
  for (const answer of answers) {
    expect(answer).toMatchObject(notFound);
    expect(likeness(answer)).toEqual(likeness(answers[0] as typeof answer));
  }
});

test("a file that is being stored or removed does not exist", async () => {
  const by = member();
  const id = idOfPath(await uploadGeneral(server, by, await fixture("pillow.png")));
  for (const state of ["receiving", "deleting"]) {
    await server.sql`update waybill.stored_files set state = ${state} where id = ${id}`;
    expect(await refusal(download(id, by))).toMatchObject(notFound);
  }
});

test("an id in capital letters is the same id; an invalid id is answered 404", async () => {
  const by = member();
  const id = idOfPath(await uploadGeneral(server, by, await fixture("pillow.png")));
  expect((await download(id.toUpperCase(), by)).status).toBe(200);
  for (const odd of [`${id}x`, "..", "a/b", "' or 1=1"])
    expect(await refusal(download(odd, by))).toMatchObject({ status: 404 });
});

test("a login of the tenant is required; Range is ignored and other methods are refused", async () => {
  const by = member();
  const path = await uploadGeneral(server, by, await fixture("pillow.png"));
  expect((await fetch(`${server.url}${path}`)).status).toBe(401);
  const api = await server.integration({ tenant: 2 });
  const foreign = api.downloadFile({ fileId: idOfPath(path), xActiveTenant: "tenant-1" });
  expect(await refusal(foreign)).toMatchObject({ status: 401 });
  const headers = { "x-active-tenant": "tenant-1", range: "bytes=0-9" };
  const partly = await server.request(path, { headers });
  expect(partly.status).toBe(200);
  expect(await partly.bytes()).toEqual(await fixtureBytes("pillow.png"));
  for (const method of ["PUT", "DELETE", "HEAD"])
    expect(await send(server, `${method} ${path}`, { headers })).toMatchObject({ status: 405 });
});
