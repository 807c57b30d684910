/** Judges the values of a request against a table's columns. Pure; every fault is found, none is thrown one by one. */
import { pointerToken } from "../json.ts";
import { type Fault, maxFaults, Problem, type ProblemCode } from "../problem.ts";
import type { ColumnType } from "./columnTypes/columnType.ts";
import type { Definition } from "./definition.ts";
import { isBuiltIn } from "./definition.ts";

export interface ValueFault extends Fault {
  readonly code: ProblemCode;
}

/** Throws all faults as one problem, named after the first. */
export function refuse(faults: readonly (Fault | ValueFault)[]): void {
  const [first] = faults;
  if (!first) return;
  const errors = faults.map(({ pointer, detail }) => ({ pointer, detail }));
  throw new Problem("code" in first ? first.code : "invalid_body", { errors });
}

/** The faults of an insert's `rows`, which may be anything at all: what is not a row is the schema's to refuse. */
export function rowFaults(definition: Definition, rows: unknown): ValueFault[] {
  if (!Array.isArray(rows)) return [];
  const first = rows.find(isRecord);
  const names = new Set(first ? Object.keys(first) : []);
  const faults: ValueFault[] = first
    ? missingColumnFaults(definition, names, `/rows/${rows.indexOf(first)}`)
    : [];
  const expected = expectedColumns(definition, names);
  for (let index = 0; index < rows.length && faults.length < maxFaults; index++) {
    const row = rows[index];
    if (isRecord(row) && fits(row, expected)) continue;
    const pointer = `/rows/${index}`;
    if (isRecord(row)) faults.push(...oneRowFaults(definition, row, { names, pointer }));
    else faults.push(...exactNumberFaults(row, pointer));
  }
  return faults;
}

/** The faults of a `where`: columns that do not exist, values that do not fit. null is a condition of its own. */
export function conditionFaults(definition: Definition, where: unknown): ValueFault[] {
  if (!isRecord(where)) return exactNumberFaults(where, "/where");
  return Object.entries(where).flatMap(([name, value]) => {
    const pointer = `/where/${pointerToken(name)}`;
    return value === null && definition.types.has(name)
      ? []
      : valueFault(definition, name, { value, pointer });
  });
}

/** The faults of a `set`: also built-in columns, and null where the column does not allow it. */
export function assignmentFaults(definition: Definition, set: unknown): ValueFault[] {
  if (!isRecord(set)) return exactNumberFaults(set, "/set");
  const faults = Object.entries(set).flatMap(([name, value]) =>
    ownValueFault(definition, name, { value, pointer: `/set/${pointerToken(name)}` }),
  );
  return faults.length > 0 ? faults : growthFaults(definition, set, "/set");
}

/** The condition that a list's filters mean. Throws for a filter on no column or one that its type cannot read. */
export function filterCondition(
  definition: Definition,
  filters: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const faults: ValueFault[] = [];
  const condition = Object.entries(filters).map(([name, text]) => {
    const pointer = `/query/${pointerToken(name)}`;
    const value = definition.types.get(name)?.fromFilter(text);
    faults.push(...valueFault(definition, name, { value, pointer }));
    return [name, value] as const;
  });
  refuse(faults);
  return Object.fromEntries(condition);
}

interface Located {
  readonly value: unknown;
  readonly pointer: string;
}

interface ExpectedColumn {
  readonly name: string;
  /** Undefined for a column that cannot be written. */
  readonly type: ColumnType | undefined;
  readonly nullable: boolean;
}

function expectedColumns(definition: Definition, names: ReadonlySet<string>): ExpectedColumn[] {
  const nullable = new Map(definition.columns.map((column) => [column.name, column.nullable]));
  return [...names].map((name) => ({
    name,
    type: isBuiltIn(name) ? undefined : definition.types.get(name),
    nullable: nullable.get(name) ?? false,
  }));
}

/**
 * Whether a row has just these columns, in this order, and values that fit. The common case, told quickly: this runs
 * for every value of a bulk insert, and oneRowFaults only for the rows that it leaves.
 */
function fits(row: Record<string, unknown>, expected: readonly ExpectedColumn[]): boolean {
  let index = 0;
  let growth = 0;
  for (const name in row) {
    const column = expected[index++];
    const value = row[name];
    if (column?.name !== name || !column.type) return false;
    if (value === null ? !column.nullable : !column.type.accepts(value)) return false;
    growth += column.type.growth?.(value) ?? 0;
  }
  return index === expected.length && growth <= maxGrowth;
}

/**
 * Characters by which a row's numbers may grow when they are written out, beyond what was sent: `1e131000` has 131,001.
 * Without this a request of some kilobytes would make rows that no answer can hold.
 */
const maxGrowth = 2 * 1024 ** 2;

/** Of values that fit their columns. */
function growthFaults(definition: Definition, row: Record<string, unknown>, pointer: string): ValueFault[] {
  let growth = 0;
  for (const name in row) growth += definition.types.get(name)?.growth?.(row[name]) ?? 0;
  if (growth <= maxGrowth) return [];
  const detail = `Its numbers, written out without powers of ten, have ${growth} characters more than here; at most ${maxGrowth} are taken.`;
  return [{ code: "row_too_large", pointer, detail }];
}

function oneRowFaults(
  definition: Definition,
  row: Record<string, unknown>,
  { names, pointer }: { readonly names: ReadonlySet<string>; readonly pointer: string },
): ValueFault[] {
  const faults: ValueFault[] = [];
  let present = 0;
  for (const name in row) {
    if (names.has(name)) present++;
    const value = row[name];
    faults.push(...ownValueFault(definition, name, { value, pointer: `${pointer}/${pointerToken(name)}` }));
  }
  if (present !== names.size || Object.keys(row).length !== names.size)
    faults.push({
      code: "unequal_columns",
      pointer,
      detail: "Every row must have exactly the same columns as the first one.",
    });
  return faults.length > 0 ? faults : growthFaults(definition, row, pointer);
}

function missingColumnFaults(
  definition: Definition,
  names: ReadonlySet<string>,
  pointer: string,
): ValueFault[] {
  return definition.columns
    .filter((column) => !column.nullable && !names.has(column.name))
    .map(({ name }) => ({
      code: "invalid_value",
      pointer: `${pointer}/${name}`,
      detail: `Column "${name}" does not allow null and needs a value.`,
    }));
}

/** For a column that the caller writes: a built-in one is refused, null only where the column allows it. */
function ownValueFault(definition: Definition, name: string, located: Located): ValueFault[] {
  const { value, pointer } = located;
  if (isBuiltIn(name))
    return [{ code: "built_in_column", pointer, detail: `Column "${name}" is built in and cannot be set.` }];
  if (value !== null || !definition.types.has(name)) return valueFault(definition, name, located);
  const nullable = definition.columns.some((column) => column.name === name && column.nullable);
  return nullable
    ? []
    : [{ code: "invalid_value", pointer, detail: `Column "${name}" does not allow null.` }];
}

function valueFault(definition: Definition, name: string, { value, pointer }: Located): ValueFault[] {
  const type = definition.types.get(name);
  if (!type) {
    const shown = JSON.stringify(name.toWellFormed().slice(0, 100));
    return [{ code: "unknown_column", pointer, detail: `Column ${shown} does not exist in this table.` }];
  }
  // Undefined is a filter's text that means no value of the type.
  return value !== undefined && type.accepts(value)
    ? []
    : [{ code: "invalid_value", pointer, detail: `Column "${name}" takes ${type.takes}.` }];
}

/** A number kept as it was written (json.ts) is an object to the schema. */
const exactNumberFaults = (value: unknown, pointer: string): ValueFault[] =>
  JSON.isRawJSON(value) ? [{ code: "invalid_body", pointer, detail: "It must be an object." }] : [];

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
