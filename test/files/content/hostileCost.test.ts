/**
 * Files that are built to cost time or memory. Each is refused early by a limit of the check, or read completely in a
 * fraction of the time limit. Only a check without its limits takes longer.
 */
import { expect, test } from "bun:test";
import { crc32 } from "node:zlib";
import { fixture, inspect } from "../../support/inspectContent.ts";
import { buildDocument, relationship, relationshipsXml, typesXml } from "../../support/officeParts.ts";

const mebibyte = 1024 * 1024;
/** Milliseconds. On two shared cores the slowest test takes one second. */
const timeLimit = 20_000;

test(
  "a PNG with hundreds of thousands of empty chunks is refused",
  async () => {
    const chunk = Buffer.from("0000000049444154", "hex");
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32BE(crc32(chunk.subarray(4)));
    const header = fixture("imagemagick.png").subarray(0, 33);
    const bytes = Buffer.concat([header, Buffer.alloc(12 * 800_000, Buffer.concat([chunk, checksum]))]);
    expect(await inspect(bytes, "a.png")).toBe("image_damaged");
  },
  timeLimit,
);

const head = Buffer.from("ffd8ffc0000b080010001001011100", "hex");
const scan = Buffer.from("ffda0008010100003f00", "hex");
const end = Buffer.from("ffd9", "hex");

test(
  "a JPEG with too many empty segments, scans or pictures is refused",
  async () => {
    const segments = Buffer.alloc(10 * mebibyte, Buffer.from("fffe0002", "hex"));
    expect(await inspect(Buffer.concat([head, segments, scan, end]), "a.jpg")).toBe("image_damaged");
    const scans = Buffer.alloc(scan.length * 1_000, scan);
    expect(await inspect(Buffer.concat([head, scans, end]), "a.jpg")).toBe("image_damaged");
    const picture = Buffer.concat([head, scan, end]);
    const pictures = Buffer.alloc(picture.length * 300_000, picture);
    expect(await inspect(pictures, "a.jpg")).toBe("image_damaged");
  },
  timeLimit,
);

test(
  "a JPEG of fill bytes and stuffed zeros is read in time",
  async () => {
    const fill = Buffer.alloc(10 * mebibyte, 0xff);
    const stuffed = Buffer.alloc(10 * mebibyte, Buffer.from("ff00", "hex"));
    expect(await inspect(Buffer.concat([head, fill, scan.subarray(1), stuffed, fill, end]), "a.jpg")).toBe(
      "accepted",
    );
  },
  timeLimit,
);

const inspectTypes = (inner: string) => inspect(buildDocument({ types: typesXml(inner) }), "a.docx");

test(
  "XML with a huge tag, a huge value or a deep tree is refused",
  async () => {
    const attributes = Array.from({ length: 60_000 }, (_, index) => `a${index}="1"`).join(" ");
    expect(await inspectTypes(`<Default ${attributes}/>`)).toBe("document_damaged");
    expect(await inspectTypes(`<Default Extension="${"\n".repeat(500_000)}" ContentType="a/b"/>`)).toBe(
      "document_damaged",
    );
    expect(await inspectTypes("<a>".repeat(100_000))).toBe("document_damaged");
    const unended = relationshipsXml(`<Relationship Id="${"\n".repeat(10 * mebibyte)}`);
    const extra = [{ name: "word/_rels/document.xml.rels", data: unended }];
    expect(await inspect(buildDocument({ extra }), "a.docx")).toBe("document_damaged");
  },
  timeLimit,
);

test(
  "as many hyperlinks as a sheet may have, and 2,000 parts, are read in time",
  async () => {
    const links = Array.from({ length: 65_530 }, (_, index) =>
      relationship("hyperlink", `#${index}`, "External"),
    );
    const parts = Array.from({ length: 2_000 }, (_, index) => ({ name: `word/${index}.xml`, data: "<a/>" }));
    const extra = [
      { name: "word/_rels/document.xml.rels", data: relationshipsXml(links.join("")) },
      ...parts,
    ];
    expect(await inspect(buildDocument({ extra }), "a.docx")).toBe("accepted");
  },
  timeLimit,
);

test(
  "a PDF with too many updates is refused",
  async () => {
    let pdf = "%PDF-1.7\n";
    let previous = 0;
    for (let update = 0; update < 5_000; update++) {
      const start = pdf.length;
      pdf += `xref\n0 0\ntrailer\n<< /Root 1 0 R /Prev ${previous} >>\n`;
      previous = start;
    }
    expect(await inspect(Buffer.from(`${pdf}startxref\n${previous}\n%%EOF`), "a.pdf")).toBe("pdf_damaged");
  },
  timeLimit,
);
