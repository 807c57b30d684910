/**
 * Real files of a given size, for uploads: noise as pixels, so that nothing could be packed smaller. Each opens in a
 * viewer, and Waybill's content checks find in it what they find in people's files: chunks, stuffed bytes, a table.
 */
import { randomBytes } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";

export interface SampleFile {
  readonly name: string;
  readonly mimeType: string;
  readonly bytes: Buffer;
}

/** A picture in both formats and a document, each of `size` bytes or a little less. */
export const sampleFiles = (size: number): SampleFile[] => [
  { name: "photo.jpg", mimeType: "image/jpeg", bytes: jpeg(size) },
  { name: "scan.png", mimeType: "image/png", bytes: png(size) },
  { name: "contract.pdf", mimeType: "application/pdf", bytes: pdf(size) },
];

const u16 = (...values: number[]) => Buffer.from(values.flatMap((value) => [value >> 8, value & 0xff]));

/** What a PNG writer puts into one chunk of pixels (libpng's buffer). */
const pixelsPerChunk = 8 * 1024;
const pngWidth = 1_000;

function png(size: number): Buffer {
  const perRow = (pngWidth + 1) * (1 + 12 / pixelsPerChunk + 5 / 16_383);
  const height = Math.floor((size - 100) / perRow);
  const rows = randomBytes(height * (pngWidth + 1));
  for (let row = 0; row < height; row++) rows[row * (pngWidth + 1)] = 0;
  const header = Buffer.concat([
    u16(0, pngWidth, height >> 16, height & 0xffff),
    Buffer.from([8, 0, 0, 0, 0]),
  ]);
  const pixels = deflateSync(rows, { level: 0, memLevel: 9 });
  const chunks = [chunk("IHDR", header)];
  for (let at = 0; at < pixels.length; at += pixelsPerChunk)
    chunks.push(chunk("IDAT", pixels.subarray(at, at + pixelsPerChunk)));
  return Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), ...chunks, chunk("IEND", Buffer.alloc(0))]);
}

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), content]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  checksum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, checksum]);
}

/** 64 coefficients of 11 bits. */
const blockBytes = 88;
/** The first bit of each 11: the only Huffman code that the tables below have. */
const codeBits = Buffer.from([0x7f, 0xef, 0xfd, 0xff, 0xbf, 0xf7, 0xfe, 0xff, 0xdf, 0xfb, 0xff]);
const blocksPerRow = 100;

/** Grey, baseline: each coefficient is the code `0` ("ten bits follow") and ten random bits. */
function jpeg(size: number): Buffer {
  const stuffed = 1 + 3 / 11 / 256;
  const rows = Math.floor((size - 1_000) / (blockBytes * blocksPerRow * stuffed));
  const bits = randomBytes(rows * blocksPerRow * blockBytes);
  for (let at = 0; at < bits.length; at++) bits[at] = (bits[at] ?? 0) & (codeBits[at % 11] ?? 0);
  const oneCode = [1, ...Array<number>(15).fill(0), 10];
  return Buffer.concat([
    u16(0xffd8),
    segment(0xffdb, [0, ...Array<number>(64).fill(1)]),
    segment(0xffc0, [8, ...u16(8 * rows, 8 * blocksPerRow), 1, 1, 0x11, 0]),
    segment(0xffc4, [0x00, ...oneCode, 0x10, ...oneCode]),
    segment(0xffda, [1, 1, 0, 0, 63, 0]),
    stuff(bits),
    u16(0xffd9),
  ]);
}

const segment = (marker: number, content: number[]) =>
  Buffer.concat([u16(marker, content.length + 2), Buffer.from(content)]);

/** 0xFF within a scan is followed by a zero. */
function stuff(bits: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < bits.length; ) {
    const found = bits.indexOf(0xff, at);
    const end = found < 0 ? bits.length : found + 1;
    parts.push(bits.subarray(at, end), ...(found < 0 ? [] : [Buffer.alloc(1)]));
    at = end;
  }
  return Buffer.concat(parts);
}

const pdfWidth = 1_000;

/** One page, which one picture fills. */
function pdf(size: number): Buffer {
  const height = Math.floor((size - 1_000) / pdfWidth);
  const picture = `/Type /XObject /Subtype /Image /Width ${pdfWidth} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8`;
  const page = "/Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R";
  const objects = [
    Buffer.from("<< /Type /Catalog /Pages 2 0 R >>"),
    Buffer.from("<< /Type /Pages /Kids [3 0 R] /Count 1 >>"),
    Buffer.from(`<< ${page} /Resources << /XObject << /I 4 0 R >> >> >>`),
    stream(picture, randomBytes(height * pdfWidth)),
    stream("", Buffer.from("595 0 0 842 0 0 cm /I Do")),
  ];
  return withTable(objects);
}

const stream = (dictionary: string, content: Buffer) =>
  Buffer.concat([
    Buffer.from(`<< ${dictionary} /Length ${content.length} >>\nstream\n`),
    content,
    Buffer.from("\nendstream"),
  ]);

function withTable(objects: readonly Buffer[]): Buffer {
  const parts = [Buffer.from("%PDF-1.7\n")];
  const offsets: number[] = [];
  let length = 9;
  for (const [index, object] of objects.entries()) {
    offsets.push(length);
    const part = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from("\nendobj\n")]);
    parts.push(part);
    length += part.length;
  }
  const count = objects.length + 1;
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`);
  const table = `xref\n0 ${count}\n0000000000 65535 f \n${entries.join("")}`;
  const trailer = `trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${length}\n%%EOF\n`;
  return Buffer.concat([...parts, Buffer.from(table + trailer)]);
}
