/**
 * Checks that the entries fill the archive from its first byte to its directory, each of them once and as the directory
 * says.
 *
 * Otherwise two readers can see two different archives: through gaps, overlaps (the densest zip bombs), another name or
 * method in a local header, or bytes before the first entry.
 */
import { type Entry, type LocalFileHeader, parseExtraFields, type ZipFile } from "yauzl";
import { ContentRejection } from "./rejection.ts";
import { asArchiveDamage, type ZipArchive } from "./zipEntries.ts";

const descriptorFlag = 0x0008;
/** Bits that change how the bytes are read; the others are hints. */
const meaningfulFlags = 0x0001 | descriptorFlag | 0x0040 | 0x2000;
const descriptorSignature = 0x08074b50;

/** An archive with the position of each entry's data. */
export interface LaidOutArchive extends ZipArchive {
  /** Byte offsets. */
  readonly dataStarts: ReadonlyMap<Entry, number>;
}

export async function checkZipLayout(archive: ZipArchive): Promise<LaidOutArchive> {
  const dataStarts = new Map<Entry, number>();
  const records = archive.entries.map(({ record }) => record);
  records.sort((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader);
  let position = 0;
  for (const [index, record] of records.entries()) {
    if (record.relativeOffsetOfLocalHeader !== position) throw new ContentRejection("archive_hidden_data");
    const next = records[index + 1]?.relativeOffsetOfLocalHeader ?? archive.directory.start;
    const { start, end } = await asArchiveDamage(() => checkEntry(archive, record, next));
    dataStarts.set(record, start);
    position = end;
  }
  if (position !== archive.directory.start) throw new ContentRejection("archive_hidden_data");
  return { ...archive, dataStarts };
}

/** Returns where the entry's data starts and where the entry ends. `next` is the start of the following entry. */
async function checkEntry(archive: ZipArchive, record: Entry, next: number) {
  const header = await readLocalHeader(archive.zip, record);
  checkAgreement(record, header);
  const start = header.fileDataStart;
  return { start, end: checkDescriptor(archive, record, { end: start + record.compressedSize, next }) };
}

function readLocalHeader(zip: ZipFile, record: Entry): Promise<LocalFileHeader> {
  return new Promise((resolve, reject) => {
    zip.readLocalFileHeader(record, (error, header) => (error ? reject(error) : resolve(header)));
  });
}

function checkAgreement(record: Entry, header: LocalFileHeader): void {
  const deferred = (record.generalPurposeBitFlag & descriptorFlag) !== 0;
  const { crc32, compressedSize, uncompressedSize } = localFigures(header);
  const agrees =
    header.fileName.equals(record.fileNameRaw) &&
    header.compressionMethod === record.compressionMethod &&
    ((header.generalPurposeBitFlag ^ record.generalPurposeBitFlag) & meaningfulFlags) === 0 &&
    isFigure(crc32, record.crc32, deferred) &&
    isFigure(compressedSize, record.compressedSize, deferred) &&
    isFigure(uncompressedSize, record.uncompressedSize, deferred);
  if (!agrees) throw new ContentRejection("archive_damaged");
}

/** A header that was written before its data leaves the figures to the descriptor after the data. */
function isFigure(local: number, central: number, deferred: boolean): boolean {
  return local === central || (deferred && (local === 0 || local === 0xffffffff));
}

/** Takes the sizes from the ZIP64 field if the header has one (id 1: original size, then compressed size). */
function localFigures({ crc32, compressedSize, uncompressedSize, extraField }: LocalFileHeader) {
  const wide = parseExtraFields(extraField).find(({ id }) => id === 1)?.data;
  if (wide === undefined || wide.length < 16) return { crc32, compressedSize, uncompressedSize };
  return {
    crc32,
    compressedSize: compressedSize === 0xffffffff ? Number(wide.readBigUInt64LE(8)) : compressedSize,
    uncompressedSize: uncompressedSize === 0xffffffff ? Number(wide.readBigUInt64LE(0)) : uncompressedSize,
  };
}

/** Only the entry's descriptor, if it has one, may be between its data and the next entry. */
function checkDescriptor(
  { file }: ZipArchive,
  record: Entry,
  { end, next }: { end: number; next: number },
): number {
  if ((record.generalPurposeBitFlag & descriptorFlag) === 0) return end;
  const length = next - end;
  if (![12, 16, 20, 24].includes(length)) throw new ContentRejection("archive_hidden_data");
  const bytes = file.read(end, length);
  const signed = length === 16 || length === 24;
  if (signed && bytes.readUInt32LE(0) !== descriptorSignature) throw new ContentRejection("archive_damaged");
  const figures = signed ? bytes.subarray(4) : bytes;
  const wide = figures.length === 20;
  const compressed = wide ? Number(figures.readBigUInt64LE(4)) : figures.readUInt32LE(4);
  const uncompressed = wide ? Number(figures.readBigUInt64LE(12)) : figures.readUInt32LE(8);
  const agrees =
    figures.readUInt32LE(0) === record.crc32 &&
    compressed === record.compressedSize &&
    uncompressed === record.uncompressedSize;
  if (!agrees) throw new ContentRejection("archive_damaged");
  return next;
}
