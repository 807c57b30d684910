/**
 * Checks the structure of a JPEG (ITU-T T.81 annex B): every segment and every scan from SOI to EOI, and then the data
 * behind it. Scans are not decoded, only searched for their end.
 */
import { Cursor, type FileBytes } from "./fileBytes.ts";
import { checkImageSize } from "./imageSize.ts";
import { checkJpegTrailer } from "./jpegTrailer.ts";
import { ContentRejection } from "./rejection.ts";

const startOfImage = 0xffd8;
const endOfImage = 0xd9;
const startOfScan = 0xda;
/** Progressive pictures have about ten. Each costs a decoder a pass over the whole picture. */
const maxScans = 500;

/** In all pictures of a file. A large colour profile and metadata take some hundreds. */
const maxSegments = 50_000;

export function checkJpeg(file: FileBytes): void {
  const cursor = new Cursor(file);
  const budget = { segments: maxSegments };
  walkPicture(cursor, budget);
  checkJpegTrailer(file, cursor, (behind) => walkPicture(behind, budget));
}

/** Moves from a picture's SOI to the byte after its EOI. */
function walkPicture(cursor: Cursor, budget: { segments: number }): void {
  const start = cursor.take(2);
  if (start.length < 2 || start.readUInt16BE() !== startOfImage) throw new ContentRejection("image_damaged");
  let frames = 0;
  let scans = 0;
  for (;;) {
    const marker = takeMarker(cursor);
    if (marker === endOfImage) break;
    if (--budget.segments < 0) throw new ContentRejection("image_damaged");
    walkSegment(cursor, marker);
    if (isFrame(marker)) frames++;
    if (marker !== startOfScan) continue;
    scans++;
    if (frames === 0 || scans > maxScans) throw new ContentRejection("image_damaged");
    skipScan(cursor);
  }
  if (frames !== 1 || scans === 0) throw new ContentRejection("image_damaged");
}

/** A marker is 0xFF, any number of fill bytes 0xFF, and a code. */
function takeMarker(cursor: Cursor): number {
  if (nextByte(cursor) !== 0xff) throw new ContentRejection("image_damaged");
  while (nextByte(cursor) === 0xff) {
    const window = cursor.peekWindow(1);
    let fill = 0;
    while (window[fill] === 0xff) fill++;
    cursor.skip(fill);
  }
  const code = nextByte(cursor);
  cursor.skip(1);
  return code;
}

function walkSegment(cursor: Cursor, marker: number): void {
  if (!hasLength(marker)) throw new ContentRejection("image_damaged");
  const head = cursor.peek(8);
  if (head.length < 8) throw new ContentRejection("image_truncated");
  const length = head.readUInt16BE(0);
  if (length < 2) throw new ContentRejection("image_damaged");
  if (length > cursor.remaining) throw new ContentRejection("image_truncated");
  if (isFrame(marker)) checkFrame(head, length);
  cursor.skip(length);
}

/** A frame header: length, precision, height, width, number of components. */
function checkFrame(head: Buffer, length: number): void {
  const components = head[7] ?? 0;
  if (length < 11 || length !== 8 + 3 * components) throw new ContentRejection("image_damaged");
  checkImageSize(head.readUInt16BE(5), head.readUInt16BE(3));
}

/** Stops at the marker that ends the scan. Stuffed zeros, restart markers and fill bytes belong to the scan. */
function skipScan(cursor: Cursor): void {
  for (;;) {
    const window = cursor.peekWindow(2);
    if (window.length < 2) throw new ContentRejection("image_truncated");
    const marker = findMarker(window);
    if (marker >= 0) {
      cursor.skip(marker);
      return;
    }
    cursor.skip(window[window.length - 1] === 0xff ? window.length - 1 : window.length);
  }
}

function findMarker(window: Buffer): number {
  let at = window.indexOf(0xff);
  while (at >= 0 && at + 1 < window.length) {
    const next = window[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && !isRestart(next)) return at;
    at = window.indexOf(0xff, next === 0xff ? at + 1 : at + 2);
  }
  return -1;
}

function nextByte(cursor: Cursor): number {
  const byte = cursor.peekByte();
  if (byte === undefined) throw new ContentRejection("image_truncated");
  return byte;
}

const isRestart = (marker: number) => marker >= 0xd0 && marker <= 0xd7;

/** SOF0 to SOF15, without DHT, JPG and DAC, whose codes lie between them. */
const isFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

const hasLength = (marker: number) => marker >= 0xc0 && !isRestart(marker) && marker !== 0xd8;
