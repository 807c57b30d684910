/** Why a change cannot be made: what depends on the table, and the rows that are in the way. */
import type { AlterationFailure } from "../../generated/schemas.ts";
import type { Queryable } from "../../infrastructure/database/connect.ts";
import { quoteIdentifier, quoteTable } from "../../infrastructure/database/identifiers.ts";
import { maxFaults } from "../../infrastructure/problem.ts";
import { defaultSql } from "../defaults.ts";
import type { Source, Step } from "./alteration.ts";
import type { TableFacts } from "./facts.ts";
import type { Outline } from "./outline.ts";

/** PostgreSQL's limit. Dropped columns count, too. */
const maxSlots = 1_600;
/** An entry of an index has at most 2,704 bytes, a few of them for itself. */
const maxIndexBytes = 2_690;
/** Ids of rows in one answer, for each failure. */
const maxIds = 100;

/** What is known without a look at the rows. */
export function dependentFailures({ steps }: Outline, facts: TableFacts): AlterationFailure[] {
  const failures: AlterationFailure[] = [];
  const add = (pointer: string, what: string) => failures.push({ pointer, what, rows: 0, row_ids: [] });
  for (const step of steps) {
    if ((step.kind === "drop_column" || step.kind === "change_type") && facts.needed.has(step.column.name))
      add(step.pointer, `A view of the platform needs column "${step.column.name}" as it is.`);
    if (
      step.kind === "add_column" &&
      !step.column.nullable &&
      step.column.default === undefined &&
      facts.rows > 0
    )
      add(
        `${step.pointer}/nullable`,
        `Column "${step.column.name}" would have no value in the rows that exist. Give it a default, or allow null.`,
      );
  }
  const added = steps.filter(({ kind }) => kind === "add_column").length;
  if (added > 0 && facts.slots + added > maxSlots)
    add(
      "/add_columns",
      `A table can have ${maxSlots} columns in all, and dropped ones count. ` +
        `This one has ${Math.max(0, maxSlots - facts.slots)} left. Create another table.`,
    );
  return failures.slice(0, maxFaults);
}

/** The rows that are in the way. Reads the whole table for some steps. */
export async function rowFailures(
  on: Queryable,
  place: { readonly schema: string; readonly table: string },
  change: Outline,
): Promise<AlterationFailure[]> {
  const failures: AlterationFailure[] = [];
  const empty = await withoutNulls(on, place, change.steps);
  for (const step of change.steps.filter((step) => !empty.has(step)))
    for (const check of checksOf(step, change.sources, place)) {
      if (failures.length >= maxFaults) return failures;
      const { rows, ids } = await rowsOf(on, check.matches);
      if (rows > 0) failures.push({ pointer: step.pointer, what: check.what(rows), rows, row_ids: ids });
    }
  return failures;
}

/** The steps that forbid null in a column without one. The table is read once for all of them. */
async function withoutNulls(
  on: Queryable,
  { schema, table }: { readonly schema: string; readonly table: string },
  steps: readonly Step[],
): Promise<ReadonlySet<Step>> {
  const forbidding = steps.flatMap((step) => (step.kind === "set_nullable" && !step.nullable ? [step] : []));
  if (forbidding.length === 0) return new Set();
  const tests = forbidding.map(({ name }) => `count(*) = count(${quoteIdentifier(name)})`);
  const [row] = await on.unsafe<{ full: boolean[] }[]>(
    `select to_json(array[${tests.join(", ")}]) as full from ${quoteTable(schema, table)}`,
  );
  return new Set(forbidding.filter((_, at) => row?.full[at]));
}

interface Check {
  /** SQL that selects the `id` of each row in the way. */
  readonly matches: string;
  readonly what: (rows: number) => string;
}

async function rowsOf(on: Queryable, matches: string) {
  const [row] = await on.unsafe<{ rows: number; ids: string[] | null }[]>(`
    with found as materialized (${matches})
    select (select count(*) from found)::float8 as rows,
           (select json_agg(id::text) from (select id from found order by id limit ${maxIds}) f) as ids`);
  return { rows: row?.rows ?? 0, ids: row?.ids ?? [] };
}

const inRows = (rows: number) => (rows === 1 ? "1 row" : `${rows} rows`);

function checksOf(
  step: Step,
  sources: Outline["sources"],
  place: { schema: string; table: string },
): Check[] {
  const from = `from ${quoteTable(place.schema, place.table)} t`;
  const sourceOf = (name: string) => sourceSql(sources.get(name) ?? { kind: "column", name });
  if (step.kind === "set_nullable" && !step.nullable) {
    const matches = `select t.id ${from} where t.${quoteIdentifier(step.name)} is null`;
    return [{ matches, what: (rows) => `Column "${step.name}" has no value in ${inRows(rows)}.` }];
  }
  // A column that is added with a reference has no values yet.
  if (step.kind === "add_reference" && sources.get(step.name)?.kind === "column") {
    const { table } = step.reference;
    const value = sourceOf(step.name);
    const matches = `
      select t.id ${from}
      where ${value} is not null
        and not exists (select from ${quoteTable(place.schema, table)} r where r.id = ${value})`;
    const what = (rows: number) =>
      `Column "${step.name}" refers in ${inRows(rows)} to rows that table "${table}" does not have.`;
    return [{ matches, what }];
  }
  if (step.kind !== "add_index") return [];
  return indexChecks(step.index.columns, step.index.unique, { from, sourceOf });
}

function indexChecks(
  columns: readonly string[],
  unique: boolean,
  { from, sourceOf }: { from: string; sourceOf: (name: string) => string },
): Check[] {
  const values = columns.map(sourceOf);
  const names = columns.map((name) => `"${name}"`).join(", ");
  const bytes = values.map((value) => `coalesce(pg_column_size(${value}), 0)`).join(" + ");
  const checks: Check[] = [
    {
      matches: `select t.id ${from} where ${bytes} > ${maxIndexBytes}`,
      what: (rows) => `The values of ${names} are too large for an index in ${inRows(rows)}.`,
    },
  ];
  if (!unique) return checks;
  // null equals nothing, not even null.
  const present = values.map((value) => `${value} is not null`).join(" and ");
  checks.push({
    matches: `
      select id
      from (
        select t.id, count(*) over (partition by ${values.join(", ")}) as same
        ${from}
        where ${present}
      ) counted
      where same > 1`,
    what: (rows) => `The values of ${names} are not unique in ${inRows(rows)}.`,
  });
  return checks;
}

/** The value of a row of the changed table, from the row as it is now. */
function sourceSql(source: Source): string {
  if (source.kind === "column") return `t.${quoteIdentifier(source.name)}`;
  const { default: value, type } = source.column;
  return value === undefined ? "null::text" : defaultSql(type, value);
}
