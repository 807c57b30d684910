import { expect, test } from "bun:test";
import { attachmentIdOf } from "../../../src/processes/variables/attachmentMetadata.ts";

const id = "0b5c3c5e-8a52-4d5e-9d5a-2f7f5d1c9a10";
const other = "7d1d2c9e-1c1b-4f6b-8f0e-0a4a3c2b1d00";

test.each([
  ["attachment_id and file_name", { attachment_id: id, file_name: "a.pdf" }],
  ["id and file_name", { id, file_name: "a.pdf" }],
  ["both keys: attachment_id counts", { id: other, attachment_id: id, file_name: "a.pdf" }],
  [
    "an attachment_id that is not a UUID, and an id that is one",
    { attachment_id: "", id, file_name: "a.pdf" },
  ],
  [
    "any other member, also another type",
    { attachment_id: id, file_name: "", type: "x", size: "1", more: [] },
  ],
  ["a UUID in capitals", { attachment_id: id.toUpperCase(), file_name: "a.pdf" }],
])("attachment metadata is an object with %s", (_, value) => {
  expect(attachmentIdOf(JSON.stringify(value))).toBe(id);
  expect(attachmentIdOf(` \n${JSON.stringify(value, null, 2)} `)).toBe(id);
  expect(attachmentIdOf(value)).toBe(id);
});

test.each([
  ["no file_name", { attachment_id: id, type: "file_attachment" }],
  ["a file_name that is not a text", { attachment_id: id, file_name: 1 }],
  ["no id", { file_name: "a.pdf" }],
  ["an id that is not a UUID", { attachment_id: `${id}0`, file_name: "a.pdf" }],
  ["an id that is not a text", { attachment_id: [id], file_name: "a.pdf" }],
  ["a list around it", [{ attachment_id: id, file_name: "a.pdf" }]],
  ["null", null],
  ["a text around it", JSON.stringify({ attachment_id: id, file_name: "a.pdf" })],
])("a value with %s is not attachment metadata", (_, value) => {
  expect(attachmentIdOf(JSON.stringify(value))).toBeUndefined();
});

test("the keys of metadata may be written in escapes", () => {
  const escaped = `{"\\u0066ile_name":"a.pdf","attachment_\\u0069d":"${id}"}`;
  expect(attachmentIdOf(escaped)).toBe(id);
  expect(attachmentIdOf(`{"file\\u005Fname":"a.pdf","id":"${id}"}`)).toBe(id);
});

test("a long text that is not metadata is not parsed", () => {
  const text = `{"a":[${"1,".repeat(10_000_000)}1]}`;
  const started = performance.now();
  expect(attachmentIdOf(text)).toBeUndefined();
  const looked = performance.now() - started;
  JSON.parse(text);
  expect(looked).toBeLessThan((performance.now() - started - looked) / 2);
});

test.each(["", "{", "{}", id, `{"attachment_id":"${id}","file_name":"a.pdf"`, `x{"id":"${id}"}`])(
  "the text %j is not attachment metadata",
  (text) => {
    expect(attachmentIdOf(text)).toBeUndefined();
  },
);
