/**
 * Reads the entries of a zip archive from its central directory. Refuses what no office program writes: encryption,
 * links, other compression methods, duplicate names, and names that lead out of the archive.
 */
import { type Entry, fromFdPromise, type ZipFile } from "yauzl";
import type { FileBytes } from "./fileBytes.ts";
import { ContentRejection } from "./rejection.ts";
import { readZipDirectory, type ZipDirectory } from "./zipEnd.ts";

/** Real documents have tens to hundreds of parts. A workbook with a picture in each of 1,000 rows is allowed. */
const maxEntries = 2_048;
/** Limits the memory that the directory takes. Most names and extra fields are far shorter. */
const maxDirectoryBytes = 4 * 1024 * 1024;

export interface ZipArchive {
  readonly file: FileBytes;
  readonly zip: ZipFile;
  readonly directory: ZipDirectory;
  readonly entries: readonly ZipEntry[];
}

export interface ZipEntry {
  /** As stored: `xl/workbook.xml`. */
  readonly name: string;
  /** The name as readers compare it: without percent-encoding, in lower case. */
  readonly key: string;
  readonly isFolder: boolean;
  readonly record: Entry;
}

const encryptedFlags = 0x0001 | 0x0040 | 0x2000;
const patchFlag = 0x0020;

export async function readZipArchive(file: FileBytes): Promise<ZipArchive> {
  const directory = readZipDirectory(file);
  if (directory.entryCount > maxEntries || directory.end - directory.start > maxDirectoryBytes) {
    throw new ContentRejection("archive_too_many_entries");
  }
  return asArchiveDamage(async () => {
    const zip = await fromFdPromise(file.descriptor, { autoClose: false, decodeStrings: false });
    const entries: ZipEntry[] = [];
    for await (const record of zip.eachEntry()) entries.push(toEntry(record));
    const listed = entries.reduce((total, { record }) => total + listedBytes(record), 0);
    if (directory.start + listed !== directory.end) throw new ContentRejection("archive_hidden_data");
    refuseDuplicates(entries);
    return { file, zip, directory, entries };
  });
}

/** Turns errors that a zip or inflate library throws in `use` into `archive_damaged`. Other errors pass. */
export async function asArchiveDamage<T>(use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    if (error instanceof ContentRejection) throw error;
    if (error instanceof Error && "syscall" in error) throw error;
    if (String(error).includes("strong encryption")) throw new ContentRejection("document_encrypted");
    throw new ContentRejection("archive_damaged", { cause: error });
  }
}

/** The size of an entry in the central directory. */
const listedBytes = ({ fileNameLength, extraFieldLength, fileCommentLength }: Entry) =>
  46 + fileNameLength + extraFieldLength + fileCommentLength;

function toEntry(record: Entry): ZipEntry {
  if ((record.generalPurposeBitFlag & encryptedFlags) !== 0) throw new ContentRejection("document_encrypted");
  if ((record.generalPurposeBitFlag & patchFlag) !== 0) throw new ContentRejection("archive_unsupported");
  if (record.compressionMethod !== 0 && record.compressionMethod !== 8) {
    throw new ContentRejection("archive_unsupported");
  }
  if (isLink(record)) throw new ContentRejection("archive_unsafe_name");
  const name = readName(record);
  const isFolder = name.endsWith("/");
  if (isFolder && record.uncompressedSize > 0) throw new ContentRejection("archive_damaged");
  return { name, key: partKey(name), isFolder, record };
}

/** A Unix file mode of type "symbolic link". */
const isLink = (record: Entry) => ((record.externalFileAttributes >>> 16) & 0o170000) === 0o120000;

/** Refuses a second name in an Info-ZIP Unicode path (0x7075). */
function readName(record: Entry): string {
  const bytes = record.fileNameRaw;
  if (record.extraFields.some(({ id, data }) => id === 0x7075 && !data.subarray(5).equals(bytes))) {
    throw new ContentRejection("archive_unsafe_name");
  }
  const name = isUtf8(bytes) ? bytes.toString("utf8") : bytes.toString("latin1");
  if (!isSafeName(name) || !isSafeName(partKey(name))) throw new ContentRejection("archive_unsafe_name");
  return name;
}

function isUtf8(bytes: Buffer): boolean {
  return Buffer.from(bytes.toString("utf8"), "utf8").equals(bytes);
}

/** A relative path with slashes only, without segments that are empty or end in a dot, as `..` does (OPC 6.2.2.2). */
function isSafeName(name: string): boolean {
  if (/[\\\p{Cc}]|^[A-Za-z]:/u.test(name)) return false;
  const segments = (name.endsWith("/") ? name.slice(0, -1) : name).split("/");
  return segments.every((segment) => segment !== "" && !segment.endsWith("."));
}

/** A part's name as names are compared (OPC 6.3.4). */
export function partKey(name: string): string {
  return percentDecoded(name).normalize("NFC").toLowerCase();
}

function percentDecoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function refuseDuplicates(entries: readonly ZipEntry[]): void {
  if (new Set(entries.map(({ key }) => key)).size < entries.length) {
    throw new ContentRejection("archive_duplicate_name");
  }
}
