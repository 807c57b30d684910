/** Rows of CSV, for importWork.ts. */
import { maxGrowth } from "../columnTypes/columnType.ts";
import type { CopyText } from "./copyText.ts";
import { CsvScanner, plain, type Scanned } from "./csvScanner.ts";
import { faultAt, type ImportFault, type ImportPlan, type Place, type RowReader } from "./importPlan.ts";
import { type CellWriter, cellWriter, rowTooLarge, textOf } from "./rowCells.ts";

const meanings: Readonly<Record<Exclude<Scanned, "row" | "more">, string>> = {
  "stray quote":
    'There is a quote inside of a cell. Put the cell in quotes, and write each quote in it as "".',
  "text after quote": 'There is text after the quote that ends a cell. Write a quote inside of a cell as "".',
  "no closing quote": "A cell begins with a quote and never ends. Its closing quote is missing.",
};

export function csvReader(plan: ImportPlan): RowReader {
  const scanner = new CsvScanner(plan.delimiter, plan.names.length);
  const writers = plan.columns.map((column) => column && cellWriter(column, plan.decimalComma));
  return (bytes, from, { out, place, isEnd }) => {
    const scanned = scanner.scan(bytes, from, isEnd);
    const { next, lines } = scanner;
    if (scanned === "more") return { next: undefined, lines: 0, rows: 0, faults: [] };
    if (scanned !== "row") {
      const at = { ...place, line: place.line + lines - 1 };
      const fault = faultAt(at, { code: "invalid_value", detail: meanings[scanned] });
      return { next, lines, rows: 1, faults: [fault], isLost: true };
    }
    if (isBlank(scanner, writers.length)) return { next, lines, rows: 0, faults: [] };
    return { next, lines, rows: 1, faults: writeRow(bytes, { scanner, writers, out, place, plan }) };
  };
}

/** An empty line. In a file with one column it is a row without a value. */
const isBlank = ({ count, starts, ends, styles }: CsvScanner, columns: number) =>
  columns > 1 && count === 1 && starts[0] === ends[0] && styles[0] === plain;

interface Writing {
  readonly scanner: CsvScanner;
  readonly writers: readonly (CellWriter | undefined)[];
  readonly out: CopyText;
  readonly place: Place;
  readonly plan: ImportPlan;
}

const noFaults: readonly ImportFault[] = [];

function writeRow(
  bytes: Uint8Array,
  { scanner, writers, out, place, plan }: Writing,
): readonly ImportFault[] {
  const { count, starts, ends, styles } = scanner;
  if (count !== writers.length) return [wrongCount(count, writers.length, place)];
  let faults: ImportFault[] | undefined;
  let growth = 0;
  const cell = { bytes, start: 0, end: 0, style: 0 };
  for (let index = 0; index < count; index++) {
    const write = writers[index];
    if (!write) continue;
    cell.start = starts[index] as number;
    cell.end = ends[index] as number;
    cell.style = styles[index] as number;
    const result = write(out, cell);
    if (typeof result === "number") growth += result;
    else {
      faults ??= [];
      faults.push(faultAt(place, result, { column: plan.names[index], value: shownText(cell) }));
    }
  }
  if (faults) return faults;
  return growth > maxGrowth ? [faultAt(place, rowTooLarge)] : noFaults;
}

/** Only the beginning of a long value is decoded. */
const shownText = (cell: { bytes: Uint8Array; start: number; end: number; style: number }) =>
  textOf({ ...cell, end: Math.min(cell.end, cell.start + 500) });

const wrongCount = (count: number, expected: number, place: Place) =>
  faultAt(place, {
    code: "unequal_columns",
    detail: `This row has ${count} ${count === 1 ? "cell" : "cells"}, and the first line has ${expected}.`,
  });
