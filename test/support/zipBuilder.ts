/**
 * Writes zip archives byte by byte, so that a test can make any part of one lie.
 */
import { crc32, deflateRawSync } from "node:zlib";

export interface ZipPart {
  readonly name: string | Buffer;
  readonly data?: Buffer | string;
  /** 8 (deflate) by default. */
  readonly method?: number;
  readonly flags?: number;
  /** Writes the figures behind the data instead of before it (flag bit 3). */
  readonly descriptor?: boolean;
  /** With or without its signature, with sizes of 4 or 8 bytes. 16 by default. */
  readonly descriptorBytes?: 12 | 16 | 20 | 24;
  /** What is written as compressed data, in place of what `data` deflates to. */
  readonly compressed?: Buffer;
  readonly externalAttributes?: number;
  readonly extra?: Buffer;
  /** Overrides of what the central directory or the local header say. */
  readonly central?: Partial<Figures>;
  readonly local?: Partial<Figures>;
  /** Stray bytes before the local header. */
  readonly before?: Buffer;
  /** Lists the entry at another entry's place and writes nothing. */
  readonly sameAs?: number;
}

interface Figures {
  name: Buffer;
  method: number;
  flags: number;
  crc: number;
  compressedSize: number;
  uncompressedSize: number;
}

export interface ZipEnd {
  readonly comment?: Buffer;
  /** Bytes between the last entry and the directory. */
  readonly beforeDirectory?: Buffer;
  readonly disk?: number;
  readonly entryCount?: number;
}

export function buildZip(parts: readonly ZipPart[], end: ZipEnd = {}): Buffer {
  const chunks: Buffer[] = [];
  const headers: Buffer[] = [];
  const offsets: number[] = [];
  let position = 0;
  const write = (bytes: Buffer) => {
    chunks.push(bytes);
    position += bytes.length;
  };
  for (const part of parts) {
    write(part.before ?? Buffer.alloc(0));
    const offset = part.sameAs === undefined ? position : (offsets[part.sameAs] ?? 0);
    offsets.push(offset);
    const figures = figuresOf(part);
    if (part.sameAs === undefined) write(localEntry(part, figures));
    headers.push(centralHeader(part, { ...figures, ...part.central }, offset));
  }
  write(end.beforeDirectory ?? Buffer.alloc(0));
  const directory = Buffer.concat(headers);
  return Buffer.concat([...chunks, directory, endRecord(parts.length, directory.length, position, end)]);
}

function figuresOf(part: ZipPart): Figures {
  const data = Buffer.from(part.data ?? "");
  const method = part.method ?? 8;
  const compressed = compressedOf(part);
  return {
    name: Buffer.from(part.name),
    method,
    flags: (part.flags ?? 0) | (part.descriptor ? 8 : 0),
    crc: crc32(data),
    compressedSize: compressed.length,
    uncompressedSize: data.length,
  };
}

function compressedOf(part: ZipPart): Buffer {
  const data = Buffer.from(part.data ?? "");
  return part.compressed ?? (part.method === 0 ? data : deflateRawSync(data));
}

function localEntry(part: ZipPart, figures: Figures): Buffer {
  const deferred = part.descriptor ? { crc: 0, compressedSize: 0, uncompressedSize: 0 } : {};
  const local = { ...figures, ...deferred, ...part.local };
  const extra = part.extra ?? Buffer.alloc(0);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  writeFigures(header, 6, local);
  header.writeUInt16LE(local.name.length, 26);
  header.writeUInt16LE(extra.length, 28);
  return Buffer.concat([header, local.name, extra, compressedOf(part), descriptorOf(part, figures)]);
}

function descriptorOf(part: ZipPart, figures: Figures): Buffer {
  if (!part.descriptor) return Buffer.alloc(0);
  const length = part.descriptorBytes ?? 16;
  const wide = length >= 20;
  const bytes = Buffer.alloc(wide ? 24 : 16);
  bytes.writeUInt32LE(0x08074b50, 0);
  bytes.writeUInt32LE(figures.crc, 4);
  bytes.writeUInt32LE(figures.compressedSize, 8);
  bytes.writeUInt32LE(figures.uncompressedSize, wide ? 16 : 12);
  return bytes.subarray(bytes.length - length);
}

function centralHeader(part: ZipPart, figures: Figures, offset: number): Buffer {
  const extra = part.extra ?? Buffer.alloc(0);
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE((3 << 8) | 20, 4);
  header.writeUInt16LE(20, 6);
  writeFigures(header, 8, figures);
  header.writeUInt16LE(figures.name.length, 28);
  header.writeUInt16LE(extra.length, 30);
  header.writeUInt32LE(part.externalAttributes ?? 0, 38);
  header.writeUInt32LE(offset, 42);
  return Buffer.concat([header, figures.name, extra]);
}

/** Flags, method, time and date, checksum and sizes stand in the same order in both kinds of header. */
function writeFigures(header: Buffer, at: number, figures: Figures): void {
  header.writeUInt16LE(figures.flags, at);
  header.writeUInt16LE(figures.method, at + 2);
  header.writeUInt32LE(figures.crc, at + 8);
  header.writeUInt32LE(figures.compressedSize, at + 12);
  header.writeUInt32LE(figures.uncompressedSize, at + 16);
}

function endRecord(entries: number, size: number, start: number, end: ZipEnd): Buffer {
  const record = Buffer.alloc(22);
  const comment = end.comment ?? Buffer.alloc(0);
  record.writeUInt32LE(0x06054b50, 0);
  record.writeUInt16LE(end.disk ?? 0, 4);
  record.writeUInt16LE((end.entryCount ?? entries) & 0xffff, 8);
  record.writeUInt16LE((end.entryCount ?? entries) & 0xffff, 10);
  record.writeUInt32LE(size, 12);
  record.writeUInt32LE(start, 16);
  record.writeUInt16LE(comment.length, 20);
  return Buffer.concat([record, comment]);
}
