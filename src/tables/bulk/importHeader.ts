/** Reads what the beginning of a file says: its columns, and the delimiter of CSV. Runs in a thread. */
import { isUtf8 } from "node:buffer";
import { CsvScanner } from "./csvScanner.ts";
import { faultAt, type ImportFault, type ImportFormat, type Place } from "./importPlan.ts";
import { parsedLine } from "./jsonRows.ts";
import { readFile } from "./readFile.ts";
import { textOf } from "./rowCells.ts";

export interface HeaderInput {
  readonly path: string;
  readonly size: number;
  readonly format: ImportFormat;
}

export type Header =
  | { readonly names: readonly string[]; readonly delimiter: string; readonly first: Place }
  | { readonly fault: ImportFault };

/** For 1,600 names, with room for a first row of JSON. */
const headerBytes = 1024 ** 2;
const maxNames = 2_000;
const lineFeed = 0x0a;
const start: Place = { offset: 0, line: 1, row: 0 };
const byteOrderMark = [0xef, 0xbb, 0xbf];

const refused = (detail: string): Header => ({ fault: faultAt(start, { code: "invalid_value", detail }) });

export function readHeader({ path, size, format }: HeaderInput): Header {
  const limit = format === "text/csv" ? headerBytes : 33 * headerBytes;
  const bytes = readFile(path, 0, Math.min(size, limit));
  const isEnd = bytes.length >= size;
  const from = byteOrderMark.every((byte, index) => bytes[index] === byte) ? 3 : 0;
  if (bytes[0] === 0xff || bytes[0] === 0xfe || (bytes.length > 1 && bytes[1] === 0))
    return refused("The file is UTF-16. Save it as UTF-8.");
  return format === "text/csv" ? csvHeader(bytes, from, isEnd) : jsonHeader(bytes, from, isEnd);
}

function csvHeader(bytes: Uint8Array, from: number, isEnd: boolean): Header {
  if (from === bytes.length) return refused("The file is empty. Its first line names the columns.");
  const [delimiter, scanner] = widest(bytes, from, isEnd);
  const { count, next, lines, starts, ends, styles } = scanner;
  if (scanner.scan(bytes, from, isEnd) !== "row" || count > maxNames || !isUtf8(bytes.subarray(from, next)))
    return refused("The first line must name the columns, with commas or semicolons between them.");
  const names = Array.from({ length: count }, (_, index) =>
    textOf({
      bytes,
      start: starts[index] as number,
      end: ends[index] as number,
      style: styles[index] as number,
    }).trim(),
  );
  return { names, delimiter, first: { offset: next, line: 1 + lines, row: 0 } };
}

/** The delimiter that makes more cells of the first line. */
function widest(bytes: Uint8Array, from: number, isEnd: boolean): [string, CsvScanner] {
  const [comma, semicolon] = [new CsvScanner(",", maxNames), new CsvScanner(";", maxNames)];
  comma.scan(bytes, from, isEnd);
  semicolon.scan(bytes, from, isEnd);
  return semicolon.count > comma.count ? [";", semicolon] : [",", comma];
}

/** The columns are those of the first line, which is a row as well. */
function jsonHeader(bytes: Uint8Array, from: number, isEnd: boolean): Header {
  const end = bytes.indexOf(lineFeed, from);
  if (end === -1 && !isEnd) return refused("The first line is too long.");
  const line = new TextDecoder().decode(bytes.subarray(from, end === -1 ? bytes.length : end)).trim();
  if (line === "") return end === -1 ? noRows(from) : refused("The first line is empty.");
  const parsed = parsedLine(line);
  if ("flaw" in parsed) return { fault: faultAt(start, parsed.flaw, { value: line.slice(0, 500) }) };
  return { names: Object.keys(parsed.row), delimiter: "", first: { offset: from, line: 1, row: 0 } };
}

const noRows = (offset: number): Header => ({ names: [], delimiter: "", first: { ...start, offset } });
