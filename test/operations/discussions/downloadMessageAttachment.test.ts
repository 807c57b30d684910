import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { fixture, fixtureBytes, likeness, member } from "../../support/attachments.ts";
import { type Discussion, discussionOn, messagesPath } from "../../support/messages.ts";
import { startServer, type TestServer, type TokenClaims } from "../../support/server.ts";
import { refusal } from "../../support/tables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const notFound = { status: 404, code: "attachment_not_found" };

interface Posted {
  readonly discussion: Discussion;
  readonly by: TokenClaims;
  readonly message: string;
  readonly attachment: string;
}

/** A message with one file, in a new discussion. */
async function posted(discussion = discussionOn(server)): Promise<Posted> {
  const by = await discussion.join();
  const files = [await fixture("weasyprint.pdf", { as: "Slip gaji é.pdf" })];
  const { message_id: message, attachments } = await discussion.post(by, { files });
  return { discussion, by, message, attachment: attachments[0]?.attachment_id ?? "" };
}

test("everybody who may read the discussion gets the whole file under its name", async () => {
  const { discussion, by, message, attachment } = await posted();
  const bytes = await fixtureBytes("weasyprint.pdf");
  const digest = createHash("sha256").update(bytes).digest("base64");
  for (const reader of [by, await discussion.join(), {}, { roles: ["engine"] }]) {
    const response = await discussion.download(reader, message, attachment);
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

test("for others the discussion does not exist, and neither for an author who has left", async () => {
  const { discussion, by, message, attachment } = await posted();
  await discussion.leave(by);
  for (const other of [by, member()])
    expect(await refusal(discussion.download(other, message, attachment))).toMatchObject({
      status: 404,
      code: "discussion_not_found",
    });
});

test("an attachment is found only through its own message and discussion; anything else is the same 404", async () => {
  const { discussion, by, message, attachment } = await posted();
  const second = await discussion.post(by, { text: "no file" });
  const other = await posted();
  await discussion.join(other.by);
  const refused = await Promise.all(
    [
      discussion.download(by, second.message_id, attachment),
      discussion.download(by, message, other.attachment),
      discussion.download(by, message, crypto.randomUUID()),
      discussion.download(by, crypto.randomUUID(), attachment),
      discussion.download(by, message, "x"),
      discussion.download(by, "x", attachment),
      discussion.download(other.by, other.message, other.attachment),
      other.discussion.download({}, message, attachment),
    ].map(refusal),
  );
  for (const answer of refused) {
    expect(answer).toMatchObject(notFound);
    expect(likeness(answer)).toEqual(likeness(refused[0] as typeof answer));
  }
});

test("the same instance in another tenant has no such attachment", async () => {
  const { discussion, message, attachment } = await posted();
  expect(await refusal(discussion.download({ tenant: 2 }, message, attachment))).toMatchObject(notFound);
});

test("a missing object answers 404, and a damaged one answers 500 without any of its bytes", async () => {
  const { discussion, by, message, attachment } = await posted();
  const key = `files/1/${attachment}`;
  const object = await server.deps.storage.get(key);
  await object?.body.cancel();
  const { path } = object ?? {};
  if (path !== undefined) {
    await Bun.write(path, "cut");
    const answer = await refusal(discussion.download(by, message, attachment));
    expect(answer).toMatchObject({ status: 500, code: "internal_error" });
  }
  await server.deps.storage.remove(key);
  expect(await refusal(discussion.download(by, message, attachment))).toMatchObject(notFound);
});

test("a login is needed", async () => {
  const { discussion, message, attachment } = await posted();
  const path = `${messagesPath(discussion.id)}/${message}/attachments/${attachment}/download`;
  expect((await fetch(`${server.url}${path}`)).status).toBe(401);
});
