/** Everything that a change needs to know before it begins, read in one transaction. */
import type { Column, TableIndex as Index, TableAlteration } from "../../generated/schemas.ts";
import type { Queryable } from "../../infrastructure/database/connect.ts";
import { quoteIdentifier, quoteTable } from "../../infrastructure/database/identifiers.ts";
import { Problem } from "../../infrastructure/problem.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import { tableNotFound } from "../definition.ts";
import { refuse } from "../values.ts";
import { matchesTag, parseIfMatch } from "../writing/etags.ts";
import { sameColumns, type TableState, withUnique } from "./alteration.ts";
import { hiddenColumns } from "./dropped.ts";
import { readFacts, type TableFacts } from "./facts.ts";
import { type Outline, outline } from "./outline.ts";
import { isInBackground } from "./plan.ts";
import { type Entry, existingTables, findEntry } from "./registry.ts";

export interface Prepared {
  readonly entry: Entry;
  readonly facts: TableFacts;
  readonly change: Outline;
  /** The registry entry after the change: what is left to the background is not ready yet. */
  readonly after: TableState;
}

export interface Target {
  readonly tenant: Tenant;
  readonly table: string;
  readonly alteration: TableAlteration;
  /** The header If-Match. */
  readonly ifMatch: string | undefined;
}

/** Throws `table_not_found`, `precondition_failed`, and every fault of the request. */
export async function prepare(
  on: Queryable,
  { tenant, table, alteration, ifMatch }: Target,
): Promise<Prepared> {
  const { schema } = tenant;
  const entry = await findEntry(on, schema, { name: table });
  if (!entry) throw tableNotFound(table);
  requireTag(ifMatch, entry);
  const facts = await readFacts(on, schema, table);
  const hidden = await hiddenColumns(
    on,
    { schema, table, tableId: entry.id },
    (alteration.restore_columns ?? []).map(({ name }) => name),
  );
  const tables = await existingTables(on, schema, [...referencesIn(entry, alteration)]);
  const change = outline(entry, alteration, { tables, hidden });
  refuse(change.faults);
  return { entry, facts, change, after: registered(change, facts) };
}

/** `"<id>-<version>"` */
export const definitionTag = ({ id, version }: { readonly id: number; readonly version: number }) =>
  `"${id}-${version}"`;

/** Throws `precondition_failed` if the header `If-Match` does not list the definition's tag. */
export function requireTag(
  ifMatch: string | undefined,
  entry: { readonly id: number; readonly version: number },
): void {
  if (ifMatch === undefined || matchesTag(parseIfMatch(ifMatch), definitionTag(entry))) return;
  throw new Problem("precondition_failed", {
    message: "The table was changed in the meantime. Read its definition again.",
  });
}

function* referencesIn(entry: Entry, { add_columns = [], alter_columns = [] }: TableAlteration) {
  for (const { references } of [...entry.columns, ...add_columns, ...alter_columns])
    if (references) yield references.table;
}

/** Indexes that are built later are `building`, references whose rows are checked later are `checking`. */
export function registered(
  { after, steps }: Pick<Outline, "after" | "steps">,
  facts: TableFacts,
): TableState {
  if (!isInBackground(facts)) return after;
  const added = steps.flatMap((step) => (step.kind === "add_index" ? [step.index.columns] : []));
  const referring = new Set(steps.flatMap((step) => (step.kind === "add_reference" ? [step.name] : [])));
  const indexes = after.indexes.map(
    (index): Index =>
      added.some((columns) => sameColumns(columns, index.columns)) ? { ...index, state: "building" } : index,
  );
  const columns = after.columns.map(
    (column): Column =>
      column.references && referring.has(column.name)
        ? { ...column, references: { ...column.references, state: "checking" } }
        : column,
  );
  return { ...after, indexes, columns: withUnique(columns, indexes) };
}

/** In how many rows each column that is dropped has a value. */
export async function countLost(
  on: Queryable,
  { schema }: Tenant,
  { entry, change }: Prepared,
): Promise<Map<string, number>> {
  const names = change.steps.flatMap((step) => (step.kind === "drop_column" ? [step.column.name] : []));
  if (names.length === 0) return new Map();
  const counts = names.map((name) => `count(${quoteIdentifier(name)})`);
  const [row] = await on.unsafe<{ counts: number[] }[]>(
    `select to_json(array[${counts.join(", ")}]) as counts
     from ${quoteTable(schema, entry.name)}`,
  );
  return new Map(names.map((name, at) => [name, row?.counts[at] ?? 0]));
}
