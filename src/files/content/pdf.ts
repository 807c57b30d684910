/**
 * Checks the structure of a PDF (ISO 32000-2, 7.5): the header at the first byte, `startxref` and `%%EOF` at the end,
 * and every cross-reference section from there back to the first. A catalogue must be named, and encryption is refused.
 *
 * Scripts, launch actions and embedded files are not refused. Most are in compressed streams, where a search would miss
 * them, and honest forms and e-invoices (PDF/A-3) have them. They are left to the malware scan.
 */
import type { FileBytes } from "./fileBytes.ts";
import { type PdfDictionary, parsePdfDictionary } from "./pdfDictionary.ts";
import { ContentRejection } from "./rejection.ts";

const windowBytes = 64 * 1024;
/** Each update adds one section. A file with more sections is made to cost time. */
const maxSections = 1_000;
/** Of all trailers and cross-reference streams together. Most have a few hundred bytes each. */
const maxDictionaryBytes = 1024 * 1024;

export function checkPdf(file: FileBytes): void {
  const header = file.read(0, 8);
  if (!/^%PDF-[12]\.\d/.test(header.toString("latin1"))) throw new ContentRejection("pdf_damaged");
  const pending = [readStartOfSections(file)];
  const visited = new Set<number>();
  const budget = { tables: file.size, dictionaries: maxDictionaryBytes };
  for (let offset = pending.pop(); offset !== undefined; offset = pending.pop()) {
    // Several offsets can name one section, because white space may precede it.
    const place = findSection(file, offset);
    if (visited.has(place.start)) continue;
    const isNewest = visited.size === 0;
    visited.add(place.start);
    if (visited.size > maxSections) throw new ContentRejection("pdf_damaged");
    const { dictionary, start, end } = place.isTable
      ? readTrailer(file, place.start)
      : readStream(file, place.start);
    // Without a budget, sections that lie within each other would be read again and again.
    budget.tables -= start - place.start;
    budget.dictionaries -= end - start;
    if (budget.tables < 0 || budget.dictionaries < 0) throw new ContentRejection("pdf_damaged");
    if (dictionary.has("Encrypt")) throw new ContentRejection("document_encrypted");
    if (isNewest && !isReference(dictionary.get("Root"))) throw new ContentRejection("pdf_damaged");
    pending.push(...earlierSections(dictionary));
  }
}

/** The offset after the last `startxref`. */
function readStartOfSections(file: FileBytes): number {
  const tail = file.read(Math.max(0, file.size - windowBytes), windowBytes).toString("latin1");
  const end = tail.lastIndexOf("%%EOF");
  if (end < 0) throw new ContentRejection("pdf_truncated");
  if (!/^[\0\t\n\f\r ]*$/.test(tail.slice(end + 5))) throw new ContentRejection("pdf_trailing_data");
  const start = /startxref[\0\t\n\f\r ]+(\d{1,12})[\0\t\n\f\r ]*$/.exec(
    tail.slice(Math.max(0, end - 64), end),
  );
  if (start === null) throw new ContentRejection("pdf_damaged");
  return Number(start[1]);
}

/** Finds a table, which has a trailer, or a stream, which is both. `start` is the byte after its first keyword. */
function findSection(file: FileBytes, offset: number): { start: number; isTable: boolean } {
  const head = file.read(offset, 64).toString("latin1");
  const table = /^\s*xref\s/.exec(head);
  if (table !== null) return { start: offset + table[0].length, isTable: true };
  const object = /^\s*\d+\s+\d+\s+obj\b/.exec(head);
  if (object === null) throw new ContentRejection("pdf_damaged");
  return { start: offset + object[0].length, isTable: false };
}

interface Section {
  readonly dictionary: PdfDictionary;
  /** Where the dictionary begins, and the byte after it. */
  readonly start: number;
  readonly end: number;
}

/** Tables may only have digits, `n`, `f` and white space, so that two of them cannot share bytes. */
function readTrailer(file: FileBytes, start: number): Section {
  for (let position = start; position < file.size; ) {
    const window = file.read(position, windowBytes).toString("latin1");
    const table = /^[\d\snf]*/.exec(window)?.[0].length ?? 0;
    if (window.startsWith("trailer", table)) {
      return readDictionary(file, position + table + "trailer".length);
    }
    if (table === 0 || table < window.length - "trailer".length) break;
    position += table;
  }
  throw new ContentRejection("pdf_damaged");
}

function readStream(file: FileBytes, start: number): Section {
  const section = readDictionary(file, start);
  const { dictionary, end } = section;
  const length = offsetIn(dictionary, "Length");
  if (dictionary.get("Type") !== "/XRef" || length === undefined) throw new ContentRejection("pdf_damaged");
  const keyword = /^\s*stream(?:\r\n|\n)/.exec(file.read(end, 64).toString("latin1"));
  if (keyword === null) throw new ContentRejection("pdf_damaged");
  const after = file.read(end + keyword[0].length + length, 32).toString("latin1");
  if (!/^\s*endstream\b/.test(after)) throw new ContentRejection("pdf_damaged");
  return section;
}

function readDictionary(file: FileBytes, start: number): Section {
  const source = file.read(start, windowBytes).toString("latin1");
  const parsed = parsePdfDictionary(source);
  if (parsed === undefined) throw new ContentRejection("pdf_damaged");
  return { dictionary: parsed.dictionary, start, end: start + parsed.end };
}

/** Some writers put `/Prev 0` if there is no earlier section. */
function earlierSections(section: PdfDictionary): number[] {
  return ["Prev", "XRefStm"].flatMap((key) => {
    if (!section.has(key)) return [];
    const offset = offsetIn(section, key);
    if (offset === undefined) throw new ContentRejection("pdf_damaged");
    return offset === 0 ? [] : [offset];
  });
}

function offsetIn(dictionary: PdfDictionary, key: string): number | undefined {
  const value = dictionary.get(key);
  return value !== undefined && /^\d{1,12}$/.test(value) ? Number(value) : undefined;
}

const isReference = (value: string | undefined) => value !== undefined && /^\d+\s+\d+\s+R$/.test(value);
