import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { allowedExtensions } from "../../../src/files/content/allowedTypes.ts";
import { checkContent } from "../../../src/files/content/checkContent.ts";
import { ContentRejection, rejections } from "../../../src/files/content/rejection.ts";
import type { RejectionCode } from "../../../src/infrastructure/problem.ts";
import { fixture, inspect } from "../../support/inspectContent.ts";

const folder = join(import.meta.dir, "../../fixtures/content");
const refused: Readonly<Record<string, RejectionCode>> = {
  "msoffcrypto-encrypted.docx": "document_encrypted",
  "qpdf-encrypted.pdf": "document_encrypted",
};
const files = readdirSync(folder).filter((name) =>
  allowedExtensions.some((ending) => name.endsWith(`.${ending}`)),
);
const docxType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

for (const name of files) {
  test(`${name}, written by a real program, is ${refused[name] ?? "accepted"}`, async () => {
    expect(await inspect(fixture(name), name)).toBe(refused[name] ?? "accepted");
  });
}

test("the result is the standard content type, whatever alias was declared", async () => {
  const path = join(folder, "libreoffice.docx");
  const upload = {
    path,
    size: fixture("libreoffice.docx").length,
    declaredType: "application/wps-office.docx",
  };
  expect(await checkContent({ ...upload, fileName: "Surat.DOCX" })).toEqual({ mimeType: docxType });
});

test.each([
  ["photo.JPG", undefined],
  ["photo.jpeg", "image/jpeg"],
  ["photo.jpg", "image/jpg"],
  ["photo.jpg", "IMAGE/JPEG; charset=binary"],
  ["photo.jpg", "application/octet-stream"],
  ["photo.jpg", ""],
])("a JPEG named %s and declared %p is accepted", async (name, declared) => {
  expect(await inspect(fixture("imagemagick.jpg"), name, declared)).toBe("accepted");
});

test.each([
  ["photo.jpg", "image/png"],
  ["photo.jpg", "text/html"],
  ["photo.png", undefined],
  ["photo.pdf", undefined],
  ["photo.docx", undefined],
])("a JPEG named %s and declared %p is a type mismatch", async (name, declared) => {
  expect(await inspect(fixture("imagemagick.jpg"), name, declared)).toBe("type_mismatch");
});

test.each([
  "photo",
  "photo.jpg.exe",
  "photo.gif",
  "photo.jpg ",
  "photo.",
  ".",
  "",
  "jpg",
  "sheet.xlsm",
  "a.pdf/b",
])("the name %p is not allowed", async (name) => {
  expect(await inspect(fixture("imagemagick.jpg"), name)).toBe("extension_not_allowed");
});

test("a GIF, a docx as xlsx, and an xlsx as docx are type mismatches", async () => {
  const gif = Buffer.from("R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=", "base64");
  expect(await inspect(gif, "a.png", "image/png")).toBe("type_mismatch");
  expect(await inspect(fixture("libreoffice.docx"), "a.xlsx")).toBe("type_mismatch");
  expect(await inspect(fixture("openpyxl.xlsx"), "a.docx")).toBe("type_mismatch");
});

test("an empty file is refused as empty, whatever its extension", async () => {
  for (const ending of allowedExtensions)
    expect(await inspect(Buffer.alloc(0), `a.${ending}`)).toBe("file_empty");
});

test("an old Word document is refused, and renamed to docx the sentence says why", async () => {
  expect(await inspect(fixture("libreoffice-old.doc"), "a.doc")).toBe("extension_not_allowed");
  expect(await inspect(fixture("libreoffice-old.doc"), "a.docx")).toBe("document_encrypted");
  expect(new ContentRejection("document_encrypted").message).toContain("encrypted or in an old format");
});

test("every code has one plain sentence", () => {
  for (const sentence of Object.values(rejections)) expect(sentence).toMatch(/^[A-Z][^.]+\.$/);
});

test("a missing file throws the error of the file system, not a rejection", async () => {
  const missing = checkContent({ path: join(folder, "none.pdf"), size: 1, fileName: "none.pdf" });
  await expect(missing).rejects.toMatchObject({ code: "ENOENT" });
});
