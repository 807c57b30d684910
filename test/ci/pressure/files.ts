/** Files that make the content check as slow as possible, within the size that an upload may have. */
import { crc32, deflateSync } from "node:zlib";
import { buildDocument, relationship, relationshipsXml, typesXml } from "../../support/officeParts.ts";

export interface ExpensiveFile {
  readonly name: string;
  readonly what: string;
  readonly bytes: () => Uint8Array;
}

const MiB = 1024 ** 2;
const size = 9.5 * MiB;
const hex = (text: string) => Buffer.from(text, "hex");
const fill = (unit: Buffer, bytes = size) => Buffer.alloc(bytes - (bytes % unit.length), unit);

const jpegHead = hex("ffd8ffc0000b080010001001011100");
const jpegScan = hex("ffda0008010100003f00");
const jpegEnd = hex("ffd9");

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

const pngHead = Buffer.concat([
  hex("89504e470d0a1a0a"),
  pngChunk("IHDR", hex("0000001000000010080200000000".slice(0, 26))),
]);
const pngEnd = pngChunk("IEND", Buffer.alloc(0));

const hyperlinks = (count: number) =>
  relationshipsXml(
    Array.from({ length: count }, (_, index) => relationship("hyperlink", `#${index}`, "External")).join(""),
  );

function pdfOfUpdates(updates: number): Buffer {
  const parts = ["%PDF-1.7\n"];
  let length = parts[0]?.length ?? 0;
  let previous = 0;
  for (let update = 0; update < updates; update++) {
    const part = `xref\n0 0\ntrailer\n<< /Root 1 0 R /Prev ${previous} >>\n`;
    previous = length;
    length += part.length;
    parts.push(part);
  }
  return Buffer.from(`${parts.join("")}startxref\n${previous}\n%%EOF`);
}

const wordNamespace = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";

export const expensiveFiles: readonly ExpensiveFile[] = [
  {
    name: "a.docx",
    what: "a docx of hyperlinks and parts",
    bytes: () =>
      buildDocument({
        extra: [
          { name: "word/_rels/document.xml.rels", data: hyperlinks(65_530) },
          ...Array.from({ length: 2_000 }, (_, index) => ({ name: `word/${index}.xml`, data: "<a/>" })),
        ],
      }),
  },
  {
    name: "a.docx",
    what: "a docx that inflates to a lot",
    bytes: () => buildDocument({ extra: [{ name: "word/media/a.bin", data: Buffer.alloc(90 * MiB) }] }),
  },
  {
    name: "a.docx",
    what: "a docx whose types are one deep tree",
    bytes: () => buildDocument({ types: typesXml("<a>".repeat(100_000)) }),
  },
  {
    name: "a.docx",
    what: "a docx of many attributes",
    bytes: () =>
      buildDocument({
        main: `<w:document xmlns:w="${wordNamespace}">${"<w:p w:a='1' w:b='2'/>".repeat(800_000)}</w:document>`,
      }),
  },
  {
    name: "a.png",
    what: "a png of empty chunks",
    bytes: () => Buffer.concat([pngHead, fill(pngChunk("IDAT", Buffer.alloc(0))), pngEnd]),
  },
  {
    name: "a.png",
    what: "a png of texts",
    bytes: () => Buffer.concat([pngHead, fill(pngChunk("tEXt", Buffer.from("a\0b"))), pngEnd]),
  },
  {
    name: "a.png",
    what: "a png that inflates to a lot",
    bytes: () =>
      Buffer.concat([pngHead, pngChunk("IDAT", deflateSync(Buffer.alloc(200 * MiB), { level: 9 })), pngEnd]),
  },
  {
    name: "a.jpg",
    what: "a jpeg of empty segments",
    bytes: () => Buffer.concat([jpegHead, fill(hex("fffe0002")), jpegScan, jpegEnd]),
  },
  {
    name: "a.jpg",
    what: "a jpeg of stuffed zeros",
    bytes: () => Buffer.concat([jpegHead, jpegScan, fill(hex("ff00")), jpegEnd]),
  },
  {
    name: "a.jpg",
    what: "a jpeg of boxes",
    bytes: () => Buffer.concat([jpegHead, jpegScan, jpegEnd, fill(hex("0000000866726565"))]),
  },
  {
    name: "a.pdf",
    what: "a pdf of updates",
    bytes: () => pdfOfUpdates(150_000),
  },
  {
    name: "a.pdf",
    what: "a pdf of comments",
    bytes: () => Buffer.concat([Buffer.from("%PDF-1.7\n"), fill(Buffer.from("%\n")), Buffer.from("%%EOF")]),
  },
];
