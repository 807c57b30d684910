import { afterAll, beforeAll, expect, test } from "bun:test";
import { fixture, freshUser, likeness, member } from "../../support/attachments.ts";
import { discussionOn, messagesPath } from "../../support/messages.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { refusal, send } from "../../support/tables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test("messages come oldest first, each exactly as postMessage answered it", async () => {
  const discussion = discussionOn(server);
  const [bob, carol] = [await discussion.join(), await discussion.join()];
  const png = await fixture("pillow.png");
  const posted = [
    await discussion.post(bob, { text: "one" }),
    await discussion.post(carol, { text: "two", files: [png, await fixture("weasyprint.pdf"), png] }),
    await discussion.post(bob, { files: [png] }),
  ];
  for (const by of [bob, carol, {}, { roles: ["engine"] }])
    expect(await discussion.list(by)).toEqual({ messages: posted, page: 0, limit: 50 });
});

test("pages of any size list each message once", async () => {
  const discussion = discussionOn(server);
  for (let n = 0; n < 7; n++) await discussion.post({ user: freshUser() }, { text: String(n) });
  const texts: string[] = [];
  for (let page = 0; page < 4; page++) {
    const answer = await discussion.list({}, { page, limit: 3 });
    expect(answer).toMatchObject({ page, limit: 3 });
    texts.push(...answer.messages.map(({ text }) => text));
  }
  expect(texts).toEqual(["0", "1", "2", "3", "4", "5", "6"]);
});

test.each(["page=-1", "page=x", "page=1.5", "limit=0", "limit=501", "limit=", "offset=1"])(
  "an invalid page answers 400: %s",
  async (query) => {
    const path = `GET ${messagesPath("4711")}?${query}`;
    const answer = await send(server, path, { headers: { "x-active-tenant": "tenant-1" } });
    expect(answer).toMatchObject({ status: 400, code: "invalid_parameter" });
  },
);

test("a discussion without messages is an empty list for its readers", async () => {
  expect(await discussionOn(server).list({})).toEqual({ messages: [], page: 0, limit: 50 });
});

test("for anybody else a discussion does not exist: 404", async () => {
  const discussion = discussionOn(server);
  const bob = await discussion.join();
  await discussion.post(bob, { text: "between us" });
  const mallory = member();
  const there = await refusal(discussion.list(mallory));
  expect(there).toMatchObject({ status: 404, code: "discussion_not_found" });
  expect(likeness(there)).toEqual(likeness(await refusal(discussionOn(server).list(mallory))));
  await discussion.leave(bob);
  expect(await refusal(discussion.list(bob))).toMatchObject({ status: 404 });
});

test("messages of other discussions and tenants are not listed", async () => {
  const discussion = discussionOn(server);
  await discussion.post({}, { text: "here" });
  await discussionOn(server).post({}, { text: "elsewhere" });
  await discussion.post({ tenant: 2 }, { text: "the other tenant" });
  expect((await discussion.list({})).messages.map(({ text }) => text)).toEqual(["here"]);
  const api = await server.discussions({ tenant: 2 });
  const foreign = api.listMessages({ processInstanceId: discussion.id, xActiveTenant: "tenant-1" });
  expect(await refusal(foreign)).toMatchObject({ status: 401 });
});

test("messages that many users post at the same time are all listed once", async () => {
  const discussion = discussionOn(server);
  const texts = Array.from({ length: 40 }, (_, n) => String(n));
  await Promise.all(texts.map((text) => discussion.post({ user: freshUser() }, { text })));
  const { messages } = await discussion.list({});
  expect(messages.map(({ text }) => text).sort()).toEqual(texts.sort());
  const moments = messages.map(({ created_at }) => created_at);
  expect(moments).toEqual([...moments].sort());
});
