/**
 * The files that cost the content checks the most, of those that a caller may upload: each is built to meet one bound
 * of src/files/content/. `accepted` files are read whole; the others are refused at the bound.
 */
import { crc32 } from "node:zlib";
import { fixture } from "./inspectContent.ts";
import { buildDocument, relationship, relationshipsXml } from "./officeParts.ts";

const mebibyte = 1024 * 1024;

export interface ExpensiveFile {
  readonly name: string;
  readonly bytes: Buffer;
  readonly outcome: "accepted" | "document_damaged" | "image_damaged" | "image_trailing_data" | "pdf_damaged";
}

const withRelationships = (inner: string) =>
  buildDocument({ extra: [{ name: "word/_rels/document.xml.rels", data: relationshipsXml(inner) }] });

/** About 435 kB that unpack to 30 MB of hyperlinks. */
export function documentOfLinks(): ExpensiveFile {
  const links = Array.from({ length: 148_000 }, (_, index) =>
    relationship("hyperlink", `#${index}`, "External"),
  );
  return { name: "links.docx", bytes: withRelationships(links.join("")), outcome: "document_damaged" };
}

/** As many hyperlinks as one sheet may have. */
export function documentOfAllowedLinks(): ExpensiveFile {
  const links = Array.from({ length: 65_530 }, (_, index) =>
    relationship("hyperlink", `#${index}`, "External"),
  );
  return { name: "sheet.docx", bytes: withRelationships(links.join("")), outcome: "accepted" };
}

/** 16 kB that unpack to 15 MB of character references. */
export function documentOfEntities(): ExpensiveFile {
  const value = "&amp;".repeat(40_000);
  return {
    name: "entities.docx",
    bytes: withRelationships(`<a b="${value}"/>`.repeat(78)),
    outcome: "accepted",
  };
}

/** Tags of thousands of attributes, 8 MB unpacked. */
export function documentOfAttributes(): ExpensiveFile {
  const attributes = Array.from({ length: 5_000 }, (_, index) => `a${index}=""`).join(" ");
  const bytes = withRelationships(`<a ${attributes}/>`.repeat(150));
  return { name: "attributes.docx", bytes, outcome: "document_damaged" };
}

/** As many parts as a document may have. */
export function documentOfParts(): ExpensiveFile {
  const extra = Array.from({ length: 2_040 }, (_, index) => ({ name: `word/${index}.xml`, data: "<a/>" }));
  return { name: "parts.docx", bytes: buildDocument({ extra }), outcome: "accepted" };
}

/** As much as a file of 2 MB may inflate to. */
export function documentOfZeros(): ExpensiveFile {
  const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(64 * 1024)));
  const extra = [
    { name: "word/zeros.xml", data: Buffer.alloc(200 * mebibyte, "0") },
    { name: "word/noise.xml", data: Buffer.concat(Array(33).fill(noise)), method: 0 },
  ];
  return { name: "zeros.docx", bytes: buildDocument({ extra }), outcome: "accepted" };
}

/** 10 MB of chunks without content. */
export function pngOfChunks(): ExpensiveFile {
  const chunk = Buffer.from("0000000049444154", "hex");
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(chunk.subarray(4)));
  const header = fixture("imagemagick.png").subarray(0, 33);
  const chunks = Buffer.alloc(12 * 800_000, Buffer.concat([chunk, checksum]));
  return { name: "chunks.png", bytes: Buffer.concat([header, chunks]), outcome: "image_damaged" };
}

const head = Buffer.from("ffd8ffc0000b080010001001011100", "hex");
const scan = Buffer.from("ffda0008010100003f00", "hex");
const end = Buffer.from("ffd9", "hex");

/** 10 MB of a clip's boxes behind a picture. */
export function jpegOfBoxes(): ExpensiveFile {
  const box = (type: string) => Buffer.concat([Buffer.from([0, 0, 0, 8]), Buffer.from(type)]);
  const boxes = Buffer.alloc(8 * 1_250_000, box("free"));
  const bytes = Buffer.concat([head, scan, end, box("ftyp"), boxes]);
  return { name: "boxes.jpg", bytes, outcome: "image_trailing_data" };
}

/** 10 MB of restart markers in one scan. */
export function jpegOfRestarts(): ExpensiveFile {
  const restarts = Buffer.alloc(10_000_000, Buffer.from("ffd0", "hex"));
  return { name: "restarts.jpg", bytes: Buffer.concat([head, scan, restarts, end]), outcome: "accepted" };
}

/** One table of 9 MB, which 40 trailers name by the white space before it. */
export function pdfOfOneTable(): ExpensiveFile {
  let text = "%PDF-1.7\n";
  const table = text.length;
  text += `${" ".repeat(50)}xref\n${"0 ".repeat(4_500_000)}trailer\n<< /Root 1 0 R >>\n`;
  let previous = table;
  for (let named = 1; named <= 40; named++) {
    const start = text.length;
    text += `xref\n0 0\ntrailer\n<< /Root 1 0 R /Prev ${previous} /XRefStm ${table + named} >>\n`;
    previous = start;
  }
  const bytes = Buffer.from(`${text}startxref\n${previous}\n%%EOF`);
  return { name: "tables.pdf", bytes, outcome: "accepted" };
}

/** 160 updates, each with a trailer of 60 kB. */
export function pdfOfTrailers(): ExpensiveFile {
  let text = "%PDF-1.7\n";
  let previous = 0;
  for (let update = 0; update < 160; update++) {
    const start = text.length;
    text += `xref\n0 0\ntrailer\n<< /Root 1 0 R /Prev ${previous} /A [${"1 ".repeat(30_000)}]>>\n`;
    previous = start;
  }
  const bytes = Buffer.from(`${text}startxref\n${previous}\n%%EOF`);
  return { name: "trailers.pdf", bytes, outcome: "pdf_damaged" };
}

/** Each of them once, built when it is asked for: together they take 60 MB. */
export const expensiveFiles: readonly (() => ExpensiveFile)[] = [
  documentOfLinks,
  documentOfAllowedLinks,
  documentOfEntities,
  documentOfAttributes,
  documentOfParts,
  documentOfZeros,
  pngOfChunks,
  jpegOfBoxes,
  jpegOfRestarts,
  pdfOfOneTable,
  pdfOfTrailers,
];
