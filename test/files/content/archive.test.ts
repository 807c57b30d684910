import { expect, test } from "bun:test";
import { deflateRawSync } from "node:zlib";
import { inspect } from "../../support/inspectContent.ts";
import { buildDocument, documentParts, documentXml, typesXml } from "../../support/officeParts.ts";
import { buildZip, type ZipEnd, type ZipPart } from "../../support/zipBuilder.ts";

/** Inspects a docx with one more part. */
const inspectPart = (part: ZipPart, end: ZipEnd = {}) =>
  inspect(buildDocument({ extra: [part], end }), "a.docx");
const custom = (rest: Partial<ZipPart> = {}): ZipPart => ({ name: "word/custom.xml", data: "<a/>", ...rest });

test("a small document is accepted, also stored, streamed, in another order or with folders", async () => {
  expect(await inspectPart(custom())).toBe("accepted");
  expect(await inspectPart(custom({ method: 0 }))).toBe("accepted");
  expect(await inspectPart({ name: "word/", data: "", method: 0 })).toBe("accepted");
  const streamed = documentParts().map((part) => ({ ...part, descriptor: true }));
  expect(await inspect(buildZip(streamed.toReversed()), "a.docx")).toBe("accepted");
});

test("every form of a data descriptor is read, and one with other values is refused", async () => {
  for (const descriptorBytes of [12, 16, 20, 24] as const) {
    const streamed = custom({ descriptor: true, descriptorBytes });
    expect(await inspectPart(streamed)).toBe("accepted");
    expect(await inspectPart({ ...streamed, central: { crc: 1 } })).toBe("archive_damaged");
  }
});

test.each([
  "../evil.xml",
  "word/../../evil.xml",
  "word/..",
  "/etc/passwd.xml",
  "C:/evil.xml",
  "word\\evil.xml",
  "word//evil.xml",
  "word/./evil.xml",
  "word/evil.xml.",
  "word/evil\0.xml",
  "word/evil\n.xml",
  "word/%2e%2e/evil.xml",
  "word/%5cevil.xml",
  "word%2f../evil.xml",
  "",
])("a part named %p is refused", async (name) => {
  expect(await inspectPart({ name, data: "<a/>" })).toBe("archive_unsafe_name");
});

test("a second name in an Info-ZIP Unicode path is refused", async () => {
  const extra = Buffer.concat([
    Buffer.from("75700f000100000000", "hex"),
    Buffer.from("../../evil.xml").subarray(0, 10),
  ]);
  expect(await inspectPart(custom({ extra }))).toBe("archive_unsafe_name");
});

test("a symbolic link is refused", async () => {
  expect(await inspectPart(custom({ externalAttributes: 0o120777 * 0x10000 }))).toBe("archive_unsafe_name");
});

test.each(["word/document.xml", "Word/DOCUMENT.xml", "word/%64ocument.xml"])(
  "a second part that readers would find as word/document.xml (%s) is refused",
  async (name) => {
    expect(await inspectPart({ name, data: documentXml })).toBe("archive_duplicate_name");
  },
);

test("parts that are encrypted, patched or compressed in another way are refused", async () => {
  expect(await inspectPart(custom({ flags: 0x0001 }))).toBe("document_encrypted");
  expect(await inspectPart(custom({ flags: 0x0041 }))).toBe("document_encrypted");
  expect(await inspectPart(custom({ flags: 0x2000 }))).toBe("document_encrypted");
  expect(await inspectPart(custom({ flags: 0x0020 }))).toBe("archive_unsupported");
  for (const method of [1, 9, 12, 14, 93, 95]) {
    expect(await inspectPart(custom({ method }))).toBe("archive_unsupported");
  }
});

test("bytes before, between, inside and after the parts are refused", async () => {
  const stray = Buffer.from("<html>");
  expect(await inspect(Buffer.concat([stray, buildDocument()]), "a.docx")).toBe("type_mismatch");
  expect(await inspect(Buffer.concat([buildDocument(), stray]), "a.docx")).toBe("archive_damaged");
  expect(await inspectPart(custom({ before: stray }))).toBe("archive_hidden_data");
  expect(await inspectPart(custom(), { beforeDirectory: stray })).toBe("archive_hidden_data");
  expect(await inspectPart(custom(), { comment: stray })).toBe("archive_damaged");
  const compressed = Buffer.concat([deflateRawSync(Buffer.from("<a/>")), stray]);
  expect(await inspectPart(custom({ compressed }))).toBe("archive_damaged");
});

test("a part that the directory does not list is refused", async () => {
  const hidden = buildZip([{ name: "evil.exe", data: "MZ" }]);
  const local = hidden.subarray(0, hidden.indexOf(Buffer.from("PK\x01\x02", "latin1")));
  expect(await inspectPart(custom({ before: local }))).toBe("archive_hidden_data");
});

test("a local header that contradicts the directory is refused", async () => {
  expect(await inspectPart(custom({ local: { name: Buffer.from("word/vbaProj.bin") } }))).toBe(
    "archive_damaged",
  );
  expect(await inspectPart(custom({ local: { name: Buffer.from("word/evil.xml") } }))).toBe(
    "archive_damaged",
  );
  expect(await inspectPart(custom({ local: { method: 0 } }))).toBe("archive_damaged");
  expect(await inspectPart(custom({ local: { flags: 1 } }))).toBe("archive_damaged");
  expect(await inspectPart(custom({ local: { crc: 1 } }))).toBe("archive_damaged");
  expect(await inspectPart(custom({ local: { uncompressedSize: 5 } }))).toBe("archive_damaged");
});

test("sizes and checksums that do not match the data are refused", async () => {
  const data = "<a>".repeat(1_000);
  for (const uncompressedSize of [0, 1, 2_999, 3_001]) {
    const lie = { uncompressedSize };
    expect(await inspectPart(custom({ data, central: lie, local: lie }))).toBe("archive_damaged");
    expect(await inspectPart(custom({ data, central: lie, descriptor: true }))).toBe("archive_damaged");
  }
  expect(await inspectPart(custom({ central: { crc: 1 }, local: { crc: 1 } }))).toBe("archive_damaged");
  expect(await inspectPart(custom({ compressed: Buffer.from("nonsense") }))).toBe("archive_damaged");
});

test("an entry that shares the bytes of another is refused", async () => {
  const data = "<a/>".repeat(100);
  const shared = { name: "word/other.xml", data, sameAs: 3 };
  expect(await inspect(buildDocument({ extra: [custom({ data }), shared] }), "a.docx")).toBe(
    "archive_hidden_data",
  );
});

test("a zip bomb is refused: in one part, in many, or in parts that declare a smaller size", async () => {
  const zeros = deflateRawSync(Buffer.alloc(40 * 1024 * 1024));
  const size = 40 * 1024 * 1024;
  const flat = custom({
    compressed: zeros,
    central: { uncompressedSize: size },
    local: { uncompressedSize: size },
  });
  expect(await inspectPart(flat)).toBe("archive_bomb");
  expect(await inspectPart(custom({ compressed: zeros }))).toBe("archive_damaged");
  const half = custom({ data: Buffer.alloc(9 * 1024 * 1024) });
  const many = [half, { ...half, name: "word/more.xml" }];
  expect(await inspect(buildDocument({ extra: many }), "a.docx")).toBe("archive_bomb");
  expect(await inspectPart(half)).toBe("accepted");
});

test("a zip bomb inside a part is not unpacked", async () => {
  const bomb = buildZip([{ name: "a", data: Buffer.alloc(40 * 1024 * 1024) }]);
  const types = typesXml('<Default Extension="zip" ContentType="application/zip"/>');
  const extra = [{ name: "word/embeddings/a.zip", data: bomb, method: 0 }];
  expect(await inspect(buildDocument({ types, extra }), "a.docx")).toBe("accepted");
});

test("too many parts are refused before they are read", async () => {
  const extra = Array.from({ length: 5_000 }, (_, index) => custom({ name: `word/${index}.xml`, method: 0 }));
  expect(await inspect(buildDocument({ extra }), "a.docx")).toBe("archive_too_many_entries");
});

test("an end record with wrong counts or other disks is refused", async () => {
  expect(await inspectPart(custom(), { disk: 1 })).toBe("archive_unsupported");
  expect(await inspectPart(custom(), { entryCount: 3 })).toBe("archive_hidden_data");
  expect(await inspectPart(custom(), { entryCount: 5 })).toBe("archive_damaged");
});

test("a 64-bit end record that contradicts the short one is refused", async () => {
  const document = buildDocument();
  const end = document.subarray(-22);
  const wide = Buffer.alloc(76);
  wide.writeUInt32LE(0x06064b50, 0);
  wide.writeBigUInt64LE(44n, 4);
  wide.writeBigUInt64LE(BigInt(end.readUInt16LE(10)), 24);
  wide.writeBigUInt64LE(BigInt(end.readUInt16LE(10)), 32);
  wide.writeBigUInt64LE(BigInt(end.readUInt32LE(12)), 40);
  wide.writeBigUInt64LE(BigInt(end.readUInt32LE(16)), 48);
  wide.writeUInt32LE(0x07064b50, 56);
  wide.writeBigUInt64LE(BigInt(document.length - 22), 64);
  wide.writeUInt32LE(1, 60);
  const inspectWide = () => inspect(Buffer.concat([document.subarray(0, -22), wide, end]), "a.docx");
  expect(await inspectWide()).toBe("archive_unsupported");
  wide.writeUInt32LE(0, 60);
  expect(await inspectWide()).toBe("accepted");
  wide.writeBigUInt64LE(1n, 48);
  expect(await inspectWide()).toBe("archive_damaged");
});
