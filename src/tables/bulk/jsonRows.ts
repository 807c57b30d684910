/** Rows of application/x-ndjson, for importWork.ts: one JSON object in each line. */
import { parseJson } from "../../infrastructure/json.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { maxGrowth } from "../columnTypes/columnType.ts";
import { columnTypes } from "../columnTypes/index.ts";
import type { CopyText } from "./copyText.ts";
import { faultAt, type ImportFault, type ImportPlan, type Place, type RowReader } from "./importPlan.ts";
import { type Flaw, rowTooLarge } from "./rowCells.ts";

const lineFeed = 0x0a;
const utf8 = new TextDecoder();

export function jsonReader(plan: ImportPlan): RowReader {
  return (bytes, from, { out, place, isEnd }) => {
    const end = bytes.indexOf(lineFeed, from);
    if (end === -1 && !isEnd) return { next: undefined, lines: 0, rows: 0, faults: [] };
    const next = end === -1 ? bytes.length : end + 1;
    const text = utf8.decode(bytes.subarray(from, next)).trim();
    if (text === "") return { next, lines: 1, rows: 0, faults: [] };
    return { next, lines: 1, rows: 1, faults: writeRow(text, { plan, out, place }) };
  };
}

interface Writing {
  readonly plan: ImportPlan;
  readonly out: CopyText;
  readonly place: Place;
}

function writeRow(text: string, { plan, out, place }: Writing): ImportFault[] {
  const parsed = parsedLine(text);
  if ("flaw" in parsed) return [faultAt(place, parsed.flaw, { value: text.slice(0, 500) })];
  const { row } = parsed;
  const { names } = plan;
  if (Object.keys(row).length !== names.length || !names.every((name) => Object.hasOwn(row, name)))
    return [faultAt(place, unequal)];
  const faults: ImportFault[] = [];
  let growth = 0;
  for (const [index, column] of plan.columns.entries()) {
    if (!column) continue;
    const value = row[column.name];
    const type = columnTypes[column.type];
    if (value === null ? !column.nullable : !type.accepts(value)) {
      const detail =
        value === null
          ? `Column "${column.name}" does not allow null.`
          : `Column "${column.name}" takes ${type.takes}.`;
      const shown = { column: names[index], value: JSON.stringify(value).slice(0, 500) };
      faults.push(faultAt(place, { code: "invalid_value", detail }, shown));
    } else if (value === null) out.addNull();
    else {
      out.addString(type.toText(value));
      growth += type.growth?.(value) ?? 0;
    }
  }
  return faults.length === 0 && growth > maxGrowth ? [faultAt(place, rowTooLarge)] : faults;
}

const unequal: Flaw = {
  code: "unequal_columns",
  detail: "Every line must have exactly the same columns as the first line.",
};

export type ParsedLine = { readonly row: Readonly<Record<string, unknown>> } | { readonly flaw: Flaw };

export function parsedLine(text: string): ParsedLine {
  try {
    const value = parseJson(text);
    return isRow(value)
      ? { row: value }
      : { flaw: { code: "invalid_body", detail: "This line is not a JSON object." } };
  } catch (error) {
    if (error instanceof Problem) return { flaw: { code: error.code, detail: error.message } };
    throw error;
  }
}

const isRow = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
