/** Inflates the entries of a zip archive and counts the bytes. Only one entry's chunks are in memory. */
import { pipeline } from "node:stream/promises";
import { crc32, createInflateRaw, inflateRawSync } from "node:zlib";
import type { Entry } from "yauzl";
import { windowBytes } from "./fileBytes.ts";
import { ContentRejection } from "./rejection.ts";
import { asArchiveDamage, type ZipArchive } from "./zipEntries.ts";
import type { LaidOutArchive } from "./zipLayout.ts";

const mebibyte = 1024 * 1024;
/** Below this size any ratio is allowed: blank pictures in small documents deflate a thousandfold. */
const freeBytes = 16 * mebibyte;
/** Inflated bytes for each byte of the file. Real workbooks reach about 30; deflate can reach 1,032. */
const maxRatio = 100;
/** The size that a receiver must be able to unpack. Twice the size of the file is added. */
const maxInflatedBytes = 512 * mebibyte;
/** Entries of at most this size are inflated in one piece. */
const smallBytes = mebibyte;

/** Refuses an archive by the sizes that its directory declares, before anything is inflated. */
export function refuseBomb({ file, entries }: ZipArchive): void {
  const declared = entries.reduce((total, { record }) => total + record.uncompressedSize, 0);
  const allowed = Math.min(Math.max(freeBytes, maxRatio * file.size), maxInflatedBytes + 2 * file.size);
  if (declared > allowed) throw new ContentRejection("archive_bomb");
}

/**
 * Passes an entry's inflated chunks to `onChunk`. Checks their size and checksum, and that the compressed data ends
 * where the directory says. A chunk that exceeds the declared size is not passed on.
 */
export async function inflateEntry(
  archive: LaidOutArchive,
  record: Entry,
  onChunk: (chunk: Buffer) => void = () => {},
): Promise<void> {
  const seen = { bytes: 0, checksum: 0 };
  const take = (chunk: Buffer) => {
    seen.bytes += chunk.length;
    if (seen.bytes > record.uncompressedSize) throw new ContentRejection("archive_damaged");
    seen.checksum = crc32(chunk, seen.checksum);
    onChunk(chunk);
  };
  const consumed = await asArchiveDamage(() => inflate(archive, record, take));
  const whole =
    seen.bytes === record.uncompressedSize &&
    seen.checksum === record.crc32 &&
    consumed === record.compressedSize;
  if (!whole) throw new ContentRejection("archive_damaged");
}

/** Returns how many compressed bytes were consumed. */
async function inflate(
  archive: LaidOutArchive,
  record: Entry,
  take: (chunk: Buffer) => void,
): Promise<number> {
  if (record.compressionMethod === 0) {
    for (const chunk of compressedBytes(archive, record)) take(chunk);
    return record.compressedSize;
  }
  if (record.uncompressedSize <= smallBytes && record.compressedSize <= smallBytes)
    return inflateSmall(Buffer.concat([...compressedBytes(archive, record)]), record, take);
  const inflater = createInflateRaw({ chunkSize: 64 * 1024 });
  await pipeline(compressedBytes(archive, record), inflater, async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) take(chunk);
  });
  return inflater.bytesWritten;
}

/** Avoids a stream, which takes a quarter of a millisecond: a document may have two thousand parts. */
function inflateSmall(compressed: Buffer, record: Entry, take: (chunk: Buffer) => void): number {
  const options = { info: true, maxOutputLength: record.uncompressedSize + 1 };
  const { buffer, engine } = inflateRawSync(compressed, options) as unknown as Inflated;
  take(buffer);
  return engine.bytesWritten;
}

/** The result of zlib if `info` is set. */
interface Inflated {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

function* compressedBytes({ file, dataStarts }: LaidOutArchive, record: Entry): Generator<Buffer> {
  const start = dataStarts.get(record);
  if (start === undefined) throw new Error("the entry is not in the archive");
  for (let read = 0; read < record.compressedSize; ) {
    const chunk = file.read(start + read, Math.min(windowBytes, record.compressedSize - read));
    if (chunk.length === 0) throw new ContentRejection("archive_damaged");
    read += chunk.length;
    yield chunk;
  }
}
