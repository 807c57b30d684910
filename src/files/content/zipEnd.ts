/**
 * Reads the end of a zip archive (APPNOTE 4.3.14–4.3.16), which says where the directory is.
 *
 * Readers disagree on archives with ambiguous end records: a comment, bytes after the record, or a 64-bit record with
 * other values. Such an archive is refused, not interpreted.
 */
import type { FileBytes } from "./fileBytes.ts";
import { ContentRejection } from "./rejection.ts";

export interface ZipDirectory {
  /** Byte offsets of the central directory; `end` is the byte after it. */
  readonly start: number;
  readonly end: number;
  readonly entryCount: number;
}

const endSignature = 0x06054b50;
const endBytes = 22;
const locatorSignature = 0x07064b50;
const locatorBytes = 20;
const end64Signature = 0x06064b50;
const end64Bytes = 56;
const directorySignature = 0x02014b50;
const maxComment = 0xffff;

/** The end record must be the file's last 22 bytes, and directly after the directory and the 64-bit records. */
export function readZipDirectory(file: FileBytes): ZipDirectory {
  const end = file.read(Math.max(0, file.size - endBytes), endBytes);
  if (end.length < endBytes || end.readUInt32LE(0) !== endSignature) {
    throw new ContentRejection("archive_damaged");
  }
  const record = {
    disks: [end.readUInt16LE(4), end.readUInt16LE(6)],
    counts: [end.readUInt16LE(8), end.readUInt16LE(10)],
    size: end.readUInt32LE(12),
    start: end.readUInt32LE(16),
  };
  const wide = readWideRecord(file);
  if (wide !== undefined) return toDirectory(mergeRecords(record, wide), wide.position);
  return toDirectory(record, file.size - endBytes);
}

interface EndRecord {
  readonly disks: readonly number[];
  readonly counts: readonly number[];
  readonly size: number;
  readonly start: number;
}

/** Reads the 64-bit record if its locator precedes the end record. It must end where the locator begins. */
function readWideRecord(file: FileBytes): (EndRecord & { position: number }) | undefined {
  const locatorStart = file.size - endBytes - locatorBytes;
  const position = locatorStart - end64Bytes;
  if (position < 0) return undefined;
  const bytes = file.read(position, end64Bytes + locatorBytes);
  if (bytes.readUInt32LE(end64Bytes) !== locatorSignature) return undefined;
  const located = bytes.readBigUInt64LE(end64Bytes + 8) === BigInt(position);
  const sized = bytes.readBigUInt64LE(4) === BigInt(end64Bytes - 12);
  if (!located || !sized || bytes.readUInt32LE(0) !== end64Signature) {
    throw new ContentRejection("archive_damaged");
  }
  return {
    position,
    disks: [bytes.readUInt32LE(16), bytes.readUInt32LE(20), bytes.readUInt32LE(end64Bytes + 4)],
    counts: [Number(bytes.readBigUInt64LE(24)), Number(bytes.readBigUInt64LE(32))],
    size: Number(bytes.readBigUInt64LE(40)),
    start: Number(bytes.readBigUInt64LE(48)),
  };
}

/** Each value of the short record must be that of the wide one, or refer to it (all bits set; disks may be 0). */
function mergeRecords(short: EndRecord, wide: EndRecord): EndRecord {
  const agrees =
    short.disks.every((disk) => disk === 0 || disk === 0xffff) &&
    short.counts.every((count, index) => count === wide.counts[index] || count === 0xffff) &&
    (short.size === wide.size || short.size === 0xffffffff) &&
    (short.start === wide.start || short.start === 0xffffffff);
  if (!agrees) throw new ContentRejection("archive_damaged");
  return wide;
}

function toDirectory({ disks, counts, size, start }: EndRecord, end: number): ZipDirectory {
  if (disks.some((disk) => disk !== 0)) throw new ContentRejection("archive_unsupported");
  const [onThisDisk, entryCount = 0] = counts;
  if (onThisDisk !== entryCount) throw new ContentRejection("archive_damaged");
  if (start + size !== end) throw new ContentRejection("archive_hidden_data");
  return { start, end, entryCount };
}

/**
 * For formats that are not archives: refuses a file at whose end a tolerant zip reader would find a directory. It does
 * not matter what those bytes are in the file's own format (a comment, a stream, padding).
 */
export function refuseArchiveTail(file: FileBytes): void {
  const start = Math.max(0, file.size - endBytes - maxComment);
  const tail = file.read(start, endBytes + maxComment);
  const signature = Buffer.from("PK\x05\x06", "latin1");
  for (let at = tail.indexOf(signature); at >= 0; at = tail.indexOf(signature, at + 1)) {
    if (at + endBytes > tail.length) return;
    const directory = start + at - tail.readUInt32LE(at + 12);
    if (directory < 0 || tail.readUInt16LE(at + 10) === 0) continue;
    const head = file.read(directory, 4);
    if (head.length === 4 && head.readUInt32LE(0) === directorySignature) {
      throw new ContentRejection("file_ambiguous");
    }
  }
}
