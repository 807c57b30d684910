/** Writes the cells of CSV for COPY, after a check by the column's type. */
import type { Column } from "../../generated/schemas.ts";
import { maxGrowth } from "../columnTypes/columnType.ts";
import { columnTypes } from "../columnTypes/index.ts";
import type { ValueFault } from "../values.ts";
import type { CopyText } from "./copyText.ts";
import { doubled, plain } from "./csvScanner.ts";
import { plainCells } from "./plainCells.ts";

export interface Cell {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  /** `plain`, `quoted` or `doubled`. */
  readonly style: number;
}

export type Flaw = Pick<ValueFault, "code" | "detail">;

/**
 * Adds a cell to the row, or says what is wrong with it. Returns by how much its numbers grow when they are written.
 */
export type CellWriter = (out: CopyText, cell: Cell) => Flaw | number;

const comma = 0x2c;
const dot = 0x2e;
const utf8 = new TextDecoder();

export function cellWriter(column: Column, decimalComma: boolean): CellWriter {
  const write = column.type === "text" ? writeText : valueWriter(column, decimalComma);
  return (out, cell) => {
    const isEmpty = cell.start === cell.end;
    // Only a text can be empty. In all other columns, "" has no other meaning than null.
    if (!isEmpty || (cell.style !== plain && column.type === "text")) return write(out, cell);
    if (!column.nullable)
      return { code: "invalid_value", detail: `Column "${column.name}" does not allow null.` };
    out.addNull();
    return 0;
  };
}

function writeText(out: CopyText, { bytes, start, end, style }: Cell): number {
  out.addText(bytes, start, end, style === doubled);
  return 0;
}

function valueWriter({ name, type: typeName, nullable }: Column, decimalComma: boolean): CellWriter {
  const type = columnTypes[typeName];
  const isPlain = plainCells(decimalComma)[typeName];
  const swaps = decimalComma && typeName === "numeric";
  const [from, to] = swaps ? [comma, dot] : [0, 0];
  const flaw: Flaw = { code: "invalid_value", detail: `Column "${name}" takes ${type.takes}.` };
  return (out, cell) => {
    const { bytes, start, end } = cell;
    if (isPlain(bytes, start, end)) {
      out.addPlain(bytes, start, end, from, to);
      return 0;
    }
    const text = spelled(textOf(cell), typeName, swaps);
    const value = text === undefined ? undefined : type.fromFilter(text);
    if (value === null && nullable) {
      out.addNull();
      return 0;
    }
    if (value === undefined || value === null || !type.accepts(value)) return flaw;
    // JSON goes as it is written, which keeps each number.
    out.addString(typeName === "jsonb" ? (text ?? "") : type.toText(value));
    return type.growth?.(value) ?? 0;
  };
}

/** The value as JSON would write it. Undefined if a decimal comma was promised and there is a point. */
function spelled(text: string, type: Column["type"], swaps: boolean): string | undefined {
  if (swaps) return text.includes(".") ? undefined : text.replace(",", ".");
  return type === "boolean" ? text.toLowerCase() : text;
}

/** The text of a cell, its quotes undone. */
export function textOf({ bytes, start, end, style }: Cell): string {
  const text = utf8.decode(bytes.subarray(start, end));
  return style === doubled ? text.replaceAll('""', '"') : text;
}

export const rowTooLarge: Flaw = {
  code: "row_too_large",
  detail: `Written out, the numbers of this row are more than ${maxGrowth} characters longer. Use smaller exponents.`,
};
