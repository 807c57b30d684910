/**
 * Checks the data after a JPEG's end. Only data that cameras and phones are known to write there is allowed:
 *
 * - further JPEG pictures (CIPA DC-007 multi-picture: previews, gain maps of current phones),
 * - a motion photo's MP4 (Android Motion Photo format),
 * - padding between and after them,
 * - the closing records of Samsung (SEF) and vivo phones, whose layouts ExifTool documents.
 *
 * Everything else would be a second file behind the first.
 */
import type { Cursor, FileBytes } from "./fileBytes.ts";
import { ContentRejection } from "./rejection.ts";

type WalkPicture = (cursor: Cursor) => void;

export function checkJpegTrailer(file: FileBytes, cursor: Cursor, walkPicture: WalkPicture) {
  const budget = { boxes: maxBoxes };
  const end = samsungRecordStart(file, cursor.position) ?? file.size;
  for (;;) {
    // Must come before the padding: a clip begins with the length of its first box, whose first bytes are zero.
    if (cursor.peek(8).toString("latin1", 4) === "ftyp") walkMovie(cursor, end, budget);
    skipPadding(cursor, end);
    if (cursor.position === end) return;
    const head = cursor.peek(12);
    if (head.subarray(0, 3).equals(pictureStart)) walkPicture(cursor);
    else if (isVivoRecord(file, head)) return;
    else throw new ContentRejection("image_trailing_data");
    if (cursor.position > end) throw new ContentRejection("image_trailing_data");
  }
}

const pictureStart = Buffer.from([0xff, 0xd8, 0xff]);

/** Cameras pad with zeros; Panasonic's pad with 0xFF between pictures. */
function skipPadding(cursor: Cursor, end: number): void {
  let last = 0;
  while (cursor.position < end) {
    const window = cursor.peekWindow(1).subarray(0, end - cursor.position);
    let length = 0;
    while (isPadding(window[length])) length++;
    last = window[length - 1] ?? last;
    cursor.skip(length);
    if (length === window.length) continue;
    // The 0xFF before 0xD8 is not padding but the first half of the next picture's marker.
    if (window[length] === 0xd8 && last === 0xff) cursor.skip(-1);
    return;
  }
}

const isPadding = (byte: number | undefined) =>
  byte === 0x00 || byte === 0x0a || byte === 0x0d || byte === 0xff;

/** In all movies of a file. A clip with fragments of one second has some dozens. */
const maxBoxes = 10_000;

/** The top-level boxes of ISO 14496-12 (and QuickTime's `wide`) that recorded clips have. */
const movieBoxes = new Set(["ftyp", "free", "skip", "wide", "mdat", "moov", "moof", "mfra", "uuid", "meta"]);

function walkMovie(cursor: Cursor, end: number, budget: { boxes: number }): void {
  while (cursor.position < end) {
    if (--budget.boxes < 0) throw new ContentRejection("image_trailing_data");
    const head = cursor.peek(16);
    const length = boxLength(head, end - cursor.position);
    if (length === undefined || !movieBoxes.has(head.toString("latin1", 4, 8))) {
      throw new ContentRejection("image_trailing_data");
    }
    cursor.skip(length);
  }
}

/** The length 0 means "to the end", 1 means "in the next eight bytes". */
function boxLength(head: Buffer, available: number): number | undefined {
  if (head.length < 8) return undefined;
  const short = head.readUInt32BE(0);
  if (short === 0) return available;
  if (short === 1 && head.length < 16) return undefined;
  const length = short === 1 ? Number(head.readBigUInt64BE(8)) : short;
  return length < (short === 1 ? 16 : 8) || length > available ? undefined : length;
}

/**
 * Samsung's record: data blocks, a directory, the directory's length and "SEFT". The directory is "SEFH", version,
 * count, and for each block 4 bytes of type, its distance back from the directory, and its length. The blocks must fill
 * the space up to the directory.
 */
function samsungRecordStart(file: FileBytes, from: number): number | undefined {
  const tail = file.read(Math.max(from, file.size - 8), 8);
  if (tail.length < 8 || tail.toString("latin1", 4) !== "SEFT") return undefined;
  const length = tail.readUInt32LE(0);
  const directoryStart = file.size - 8 - length;
  if (length < 12 || length > 12 + 12 * 256 || directoryStart < from) return undefined;
  const directory = file.read(directoryStart, length);
  if (directory.toString("latin1", 0, 4) !== "SEFH") return undefined;
  if (length !== 12 + 12 * directory.readUInt32LE(8)) return undefined;
  const start = directoryStart - filledBefore(directory);
  return start < from ? undefined : start;
}

/** How many bytes before the directory its blocks fill without a gap. */
function filledBefore(directory: Buffer): number {
  const blocks: { distance: number; length: number }[] = [];
  for (let at = 12; at < directory.length; at += 12) {
    blocks.push({ distance: directory.readUInt32LE(at + 4), length: directory.readUInt32LE(at + 8) });
  }
  let filled = 0;
  for (const { distance, length } of blocks.sort((a, b) => a.distance - b.distance)) {
    if (distance - length !== filled) break;
    filled = distance;
  }
  return filled;
}

const vivoFooter = Buffer.from("ffffffff1b2a39485766758493a2b1", "hex");

function isVivoRecord(file: FileBytes, head: Buffer): boolean {
  const start = head.toString("latin1");
  if (!start.startsWith("streamdata") && !start.startsWith('vivo{"')) return false;
  return file.read(file.size - vivoFooter.length, vivoFooter.length).equals(vivoFooter);
}
