/**
 * The part of an import that runs in a thread: reads a slice of the file, checks its rows and writes them for COPY.
 * Each call begins where the last one ended and remembers nothing, so any thread can take the next slice.
 */
import { isUtf8 } from "node:buffer";
import { utimesSync } from "node:fs";
import { maxFaults } from "../../infrastructure/problem.ts";
import { CopyText } from "./copyText.ts";
import { csvReader } from "./csvRows.ts";
import {
  faultAt,
  type ImportFault,
  type ImportPlan,
  maxRowBytes,
  type Place,
  type RowReader,
} from "./importPlan.ts";
import { jsonReader } from "./jsonRows.ts";
import { readFile } from "./readFile.ts";

export interface Slice {
  /** Rows for COPY. Empty if there are faults. */
  readonly rows: Uint8Array;
  readonly count: number;
  readonly next: Place;
  readonly isLast: boolean;
  readonly faults: readonly ImportFault[];
}

const sliceBytes = 1024 ** 2;

export interface SliceInput {
  readonly plan: ImportPlan;
  readonly place: Place;
  /** Reads only as far as the row with this number. */
  readonly untilRow?: number;
}

export function readSlice({ plan, place, untilRow }: SliceInput): Slice {
  const reader = plan.format === "text/csv" ? csvReader(plan) : jsonReader(plan);
  // The sweep removes temporary files that have not changed for an hour, and an import may take longer.
  utimesSync(plan.path, new Date(), new Date());
  for (let size = sliceBytes; ; size *= 2) {
    const bytes = readFile(plan.path, place.offset, Math.min(size, plan.size - place.offset));
    const isEnd = place.offset + bytes.length >= plan.size;
    const slice = readRows(bytes, reader, { place, isEnd, untilRow });
    if (slice.isLast || slice.next.offset > place.offset || untilRow !== undefined) return slice;
    if (size > maxRowBytes) return tooLong(slice, place);
  }
}

interface Reading {
  readonly place: Place;
  readonly isEnd: boolean;
  readonly untilRow: number | undefined;
}

function readRows(bytes: Uint8Array, readRow: RowReader, { place, isEnd, untilRow }: Reading): Slice {
  const out = new CopyText(bytes.length + bytes.length / 4 + 1024);
  const isBroken = brokenText(bytes, isEnd);
  const faults: ImportFault[] = [];
  let [at, line, row] = [0, place.line, place.row];
  let isLost = false;
  while (at < bytes.length && faults.length < maxFaults && row !== untilRow && !isLost) {
    const here = { offset: place.offset + at, line, row };
    const read = readRow(bytes, at, { out, place: here, isEnd });
    if (read.next === undefined) break;
    const broken = isBroken(at, read.next);
    const found =
      broken === undefined ? read.faults : [faultAt(here, { code: "invalid_value", detail: broken })];
    faults.push(...found);
    isLost = read.isLost ?? false;
    if (found.length > 0) out.dropRow();
    else if (read.rows > 0) out.endRow();
    at = read.next;
    line += read.lines;
    row += read.rows;
  }
  return {
    rows: faults.length > 0 ? new Uint8Array(0) : out.take(),
    count: row - place.row,
    next: { offset: place.offset + at, line, row },
    isLast: isLost || faults.length >= maxFaults || (isEnd && at >= bytes.length),
    faults: faults.slice(0, maxFaults),
  };
}

const lineFeed = 0x0a;
const notUtf8 = "This line is not UTF-8. Save the file as UTF-8.";
const hasNul = "This line has U+0000, which no column can store.";

/** Tells for a range what is wrong with its text. The whole slice is checked first, because hardly any has a fault. */
function brokenText(bytes: Uint8Array, isEnd: boolean) {
  // A slice can end inside of a character, but never between two lines.
  const end = isEnd ? bytes.length : bytes.lastIndexOf(lineFeed) + 1;
  const isFine = isUtf8(bytes.subarray(0, end)) && !bytes.subarray(0, end).includes(0);
  return (from: number, to: number): string | undefined => {
    if (isFine && to <= end) return undefined;
    const range = bytes.subarray(from, to);
    if (!isUtf8(range)) return notUtf8;
    return range.includes(0) ? hasNul : undefined;
  };
}

/** A quote that is missing makes the rest of the file one cell. */
function tooLong(slice: Slice, place: Place): Slice {
  const detail = `This row has more than ${maxRowBytes} bytes. Perhaps a quote is missing.`;
  return { ...slice, isLast: true, faults: [faultAt(place, { code: "row_too_large", detail })] };
}

export { readHeader } from "./importHeader.ts";
