/** The rules for values: metadata, and the values of tasklist and reports. */
import { expect, test } from "bun:test";
import { readAttachmentVariable, resolveFileValue } from "../../sdk/src/index.ts";

const id = "0c8f9f0e-6f0b-4b8a-9d3e-2f4f1d0a7b11";
const attachment = { kind: "attachment", attachmentId: id, fileName: "ktp.jpg" } as const;

test("metadata is an object with file_name and a UUID in attachment_id, else in id", () => {
  expect(readAttachmentVariable({ attachment_id: id, file_name: "ktp.jpg" })).toEqual(attachment);
  expect(readAttachmentVariable(JSON.stringify({ id, file_name: "ktp.jpg", size: 5 }))).toEqual({
    ...attachment,
    size: 5,
  });
});

test("any other value is not metadata", () => {
  const others = ["", "text", "[]", "null", 7, { file_name: "a" }, { id }, { id: "7", file_name: "a" }];
  for (const other of others) expect(readAttachmentVariable(other).kind).toBe("not_metadata");
});

test("a file value is absolute from the gateway's root, or relative to the tasklist's base", () => {
  const gateway = "https://bank.example/";
  expect(resolveFileValue("/api/v1/probis/form-attachments/x/download", gateway).href).toBe(
    "https://bank.example/api/v1/probis/form-attachments/x/download",
  );
  expect(resolveFileValue("/loan/download/4711/ktp", gateway).href).toBe(
    "https://bank.example/api/v1/tasklist/loan/download/4711/ktp",
  );
});
