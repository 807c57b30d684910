import { afterAll, beforeAll, expect, test } from "bun:test";
import { fixture, fixtureBytes, freshUser, likeness, member } from "../../support/attachments.ts";
import { discussionOn, storedRemains } from "../../support/messages.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { refusal } from "../../support/tables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
const card = await fixture("pillow.png", { as: "card.png" });

test("a participant posts a text", async () => {
  const discussion = discussionOn(server);
  const bob = await discussion.join();
  expect(await discussion.post(bob, { text: "Please look at the second page.\n— bob 🙂" })).toEqual({
    message_id: uuid,
    author: bob.user ?? "",
    text: "Please look at the second page.\n— bob 🙂",
    created_at: moment,
    attachments: [],
  });
});

test("a message may have only files, or text and files; each file has its own id", async () => {
  const discussion = discussionOn(server);
  const bob = await discussion.join();
  const files = [card, await fixture("weasyprint.pdf", { as: "Slip gaji é.pdf" })];
  const sizes = [(await fixtureBytes("pillow.png")).length, (await fixtureBytes("weasyprint.pdf")).length];
  for (const text of [undefined, "Both sides."]) {
    const message = await discussion.post(bob, { ...(text ? { text } : {}), files });
    expect(message.text).toBe(text ?? "");
    expect(message.attachments).toEqual([
      { attachment_id: uuid, file_name: "card.png", mime_type: "image/png", size: sizes[0] ?? 0 },
      {
        attachment_id: uuid,
        file_name: "Slip gaji é.pdf",
        mime_type: "application/pdf",
        size: sizes[1] ?? 0,
      },
    ]);
    expect(await discussion.list(bob)).toMatchObject({ messages: expect.arrayContaining([message]) });
  }
});

test("administrators and engines can post without taking part", async () => {
  const discussion = discussionOn(server);
  expect(await discussion.post({}, { text: "from above" })).toMatchObject({ author: "alice" });
  const engine = { user: "engine-1", roles: ["engine"] };
  expect(await discussion.post(engine, { files: [card] })).toMatchObject({ author: "engine-1" });
});

test("a message without text and files answers 400", async () => {
  const discussion = discussionOn(server);
  for (const message of [{}, { text: "" }, { text: " \n\t " }])
    expect(await refusal(discussion.post({}, message))).toMatchObject({ status: 400, code: "invalid_body" });
  expect(await discussion.list({})).toMatchObject({ messages: [] });
});

test("for anybody else the discussion does not exist: 404, and nothing is stored", async () => {
  const discussion = discussionOn(server);
  const bob = await discussion.join();
  const before = await storedRemains(server);
  const message = { text: "let me in", files: [card] };
  const there = await refusal(discussion.post(member(), message));
  const nowhere = await refusal(discussionOn(server).post(member(), message));
  expect(there).toMatchObject({ status: 404, code: "discussion_not_found" });
  expect(likeness(there)).toEqual(likeness(nowhere));
  await discussion.leave(bob);
  expect(await refusal(discussion.post(bob, message))).toMatchObject({ status: 404 });
  expect(await storedRemains(server)).toEqual({ ...before, temporary: 0 });
});

test("each tenant has its own discussion of an instance id", async () => {
  const discussion = discussionOn(server);
  const bob = await discussion.join(member());
  await discussion.post(bob, { text: "ours" });
  expect(await refusal(discussion.post({ ...bob, tenant: 2 }, { text: "theirs" }))).toMatchObject({
    status: 404,
  });
  await discussion.post({ tenant: 2 }, { text: "theirs" });
  expect((await discussion.list(bob)).messages.map(({ text }) => text)).toEqual(["ours"]);
});

test("if a file is refused, the answer says which one, and nothing is stored", async () => {
  const discussion = discussionOn(server);
  const before = await storedRemains(server);
  const macros = await fixture("pillow.png", { as: "page.html" });
  const damaged = new File([(await fixtureBytes("pillow.png")).slice(0, -20)], "cut.png");
  for (const bad of [macros, damaged, new File([], "empty.pdf")]) {
    const answer = await refusal(discussion.post({}, { text: "x", files: [card, bad, card] }));
    expect(answer).toMatchObject({ status: 415, pointers: ["/file/1"] });
    expect(answer.body.message).toBe(answer.body.errors[0].detail);
  }
  const unnamed = await fixture("pillow.png", { as: `${"é".repeat(130)}.png` });
  expect(await refusal(discussion.post({}, { files: [unnamed] }))).toMatchObject({
    status: 400,
    code: "file_name_invalid",
    pointers: ["/file/0"],
  });
  expect(await discussion.list({})).toMatchObject({ messages: [] });
  expect(await storedRemains(server)).toEqual({ ...before, temporary: 0 });
});

test("more than 5 files or 10,000 characters of text answer 400", async () => {
  const discussion = discussionOn(server);
  const six = Array.from({ length: 6 }, () => card);
  expect(await refusal(discussion.post({}, { files: six }))).toMatchObject({
    status: 400,
    code: "bad_request",
  });
  const answer = await refusal(discussion.post({}, { text: "x".repeat(10_001) }));
  expect(answer).toMatchObject({ status: 400, pointers: ["/text"] });
});

test("any text is answered exactly as it was sent", async () => {
  const discussion = discussionOn(server);
  const texts = [
    "<script>alert(1)</script>",
    "'; drop table x; --",
    "a\nb\n\nc",
    "{{card}}",
    "\u202etxt",
    "é vs é",
  ];
  for (const text of texts) expect((await discussion.post({}, { text })).text).toBe(text);
  expect((await discussion.list({})).messages.map(({ text }) => text)).toEqual(texts);
});

test("a login of the tenant is needed", async () => {
  const api = await server.discussions({ tenant: 2 });
  const call = api.postMessage({ processInstanceId: "4711", xActiveTenant: "tenant-1", text: "x" });
  expect(await refusal(call)).toMatchObject({ status: 401 });
});

test("a user may post 60 messages a minute; the next one answers 429, other users are not affected", async () => {
  const discussion = discussionOn(server);
  const admin = () => ({ user: freshUser() });
  const busy = admin();
  for (let n = 0; n < 60; n++) await discussion.post(busy, { text: String(n) });
  const answer = await refusal(discussion.post(busy, { text: "60" }));
  expect(answer).toMatchObject({ status: 429, code: "rate_limited" });
  await discussion.post(admin(), { text: "60" });
});
