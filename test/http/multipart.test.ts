/** Uploads that no browser sends are refused soon, with a clear message, and leave nothing behind. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { fixture, fixtureBytes, remains, upload, uploadPath } from "../support/attachments.ts";
import { openRaw } from "../support/rawHttp.ts";
import {
  begin,
  beginUpload,
  chunk,
  end,
  field,
  fields,
  filePart,
  part,
  sendParts,
} from "../support/rawUpload.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { refusal } from "../support/tables.ts";

const largest = "weasyprint.pdf";
const maxBytes = (await fixtureBytes(largest)).length;
const file = await filePart("pillow.png");
const png = await fixtureBytes("pillow.png");

let server: TestServer;
let accepted = 0;
beforeAll(async () => {
  server = await startServer({ bodyTimeoutMs: 400, environment: { UPLOAD_MAX_SIZE: String(maxBytes) } });
});
afterAll(() => server.stop());
afterEach(async () => {
  expect(await remains(server)).toEqual({ rows: accepted, objects: accepted, temporary: 0 });
  expect(server.logged.filter(({ level }) => level === "error")).toEqual([]);
});

const malformed: [what: string, parts: Uint8Array[]][] = [
  ["two files", [...fields, file, file, end]],
  ["a field that appears twice", [...fields, field("field_name", "other"), file, end]],
  ["a file and a text of one name", [...fields, field("file", "text"), file, end]],
  ["a text and a file of one name", [...fields, file, field("file", "text"), end]],
  ["a text without a name", [...fields, file, part("Content-Disposition: form-data", "text"), end]],
  ["a text with an empty name", [...fields, file, field("", "text"), end]],
  ["a file without a name", [...fields, part('Content-Disposition: form-data; filename="a.png"', png), end]],
  ["more fields than any form has", [...Array.from({ length: 21 }, (_, i) => field(`f${i}`, "")), file, end]],
  ["more parts than any form has", [...Array.from({ length: 22 }, () => part("X: y")), ...fields, file, end]],
  ["a field of 64 KB and one byte", [...fields, field("task_id", "x".repeat(64 * 1024 + 1)), file, end]],
  ["U+0000 in a field", [...fields, field("task_id", "a\0b"), file, end]],
  ["no end", [...fields, file]],
  ["no end of the file", [...fields, file.subarray(0, -20)]],
  ["no end of a part's header", [...fields, file, begin("X: y").subarray(0, -6)]],
  ["no end of a field", [...fields, file, begin('Content-Disposition: form-data; name="task_id"')]],
  ["no end of a part that is skipped", [...fields, file, begin("X: y")]],
  ["another boundary", [Buffer.from("--other\r\n\r\n\r\n--other--\r\n")]],
  ["no multipart at all", [Buffer.from('{"file":"pillow.png"}')]],
  ["nothing", []],
];
test.each(malformed)("a body that cannot be read is answered 400: %s", async (_what, parts) => {
  expect(await sendParts(server, parts)).toMatchObject({ status: 400, code: "bad_request" });
});

const unfit: [what: string, parts: Uint8Array[], pointers: string[]][] = [
  ["no file", [...fields, end], ["/file"]],
  ["a file as text", [...fields, field("file", "text"), end], ["/file"]],
  [
    "text that looks like a received file",
    [...fields, field("file", '{"path":"/etc/passwd"}'), end],
    ["/file"],
  ],
  [
    "a field as a file",
    [
      fields[0] as Buffer,
      file,
      part('Content-Disposition: form-data; name="field_name"; filename="a"', "x"),
      end,
    ],
    [],
  ],
  ["a field too many", [...fields, field("tenant_id", "2"), file, end], ["/tenant_id"]],
  ["a field named __proto__", [...fields, field("__proto__", "x"), file, end], ["/__proto__"]],
  ["no fields", [file, end], ["/process_key", "/field_name"]],
  ["only an end", [end], ["/file", "/process_key", "/field_name"]],
];
test.each(unfit)("a body that breaks the contract is answered 400: %s", async (_what, parts, pointers) => {
  const answer = await sendParts(server, parts);
  expect(answer.status).toBe(400);
  expect(answer.pointers).toEqual(pointers);
});

test.each([
  ["no boundary", "multipart/form-data", 415],
  ["another parameter", "multipart/form-data; charset=utf-8", 400],
  ["an empty boundary", "multipart/form-data; boundary=", 400],
  ["another boundary", "multipart/form-data; boundary=other", 400],
  ["JSON", "application/json", 415],
  ["another multipart", "multipart/mixed; boundary=waybill-boundary", 415],
  ["a URL-encoded form", "application/x-www-form-urlencoded", 415],
])("a content type that does not fit is refused: %s", async (_what, contentType, status) => {
  expect(await sendParts(server, [...fields, file, end], { contentType })).toMatchObject({ status });
});

test("a file of the largest size is accepted; with one byte more it is answered 413", async () => {
  expect((await upload(server, { file: await fixture(largest) })).size).toBe(maxBytes);
  accepted += 1;
  const larger = new File([await fixtureBytes(largest), "\n"], largest);
  const answer = await refusal(upload(server, { file: larger }));
  expect(answer).toMatchObject({ status: 413, code: "payload_too_large" });
  expect(answer.body.message).toContain(String(maxBytes));
});

test("a body whose announced length is too large is answered 413 before it is sent", async () => {
  const connection = await beginUpload(server, 1_000_000_000);
  expect((await connection.answers(1))[0]?.status).toBe(413);
  connection.destroy();
});

test.each([
  ["a file", [...fields, begin('Content-Disposition: form-data; name="file"; filename="a.png"')]],
  ["a field", [begin('Content-Disposition: form-data; name="task_id"')]],
  ["a part that is skipped", [begin("X: y")]],
  ["a part's header", [Buffer.from("--waybill-boundary\r\nX: ")]],
  ["text before the first part", []],
  ["text behind the last part", [...fields, file, end]],
])("a body that never ends is answered 413, and its connection is closed: %s", async (_what, parts) => {
  const connection = await beginUpload(server);
  if (parts.length > 0) connection.send(chunk(Buffer.concat(parts)));
  const timer = setInterval(() => connection.send(chunk(Buffer.alloc(32 * 1024, "A"))), 2);
  const [answer] = await connection.answers(1, 350);
  expect(JSON.parse(answer?.body ?? "")).toMatchObject({ code: "payload_too_large", status: 413 });
  await connection.closed(1_000);
  clearInterval(timer);
});

test("a body that never ends is cut off too if its sender is refused", async () => {
  const connection = await openRaw(server.url);
  connection.send(`POST ${uploadPath} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n`);
  const timer = setInterval(() => connection.send(chunk(Buffer.alloc(1_024))), 2);
  expect((await connection.answers(1))[0]?.status).toBe(401);
  await connection.closed(1_000);
  clearInterval(timer);
});

test("a body that trickles is answered 408 at its deadline", async () => {
  const connection = await beginUpload(server, 5_000);
  connection.send(Buffer.concat([...fields, file.subarray(0, 120)]));
  const timer = setInterval(() => connection.send("A"), 50);
  expect((await connection.answers(1))[0]?.status).toBe(408);
  clearInterval(timer);
  connection.destroy();
});

test("a client that disconnects leaves nothing behind and disturbs nobody", async () => {
  for (const length of [0, 1, 150, 250, 350]) {
    const connection = await beginUpload(server, 1_000);
    connection.send(Buffer.concat([...fields, file]).subarray(0, length));
    await Bun.sleep(20);
    connection.destroy();
  }
  await Bun.sleep(100);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
});

test("a file part without a content type is accepted", async () => {
  expect(await sendParts(server, [...fields, file, end])).toMatchObject({ status: 201 });
  accepted += 1;
});

test("preamble, epilogue, other headers and parts without a field are ignored", async () => {
  const around = Buffer.from("This is a multi-part message in MIME format.\r\n");
  const skipped = part('Content-Disposition: attachment; name="x"', "x");
  const parts = [
    around,
    ...fields,
    skipped,
    await filePart("pillow.png", { type: "IMAGE/PNG; a=b" }),
    end,
    around,
  ];
  expect(await sendParts(server, parts)).toMatchObject({ status: 201 });
  accepted += 1;
});

test("a body that arrives byte by byte is accepted", async () => {
  const body = Buffer.concat([...fields, file, end]);
  const connection = await beginUpload(server, body.length);
  for (const byte of body) connection.send(Uint8Array.of(byte));
  expect((await connection.answers(1))[0]?.status).toBe(201);
  connection.destroy();
  accepted += 1;
});

test("refusing a million parts costs no more than receiving the body", async () => {
  const roomy = await startServer();
  const authorization = `Bearer ${await roomy.token()}`;
  const headers = {
    authorization,
    "x-active-tenant": "tenant-1",
    "content-type": "multipart/form-data; boundary=x",
  };
  /** Processor milliseconds of client and server. */
  const costOf = async (body: string) => {
    const before = process.cpuUsage();
    const response = await fetch(roomy.url + uploadPath, { method: "POST", headers, body });
    expect(await response.json()).toMatchObject({ code: "bad_request" });
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  const size = 9 * 1024 ** 2;
  await costOf("--x\r\n\r\n\r\n".repeat(1_000));
  const receiving = await costOf(`${"y".repeat(size)}\r\n--x`);
  expect(await costOf("--x\r\n\r\n\r\n".repeat(size / 9))).toBeLessThan(3 * receiving + 200);
  await roomy.stop();
});
