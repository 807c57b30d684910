/** What an import knows before it reads the rows. It is sent to the threads that read them, so it is plain data. */
import type { Column } from "../../generated/schemas.ts";
import type { ValueFault } from "../values.ts";
import type { CopyText } from "./copyText.ts";

export type ImportFormat = "text/csv" | "application/x-ndjson";

export interface ImportPlan {
  readonly path: string;
  /** Bytes of the file. */
  readonly size: number;
  readonly format: ImportFormat;
  /** The file's columns in their order. Undefined for one that is left out. */
  readonly columns: readonly (Column | undefined)[];
  /** Their names as the file has them. */
  readonly names: readonly string[];
  readonly delimiter: string;
  readonly decimalComma: boolean;
}

/** Where a row begins. */
export interface Place {
  /** Its first byte. */
  readonly offset: number;
  /** Its line, from 1. */
  readonly line: number;
  /** How many rows are before it. */
  readonly row: number;
}

export interface ImportFault extends ValueFault {
  readonly line: number;
  readonly column?: string;
  readonly value?: string;
}

/** What a reader of a format makes of one row. */
export interface ReadRow {
  /** Where the next row begins. Undefined if the row's end is not in the bytes. */
  readonly next: number | undefined;
  readonly lines: number;
  /** 0 for an empty line, which is no row. */
  readonly rows: 0 | 1;
  readonly faults: readonly ImportFault[];
  /** Whether it is not clear where the next row begins. */
  readonly isLost?: boolean;
}

/** Reads the row at `from` and adds its cells to `out`. `isEnd`: no bytes of the file come after these. */
export type RowReader = (
  bytes: Uint8Array,
  from: number,
  given: { readonly out: CopyText; readonly place: Place; readonly isEnd: boolean },
) => ReadRow;

/** A fault with the beginning of the value, which can be long. */
export function faultAt(
  place: Place,
  fault: Pick<ValueFault, "code" | "detail">,
  cell: { readonly column?: string | undefined; readonly value?: string | undefined } = {},
): ImportFault {
  const { column, value } = cell;
  const pointer = `/rows/${place.row}${column === undefined ? "" : `/${column}`}`;
  const shown = value === undefined ? {} : { value: cut(value) };
  return { ...fault, pointer, line: place.line, ...(column === undefined ? {} : { column }), ...shown };
}

const maxShown = 100;
const cut = (text: string) => (text.length <= maxShown ? text : `${text.slice(0, maxShown).toWellFormed()}…`);

/** A row may be as large as a request of JSON. */
export const maxRowBytes = 32 * 1024 ** 2;
