/**
 * Checks the structure of a PNG (W3C PNG, third edition): the length, type, order and checksum of every chunk from the
 * signature to IEND, and that nothing follows. Pixels are not inflated; the dimensions are limited instead.
 */
import { crc32 } from "node:zlib";
import { Cursor, type FileBytes, windowBytes } from "./fileBytes.ts";
import { checkImageSize } from "./imageSize.ts";
import { ContentRejection } from "./rejection.ts";

const signature = Buffer.from("89504e470d0a1a0a", "hex");
/** Encoders write at least 4 KB of pixels into a chunk. Hundreds of thousands of empty chunks only cost time. */
const maxChunks = 300_000;
const criticalChunks = new Set(["IHDR", "PLTE", "IDAT", "IEND"]);
const bitDepths: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

interface Progress {
  chunks: number;
  indexed: boolean;
  previous: string;
  readonly seen: Set<string>;
}

export function checkPng(file: FileBytes): void {
  const cursor = new Cursor(file);
  if (!cursor.take(8).equals(signature)) throw new ContentRejection("image_damaged");
  const progress: Progress = { chunks: 0, indexed: false, previous: "", seen: new Set() };
  while (progress.previous !== "IEND") walkChunk(cursor, progress);
  if (cursor.remaining > 0) throw new ContentRejection("image_trailing_data");
}

function walkChunk(cursor: Cursor, progress: Progress): void {
  const head = cursor.peek(8);
  if (head.length < 8) throw new ContentRejection("image_truncated");
  const length = head.readUInt32BE(0);
  const type = head.toString("latin1", 4);
  checkOrder(type, length, progress);
  if (length + 12 > cursor.remaining) throw new ContentRejection("image_truncated");
  if (type === "IHDR") checkHeader(cursor.peek(21).subarray(8), progress);
  cursor.skip(4);
  checkChecksum(cursor, length + 4);
}

function checkOrder(type: string, length: number, progress: Progress): void {
  const { seen, previous, indexed } = progress;
  const wrong =
    ++progress.chunks > maxChunks ||
    !/^[A-Za-z]{2}[A-Z][A-Za-z]$/.test(type) ||
    (isCritical(type) && !criticalChunks.has(type)) ||
    (type === "IHDR") !== (progress.chunks === 1) ||
    (type === "IDAT" && seen.has("IDAT") && previous !== "IDAT") ||
    (type === "IDAT" && indexed && !seen.has("PLTE")) ||
    (type === "PLTE" && (seen.has("PLTE") || seen.has("IDAT"))) ||
    (type === "IEND" && (length !== 0 || !seen.has("IDAT")));
  if (wrong) throw new ContentRejection("image_damaged");
  if (isCritical(type)) seen.add(type);
  progress.previous = type;
}

/** A capital first letter means that a reader cannot show the picture without knowing this chunk. */
const isCritical = (type: string) => (type.charCodeAt(0) & 0x20) === 0;

/** Width, height, bit depth, colour type, compression, filter, interlace. */
function checkHeader(header: Buffer, progress: Progress): void {
  const [depth = 0, colourType = 0, compression, filter, interlace = 0] = header.subarray(8);
  const known = bitDepths[colourType]?.includes(depth) && compression === 0 && filter === 0 && interlace <= 1;
  if (!known) throw new ContentRejection("image_damaged");
  checkImageSize(header.readUInt32BE(0), header.readUInt32BE(4));
  progress.indexed = colourType === 3;
}

function checkChecksum(cursor: Cursor, length: number): void {
  let checksum = 0;
  for (let left = length; left > 0; ) {
    const bytes = cursor.take(Math.min(left, windowBytes));
    checksum = crc32(bytes, checksum);
    left -= bytes.length;
  }
  if (cursor.take(4).readUInt32BE(0) !== checksum) throw new ContentRejection("image_damaged");
}
