/**
 * Checks the values of a request against a table's columns. Pure. All faults are collected, up to the number that an
 * answer may have, because a body can have millions.
 */
import { pointerToken } from "../infrastructure/json.ts";
import { type Fault, maxFaults, Problem, type ProblemCode } from "../infrastructure/problem.ts";
import { type ColumnType, maxGrowth } from "./columnTypes/columnType.ts";
import { type Definition, isBuiltIn } from "./definition.ts";

export interface ValueFault extends Fault {
  readonly code: ProblemCode;
}

/** Throws all faults as one problem, with the code of the first. */
export function refuse(faults: readonly (Fault | ValueFault)[]): void {
  const [first] = faults;
  if (!first) return;
  const errors = faults.map(({ code: _, ...fault }: Partial<ValueFault> & Fault) => fault);
  throw new Problem("code" in first ? first.code : "invalid_body", { errors });
}

/** The faults of an insert's `rows`, which may be any value. The schema reports what is not a row. */
export function rowFaults(definition: Definition, rows: unknown): ValueFault[] {
  if (!Array.isArray(rows)) return [];
  const first = rows.find(isRecord);
  if (first && hasManyUnknown(definition, first))
    return oneRowFaults(definition, first, { names: new Set(), pointer: `/rows/${rows.indexOf(first)}` });
  const names = new Set(first ? Object.keys(first) : []);
  const faults: ValueFault[] = first
    ? missingColumnFaults(definition, names, `/rows/${rows.indexOf(first)}`)
    : [];
  // A row with more columns than the table cannot fit.
  const expected = names.size <= definition.types.size ? expectedColumns(definition, names) : undefined;
  for (let index = 0; index < rows.length && faults.length < maxFaults; index++) {
    const row = rows[index];
    if (isRecord(row) && expected && fits(row, expected)) continue;
    const pointer = `/rows/${index}`;
    const found = isRecord(row)
      ? oneRowFaults(definition, row, { names, pointer })
      : exactNumberFaults(row, pointer);
    faults.push(...found.slice(0, maxFaults));
  }
  return faults;
}

/** The faults of a `where`: columns that do not exist, and values that do not fit. null fits every column. */
export function conditionFaults(definition: Definition, where: unknown): ValueFault[] {
  if (!isRecord(where)) return exactNumberFaults(where, "/where");
  return faultsOf(where, "/where", (name, value) =>
    value === null && definition.types.has(name) ? undefined : valueFault(definition, name, value),
  );
}

/** The faults of a `set`: those of a `where`, built-in columns, and null for a column that does not allow it. */
export function assignmentFaults(definition: Definition, set: unknown, pointer = "/set"): ValueFault[] {
  if (!isRecord(set)) return exactNumberFaults(set, pointer);
  const faults = faultsOf(set, pointer, (name, value) => ownValueFault(definition, name, value));
  return faults.length > 0 ? faults : growthFaults(definition, set, pointer);
}

/** The condition that a list's filters mean. Throws if a column does not exist or its type cannot read the text. */
export function filterCondition(
  definition: Definition,
  filters: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const entries = Object.entries(filters).map(
    ([name, text]) => [name, definition.types.get(name)?.fromFilter(text)] as const,
  );
  const condition = Object.fromEntries(entries);
  refuse(faultsOf(condition, "/query", (name, value) => valueFault(definition, name, value)));
  return condition;
}

type Flaw = Pick<ValueFault, "code" | "detail">;

/** What is wrong with an object's members, up to the number that an answer may have. */
function faultsOf(
  record: Record<string, unknown>,
  pointer: string,
  flawOf: (name: string, value: unknown) => Flaw | undefined,
): ValueFault[] {
  const faults: ValueFault[] = [];
  for (const name in record) {
    const flaw = flawOf(name, record[name]);
    if (flaw) faults.push({ ...flaw, pointer: `${pointer}/${shortToken(name)}` });
    if (faults.length >= maxFaults) break;
  }
  return faults;
}

/** A valid column name is short, so only the beginning of a longer one is repeated. */
const shortToken = (name: string) => pointerToken(name.length <= 100 ? name : `${name.slice(0, 100)}…`);

interface ExpectedColumn {
  readonly name: string;
  /** Undefined if the column cannot be written. */
  readonly type: ColumnType | undefined;
  readonly nullable: boolean;
}

function expectedColumns(definition: Definition, names: ReadonlySet<string>): ExpectedColumn[] {
  return [...names].map((name) => ({
    name,
    type: isBuiltIn(name) ? undefined : definition.types.get(name),
    nullable: definition.nullable.has(name),
  }));
}

/**
 * Whether a row has exactly these columns, in this order, and values that fit. It is the fast path for the common case:
 * it runs for every value of a bulk insert, and `oneRowFaults` only for the rows that it does not accept.
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

/** Call it for values that fit their columns. */
function growthFaults(definition: Definition, row: Record<string, unknown>, pointer: string): ValueFault[] {
  let growth = 0;
  for (const name in row) growth += definition.types.get(name)?.growth?.(row[name]) ?? 0;
  if (growth <= maxGrowth) return [];
  const longer = `Written out, the numbers of this row are more than ${maxGrowth} characters longer.`;
  const detail = `${longer} Use smaller exponents.`;
  return [{ code: "row_too_large", pointer, detail }];
}

/** Whether so many columns are unknown that the answer has no room for other faults. */
function hasManyUnknown(definition: Definition, row: Record<string, unknown>): boolean {
  let left = definition.types.size + maxFaults;
  for (const _ in row) if (left-- === 0) return true;
  return false;
}

function oneRowFaults(
  definition: Definition,
  row: Record<string, unknown>,
  { names, pointer }: { readonly names: ReadonlySet<string>; readonly pointer: string },
): ValueFault[] {
  const faults = faultsOf(row, pointer, (name, value) => ownValueFault(definition, name, value));
  if (faults.length >= maxFaults) return faults;
  let present = 0;
  for (const name in row) if (names.has(name)) present++;
  if (present !== names.size || Object.keys(row).length !== names.size)
    faults.push({
      code: "unequal_columns",
      pointer,
      detail: "Every row must have exactly the same columns as the first row.",
    });
  return faults.length > 0 ? faults : growthFaults(definition, row, pointer);
}

function missingColumnFaults(
  definition: Definition,
  names: ReadonlySet<string>,
  pointer: string,
): ValueFault[] {
  return definition.columns
    .filter((column) => !column.nullable && column.default === undefined && !names.has(column.name))
    .map(({ name }) => ({
      code: "invalid_value",
      pointer: `${pointer}/${name}`,
      detail: `Column "${name}" does not allow null and needs a value.`,
    }));
}

/** For a column that the caller writes. Refuses built-in columns, and null if the column does not allow it. */
function ownValueFault(definition: Definition, name: string, value: unknown): Flaw | undefined {
  if (isBuiltIn(name))
    return { code: "built_in_column", detail: `Column "${name}" is built in and cannot be set.` };
  if (value !== null || !definition.types.has(name)) return valueFault(definition, name, value);
  return definition.nullable.has(name)
    ? undefined
    : { code: "invalid_value", detail: `Column "${name}" does not allow null.` };
}

function valueFault(definition: Definition, name: string, value: unknown): Flaw | undefined {
  const type = definition.types.get(name);
  if (!type) {
    const shown = JSON.stringify(name.toWellFormed().slice(0, 100));
    return { code: "unknown_column", detail: `Column ${shown} does not exist in this table.` };
  }
  // Undefined is the value of a filter that its type cannot read.
  return value !== undefined && type.accepts(value)
    ? undefined
    : { code: "invalid_value", detail: `Column "${name}" takes ${type.takes}.` };
}

/** The schema takes a number that json.ts keeps as written for an object. */
const exactNumberFaults = (value: unknown, pointer: string): ValueFault[] =>
  JSON.isRawJSON(value) ? [{ code: "invalid_body", pointer, detail: "It must be an object." }] : [];

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
