/** Other ways to upload (docs/decisions/requirements.md): such a file is never taken for a form attachment. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { fixture, fixtureBytes, freshInstance, member, upload } from "../../support/attachments.ts";
import { discussionOn, idOfPath, uploadGeneral } from "../../support/messages.ts";
import { startServer, type TestServer, type TokenClaims } from "../../support/server.ts";
import { makeTable, refusal } from "../../support/tables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const xActiveTenant = "tenant-1";

/** Tries everything that accepts the id of a form attachment. */
async function expectNoAttachment(id: string, by: TokenClaims): Promise<void> {
  const api = await server.attachments(by);
  const engine = await server.engine();
  const process_instance_id = freshInstance();
  const missing = { status: 404, code: "attachment_not_found" };
  const uncommitted = { status: 409, code: "not_committed" };
  const finalization = { attachment_ids: [id], process_instance_id };
  const binding = { tenant_id: 1, ...finalization };
  expect(await refusal(api.downloadAttachment({ attachmentId: id, xActiveTenant }))).toMatchObject(missing);
  expect(await refusal(api.deleteAttachment({ attachmentId: id, xActiveTenant }))).toMatchObject(missing);
  expect(await refusal(api.finalizeAttachments({ xActiveTenant, finalization }))).toMatchObject(uncommitted);
  expect(await refusal(engine.bindAttachments({ binding }))).toMatchObject(uncommitted);
  const issuing = engine.issueDownloadUrls({ downloadUrlRequest: binding });
  expect(await refusal(issuing)).toMatchObject(uncommitted);
}

test("operations on attachments do not find a general upload", async () => {
  const by = member();
  const path = await uploadGeneral(server, by, await fixture("pillow.png"));
  await expectNoAttachment(idOfPath(path), by);
  const response = await server.request(path, { headers: { "x-active-tenant": xActiveTenant } });
  expect(await response.bytes()).toEqual(await fixtureBytes("pillow.png"));
});

test("operations on attachments and general uploads do not find a message's attachment", async () => {
  const discussion = discussionOn(server);
  const by = await discussion.join();
  const { message_id, attachments } = await discussion.post(by, { files: [await fixture("pillow.png")] });
  const id = attachments[0]?.attachment_id ?? "";
  await expectNoAttachment(id, by);
  const path = `/api/v1/integration/files/${id}`;
  const general = await server.request(path, { headers: { "x-active-tenant": xActiveTenant } });
  expect(general.status).toBe(404);
  expect((await discussion.download(by, message_id, id)).status).toBe(200);
});

test("a form attachment is neither a general upload nor a message's attachment", async () => {
  const discussion = discussionOn(server);
  const by = await discussion.join();
  const { message_id } = await discussion.post(by, { text: "x" });
  const { attachment_id } = await upload(server, { by, processInstanceId: discussion.id });
  const path = `/api/v1/integration/files/${attachment_id}`;
  expect((await server.request(path, { headers: { "x-active-tenant": xActiveTenant } })).status).toBe(404);
  expect(await refusal(discussion.download(by, message_id, attachment_id))).toMatchObject({ status: 404 });
});

test("a record can hold the path of a general upload", async () => {
  const table = await makeTable(server, { name: "text", contract: "text" });
  const contract = await uploadGeneral(server, member(), await fixture("weasyprint.pdf"));
  await table.insert({ name: "PT Maju", contract });
  const [record] = await table.values({ name: "PT Maju" });
  const response = await server.request(String(record?.contract), {
    headers: { "x-active-tenant": xActiveTenant },
  });
  expect(response.headers.get("content-type")).toBe("application/pdf");
  expect(await response.bytes()).toEqual(await fixtureBytes("weasyprint.pdf"));
});
