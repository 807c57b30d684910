/**
 * Really inflates a zip archive's entries, counting what comes out. Only an entry's chunks are in memory.
 */
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { crc32, createInflateRaw } from "node:zlib";
import type { Entry } from "yauzl";
import { ContentRejection } from "./rejection.ts";
import { asArchiveDamage, type ZipArchive } from "./zipEntries.ts";

const mebibyte = 1024 * 1024;
/** Below this any ratio passes: blank pictures in small documents deflate a thousandfold. */
const freeBytes = 16 * mebibyte;
/** Inflated bytes for each byte of the file. Real workbooks reach about 30; deflate can reach 1,032. */
const maxRatio = 100;
/** What a receiver must be able to unpack; a larger file may be twice its own size more. */
const maxInflatedBytes = 512 * mebibyte;

/** Refuses by the sizes that the directory declares, before anything is inflated. */
export function refuseBomb({ file, entries }: ZipArchive): void {
  const declared = entries.reduce((total, { record }) => total + record.uncompressedSize, 0);
  const allowed = Math.min(Math.max(freeBytes, maxRatio * file.size), maxInflatedBytes + 2 * file.size);
  if (declared > allowed) throw new ContentRejection("archive_bomb");
}

/**
 * Passes an entry's inflated chunks to `onChunk` and checks their number, their checksum, and that the compressed data
 * ends where the directory says. No entry yields more than it declared: the chunk that would is not passed on.
 */
export async function inflateEntry(
  archive: ZipArchive,
  record: Entry,
  onChunk: (chunk: Buffer) => void = () => {},
): Promise<void> {
  const seen = { bytes: 0, checksum: 0 };
  const consume = async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      seen.bytes += chunk.length;
      if (seen.bytes > record.uncompressedSize) throw new ContentRejection("archive_damaged");
      seen.checksum = crc32(chunk, seen.checksum);
      onChunk(chunk);
    }
  };
  const consumed = await asArchiveDamage(() => streamEntry(archive, record, consume));
  const whole =
    seen.bytes === record.uncompressedSize &&
    seen.checksum === record.crc32 &&
    consumed === record.compressedSize;
  if (!whole) throw new ContentRejection("archive_damaged");
}

/** Answers how many compressed bytes the data took. */
async function streamEntry(
  { zip }: ZipArchive,
  record: Entry,
  consume: (chunks: AsyncIterable<Buffer>) => Promise<void>,
): Promise<number> {
  const stored = await openCompressed(zip, record);
  if (record.compressionMethod === 0) {
    await pipeline(stored, consume);
    return record.compressedSize;
  }
  const inflate = createInflateRaw({ chunkSize: 64 * 1024 });
  await pipeline(stored, inflate, consume);
  return inflate.bytesWritten;
}

function openCompressed(zip: ZipArchive["zip"], record: Entry): Promise<Readable> {
  return new Promise((resolve, reject) => {
    zip.openReadStream(record, { decodeFileData: false }, (error, stream) =>
      error ? reject(error) : resolve(stream),
    );
  });
}
