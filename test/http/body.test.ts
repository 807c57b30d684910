/** Bodies that no client should send are refused, and nothing is written. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { expectProblem } from "../support/problem.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
const path = "/api/v1/report/1/schema/tables";
const valid = { name: "never_made", columns: [{ name: "full_name", type: "text" }] };

beforeAll(async () => {
  server = await startServer();
  await server.request(path);
});
afterAll(() => server.stop());
afterEach(async () => {
  const [left] = await server.sql`select count(*)::int as tables from tenant_1._tables`;
  expect(left).toEqual({ tables: 0 });
  expect(server.logged.filter(({ level }) => level === "error")).toEqual([]);
});

const post = (body: BodyInit, headers: Record<string, string> = {}) =>
  server.request(path, {
    method: "POST",
    body,
    headers: { "content-type": "application/json", ...headers },
  });

test.each([
  ["nothing", ""],
  ["half a document", '{"name":"never_made","columns":['],
  ["two documents", "{}{}"],
  ["a comma too many", '{"name":"never_made",}'],
  ["single quotes", "{'name':1}"],
  ["a comment", "{} // made"],
  ["NaN", '{"name":NaN}'],
  ["a leading zero", '{"name":01}'],
  ["a bare line break in a string", '{"name":"a\nb"}'],
  ["a byte order mark in the middle", '{"name"\uFEFF:1}'],
  ["form data", "name=never_made"],
])("a body that is not JSON is answered 400: %s", async (_what, body) => {
  await expectProblem(await post(body), "invalid_json");
});

test.each([
  ["a bare 0xFF", [0x22, 0xff, 0x22]],
  ["a cut sequence", [0x22, 0xc3, 0x22]],
  ["an overlong slash", [0x22, 0xc0, 0xaf, 0x22]],
  ["a surrogate in three bytes", [0x22, 0xed, 0xa0, 0x80, 0x22]],
  ["UTF-16", [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
])("a body that is not UTF-8 is answered 400: %s", async (_what, bytes) => {
  const { message } = await expectProblem(await post(new Uint8Array(bytes)), "invalid_json");
  expect(message).toBe("The body is not valid UTF-8.");
});

test.each(["null", "true", "7", '"text"', "[]", "[[]]", "{}"])(
  "a document of the wrong shape is answered 400: %s",
  async (body) => {
    await expectProblem(await post(body), "invalid_body");
  },
);

test.each([
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/jsonp",
])("another content type is answered 415: %s", async (type) => {
  await expectProblem(await post(JSON.stringify(valid), { "content-type": type }), "unsupported_media_type");
});

test("a missing content type or another charset is answered 415", async () => {
  const bytes = new Blob([JSON.stringify(valid)]);
  const headers = { authorization: `Bearer ${await server.token()}` };
  const untyped = await fetch(`${server.url}${path}`, { method: "POST", body: bytes, headers });
  await expectProblem(untyped, "unsupported_media_type");
  const latin = await post(JSON.stringify(valid), { "content-type": "application/json; charset=latin1" });
  await expectProblem(latin, "unsupported_media_type");
});

test.each(["gzip", "deflate", "br", "gzip, identity"])(
  "a compressed body is answered 415: %s",
  async (encoding) => {
    const body = Bun.gzipSync(JSON.stringify(valid));
    await expectProblem(await post(body, { "content-encoding": encoding }), "unsupported_media_type");
  },
);

test("unknown members are refused, each with its pointer", async () => {
  const body = { ...valid, extra: 1, columns: [{ ...valid.columns[0], primary: true }] };
  const { errors } = await expectProblem(await post(JSON.stringify(body)), "invalid_body");
  expect(errors?.map(({ pointer }) => pointer).sort()).toEqual(["/columns/0/primary", "/extra"]);
});

test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
  "a member called %s is refused as an unknown member",
  async (name) => {
    const text = JSON.stringify(valid).replace("{", `{"${name}":{"polluted":true},`);
    const { errors } = await expectProblem(await post(text), "invalid_body");
    expect(errors?.map(({ pointer }) => pointer)).toContain(`/${name}`);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  },
);

test.each([
  ["different values", '{"name":"a","name":"b"}'],
  ["equal values", '{"name":"a","name":"a"}'],
  ["one of them escaped", '{"name":"a","\\u006eame":"a"}'],
  ["deep inside", '{"columns":[{"name":"a","type":"text","type":"text"}]}'],
  ["__proto__ twice", '{"__proto__":1,"__proto__":1}'],
])("a key that appears twice is answered 400: %s", async (_what, body) => {
  await expectProblem(await post(body), "invalid_json");
});

test("nesting deeper than 128 levels is answered 400", async () => {
  for (const depth of [129, 100_000]) {
    const { message } = await expectProblem(
      await post(`${"[".repeat(depth)}${"]".repeat(depth)}`),
      "invalid_json",
    );
    expect(message).toContain("128");
  }
});

test.each([
  ["U+0000", '"a\\u0000b"'],
  ["half of a surrogate pair", '"a\\ud800b"'],
  ["the other half", '"\\udc00"'],
])("text that cannot be stored is answered 400 with its pointer: %s", async (_what, text) => {
  const body = JSON.stringify(valid).replace("{", `{"description":${text},`);
  const { errors } = await expectProblem(await post(body), "invalid_body");
  expect(errors?.[0]?.pointer).toBe("/description");
});

test("at most 100 faults are reported at once", async () => {
  const columns = Array.from({ length: 300 }, (_, index) => ({ name: `Column ${index}`, type: "float" }));
  const { errors } = await expectProblem(await post(JSON.stringify({ name: "x", columns })), "invalid_body");
  expect(errors).toHaveLength(100);
});

test("a body whose announced length is too large is refused", async () => {
  const body = `{"name":"${"a".repeat(1_048_576)}"}`;
  await expectProblem(await post(body), "payload_too_large");
});

test("a body without an announced length is refused once it is too large", async () => {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await Bun.sleep(1);
      sent += 65_536;
      // Far more than the limit, so a server that reads all of it takes noticeably long.
      if (sent > 2 ** 30) controller.close();
      else controller.enqueue(new Uint8Array(65_536).fill(0x20));
    },
  });
  await expectProblem(await post(body), "payload_too_large");
  expect(sent).toBeLessThan(2 ** 27);
});
