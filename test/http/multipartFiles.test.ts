/** Multipart bodies in which a field takes several files. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { fixture, fixtureBytes, freshUser, member } from "../support/attachments.ts";
import { type Discussion, discussionOn, messagesPath, storedRemains } from "../support/messages.ts";
import { begin, beginUpload, end, field, filePart, part, sendParts } from "../support/rawUpload.ts";
import { startServer, type TestServer, type TokenClaims } from "../support/server.ts";
import { refusal } from "../support/tables.ts";

const largest = "weasyprint.pdf";
const maxBytes = (await fixtureBytes(largest)).length;
const file = await filePart("pillow.png");

let server: TestServer;
let discussion: Discussion;
let by: TokenClaims;
beforeAll(async () => {
  server = await startServer({ environment: { UPLOAD_MAX_SIZE: String(maxBytes) } });
  discussion = discussionOn(server);
  by = await discussion.join();
});
afterAll(() => server.stop());

const send = (parts: Uint8Array[]) =>
  sendParts(server, parts, { path: messagesPath(discussion.id), user: by.user ?? "" });

/** Refused bodies leave nothing behind, and accepted ones leave no temporary files. */
async function expectNothingMore(before: Awaited<ReturnType<typeof storedRemains>>): Promise<void> {
  expect(await storedRemains(server)).toEqual({ ...before, temporary: 0 });
}

test("files keep the order in which they were sent", async () => {
  const names = [largest, "pillow.png", "imagemagick.jpg", "chromium.png", "libreoffice.docx"];
  const { attachments } = await discussion.post(by, {
    files: await Promise.all(names.map((n) => fixture(n))),
  });
  expect(attachments.map(({ file_name }) => file_name)).toEqual(names);
});

test("two files may have the same name or the same content", async () => {
  const { status, body } = await send([file, file, end]);
  expect(status).toBe(201);
  expect(body.attachments.map((a: { file_name: string }) => a.file_name)).toEqual([
    "pillow.png",
    "pillow.png",
  ]);
  expect(body.attachments[0].attachment_id).not.toBe(body.attachments[1].attachment_id);
});

test("a single file in such a field is a list of one", async () => {
  expect((await send([file, end])).body.attachments).toHaveLength(1);
});

test("fields and files may come in any order", async () => {
  const { status, body } = await send([file, field("text", "hello"), file, end]);
  expect({ status, text: body.text, count: body.attachments?.length }).toEqual({
    status: 201,
    text: "hello",
    count: 2,
  });
});

test.each([
  ["more files than the contract allows", Array.from({ length: 6 }, () => file), "bad_request", []],
  ["a file and a text of one name", [file, field("file", "text")], "bad_request", []],
  ["a text and a file of one name", [field("file", "text"), file], "bad_request", []],
  ["a text that appears twice", [field("text", "a"), field("text", "b"), file], "bad_request", []],
  ["a text where files belong", [field("file", "text")], "invalid_body", ["/file"]],
  [
    "a file where text belongs",
    [part('Content-Disposition: form-data; name="text"; filename="a.txt"', "x")],
    "invalid_body",
    ["/text"],
  ],
  [
    "a file in a field that is not known",
    [file, part('Content-Disposition: form-data; name="files"; filename="a.png"', "x")],
    "invalid_body",
    ["/files"],
  ],
  [
    "a file without a name",
    [file, part('Content-Disposition: form-data; filename="a"', "x")],
    "bad_request",
    [],
  ],
])(
  "a body that breaks the contract is answered 400 and leaves nothing: %s",
  async (_what, parts, code, pointers) => {
    const before = await storedRemains(server);
    expect(await send([...parts, end])).toMatchObject({ status: 400, code, pointers });
    await expectNothingMore(before);
  },
);

test("too many files: the message names the limit", async () => {
  const { body } = await send([...Array.from({ length: 6 }, () => file), end]);
  expect(body.message).toBe("There are more than 5 files.");
});

test("each file may have the largest size; one byte more is answered 413", async () => {
  const whole = await fixture(largest);
  expect((await discussion.post(by, { files: Array(5).fill(whole) })).attachments).toHaveLength(5);
  const before = await storedRemains(server);
  const larger = new File([await fixtureBytes(largest), "\n"], largest);
  const answer = await refusal(discussion.post(by, { files: [whole, larger] }));
  expect(answer).toMatchObject({ status: 413, code: "payload_too_large" });
  await expectNothingMore(before);
});

test("a body announced as larger than all its files may be is answered 413 before it is sent", async () => {
  const connection = await beginUpload(server, 5 * maxBytes + 1024 ** 2, messagesPath(discussion.id));
  expect((await connection.answers(1))[0]?.status).toBe(413);
  connection.destroy();
});

test("a client that disconnects in its third file leaves nothing", async () => {
  const before = await storedRemains(server);
  const connection = await beginUpload(server, 1_000_000, messagesPath(discussion.id));
  connection.send(Buffer.concat([file, file, file.subarray(0, 200)]));
  await Bun.sleep(50);
  connection.destroy();
  await Bun.sleep(100);
  await expectNothingMore(before);
});

test("a body that ends in its third file is answered 400 and leaves nothing", async () => {
  const before = await storedRemains(server);
  const head = 'Content-Disposition: form-data; name="file"; filename="b.png"';
  expect(await send([file, file, begin(head)])).toMatchObject({ status: 400, code: "bad_request" });
  await expectNothingMore(before);
});

test("a text has at most 10,000 characters of any script", async () => {
  for (const sign of ["x", "é", "漢", "😀"]) {
    const text = sign.repeat(10_000);
    expect((await discussion.post(by, { text })).text).toBe(text);
    expect(await refusal(discussion.post(by, { text: text + sign }))).toMatchObject({
      status: 400,
      pointers: ["/text"],
    });
  }
});

test("files that many clients send at the same time are not mixed up", async () => {
  const members = await Promise.all(Array.from({ length: 12 }, () => discussion.join(member(freshUser()))));
  const names = ["pillow.png", "chromium.png", "imagemagick.jpg"];
  const posted = await Promise.all(
    members.map(async (claims, n) => {
      const files = await Promise.all(names.map((name) => fixture(name, { as: `${n}-${name}` })));
      return discussion.post(claims, { text: String(n), files });
    }),
  );
  for (const [n, { text, attachments }] of posted.entries()) {
    expect(text).toBe(String(n));
    expect(attachments.map(({ file_name }) => file_name)).toEqual(names.map((name) => `${n}-${name}`));
  }
});
