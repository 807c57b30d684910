/** Inserts that meet rows with the same key: what they change, and which ids they answer. */
import { quoteIdentifier } from "../../infrastructure/database/identifiers.ts";
import type { Definition } from "../definition.ts";
import type { ValueFault } from "../values.ts";
import { type Answering, answeringOf, type Wanted } from "./answering.ts";

export interface OnConflict {
  /** Columns that have a unique index together. */
  readonly columns: readonly string[];
  readonly do: "update" | "nothing";
}

interface Upsert {
  readonly names: readonly string[];
  readonly onConflict: OnConflict;
  readonly wanted: Wanted;
}

interface UpsertParts {
  readonly clause: string;
  readonly answering: Answering | undefined;
  readonly note: string;
  /** The clause for readers of the audit trail. */
  readonly described: string;
}

/** The parts of an upsert's statement. `given` has the rows of the request, numbered by `_n`. */
export function upsertParts(definition: Definition, { names, onConflict, wanted }: Upsert): UpsertParts {
  const target = `on conflict (${onConflict.columns.map(quoteIdentifier).join(", ")})`;
  const described = `${target} do ${onConflict.do}`;
  const assignments = [...names.map(assignmentOf), `"updated_at" = now()`].join(", ");
  // A new row has no xmax. A row that met the conflict was locked before it was updated.
  const added = { _inserted: "(t.xmax::text = '0')", _key: keySql(onConflict.columns, "t.") };
  return {
    clause: onConflict.do === "update" ? `${described} set ${assignments}` : described,
    answering: withCounts(answeringOf(definition, wanted, { ordered: inGivenOrder(onConflict), added })),
    note: `(select format(' -- %s inserted, %s updated', ${count(true)}, ${count(false)}) from changed)`,
    described,
  };
}

const assignmentOf = (name: string) => `${quoteIdentifier(name)} = excluded.${quoteIdentifier(name)}`;

const count = (inserted: boolean) => `count(*) filter (where ${inserted ? "" : "not "}"_inserted")`;

/** Counts even if nobody wants ids or rows. */
function withCounts(answering: Answering | undefined): Answering {
  const inserted = `(select ${count(true)}::text from changed) as inserted`;
  if (!answering) return { returning: `(t.xmax::text = '0') as "_inserted"`, ctes: "", columns: inserted };
  return { ...answering, columns: `${answering.columns}, ${inserted}` };
}

/** Texts, because an array of them can be hashed, and two nulls are equal in it. */
const keySql = (columns: readonly string[], of: string) =>
  `array[${columns.map((name) => `${of}${quoteIdentifier(name)}::text`).join(", ")}]`;

/**
 * The rows in the order of the request. A row that was updated has the key that the request gave, and equal keys are
 * only possible if they have a null, or if the second one did nothing. So the n-th row of a key is the n-th given one.
 */
const inGivenOrder = ({ columns }: OnConflict) => `
      select c.*
      from (select *, row_number() over (partition by "_key" order by "id") as "_k" from changed) c
      join (
        select "_n", k."_key", row_number() over (partition by k."_key" order by "_n") as "_k"
        from given g
        cross join lateral (select ${keySql(columns, "g.")} as "_key") k
      ) g using ("_key", "_k")
      order by g."_n"`;

/** What is wrong with the `on_conflict` of a body, which may be any value. The schema reports what has not its form. */
export function conflictFaults(definition: Definition, body: unknown): ValueFault[] {
  const { on_conflict: onConflict, rows } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const { columns } = (onConflict ?? {}) as { readonly columns?: unknown };
  if (!Array.isArray(columns) || columns.length === 0) return [];
  const first = Array.isArray(rows) ? rows[0] : undefined;
  const names = new Set(Object.keys(first ?? {}));
  const missing = columns.findIndex((name) => !names.has(name));
  if (missing >= 0 && definition.types.has(columns[missing])) return [notGiven(columns[missing], missing)];
  return isKey(definition, new Set(columns)) ? [] : [noKey(definition)];
}

const isKey = (definition: Definition, columns: ReadonlySet<unknown>) =>
  uniqueKeys(definition).some((key) => key.length === columns.size && key.every((name) => columns.has(name)));

/** The columns of every unique index that the tenant asked for. */
export const uniqueKeys = (definition: Definition): readonly (readonly string[])[] => [
  ...definition.columns.filter((column) => "unique" in column && column.unique).map(({ name }) => [name]),
  ...definition.indexes.filter(({ unique }) => unique).map(({ columns }) => columns),
];

const notGiven = (name: string, at: number): ValueFault => ({
  code: "no_unique_index",
  pointer: `/on_conflict/columns/${at}`,
  detail: `Every row needs a value for column "${name}", by which rows are compared.`,
});

function noKey(definition: Definition): ValueFault {
  const keys = uniqueKeys(definition).map((key) => key.map((name) => `"${name}"`).join(" and "));
  const known =
    keys.length === 0 ? "The table has none." : `It has one on ${keys.slice(0, 20).join(", on ")}.`;
  return {
    code: "no_unique_index",
    pointer: "/on_conflict/columns",
    detail: `These must be the columns of one of the table's unique indexes. ${known}`,
  };
}
