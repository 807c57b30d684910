/** Statements that write rows of a tenant's table, built from its definition. ../statement.ts has the rules. */
import { quoteIdentifier, quoteLiteral } from "../../infrastructure/database/identifiers.ts";
import { type Authorship, audited } from "../audited.ts";
import type { Definition } from "../definition.ts";
import {
  type Condition,
  conditionSql,
  Parameters,
  type Statement,
  tableSql,
  typeOf,
  valueSql,
} from "../statement.ts";
import { answeringOf, type Wanted } from "./answering.ts";
import { type OnConflict, upsertParts } from "./upsert.ts";

/** How a write is recorded, and what its result tells. */
export interface WriteOptions {
  readonly authorship: Authorship;
  readonly wanted: Wanted;
  /** The one row of an update or a deletion. */
  readonly guard?: RowGuard | undefined;
}

/** A row that has to be there. */
export interface RowGuard {
  /** One of these transactions has to be the last one that wrote it. Absent: any. */
  readonly transactions?: readonly string[] | undefined;
}

export interface Insertion {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** What happens with a row whose key exists already. Absent: the insert fails. */
  readonly onConflict?: OnConflict | undefined;
}

/**
 * Inserts all rows or none. Like every write, it answers one row, or none if the definition is gone.
 *
 * If the result tells ids, the rows are inserted in their order: the sort is below the insert, which takes each id from
 * the sequence. So the order of the ids is the order of the rows.
 */
export function insertRows(
  definition: Definition,
  { rows, onConflict }: Insertion,
  { authorship, wanted }: WriteOptions,
): Statement {
  const given = givenRows(definition, rows);
  if (onConflict) return upsertRows(definition, { ...given, onConflict }, { authorship, wanted });
  const { parameters, table, into, values, source, elements } = given;
  const isOne = rows.length === 1;
  const answering = answeringOf(definition, wanted, { isOne });
  const order = answering && !isOne ? `\n      order by "_n"` : "";
  const change = `
      insert into ${table} as t ${into}
      select ${values.join(", ")}
      from ${isOne ? elements : source}
      where exists (select 1 from registered)${order}`;
  const statement = `insert into ${table} ${into}`;
  return audited(change, { definition, parameters, authorship, action: "insert", statement, answering });
}

function upsertRows(
  definition: Definition,
  given: ReturnType<typeof givenRows> & { readonly onConflict: OnConflict },
  { authorship, wanted }: WriteOptions,
): Statement {
  const { parameters, table, into, targets, values, source, ...upsert } = given;
  const { clause, described, note, answering } = upsertParts(definition, { ...upsert, wanted });
  const columns = values.map((value, at) => `${value} as ${targets[at]}`).join(", ");
  const sources = `
    given as materialized (
      select "_n", ${columns}
      from ${source}
    ),`;
  const change = `
      insert into ${table} as t ${into}
      select ${targets.join(", ")}
      from given
      where exists (select 1 from registered)
      order by "_n"
      ${clause}`;
  const statement = `insert into ${table} ${into} ${described}`;
  const record = { definition, parameters, authorship, action: "insert", statement } as const;
  return audited(change, { ...record, answering, note, sources });
}

/** The rows as one parameter, numbered by `_n`, and how their values are read and where they go. */
function givenRows(definition: Definition, rows: Insertion["rows"]) {
  const parameters = new Parameters();
  const names = Object.keys(rows[0] ?? {});
  const call = `jsonb_array_elements(${parameters.add(JSON.stringify(rows), "jsonb")})`;
  // A row may have no columns, but SQL needs at least one: a built-in column gets its default.
  const targets = names.length > 0 ? names.map(quoteIdentifier) : ['"created_at"'];
  const values = names.length > 0 ? names.map((name) => memberSql(definition, name)) : ["now()"];
  const table = tableSql(definition);
  return {
    ...{ parameters, names, targets, values, table },
    into: `(${targets.join(", ")})`,
    elements: `${call} as r("_row")`,
    source: `${call} with ordinality as r("_row", "_n")`,
  };
}

/** Updates every row that matches `where`, and its `updated_at`. Answers as `insertRows` does. */
export function updateRows(
  definition: Definition,
  { where, set }: { where: Condition; set: Condition },
  { authorship, wanted, guard }: WriteOptions,
): Statement {
  const parameters = new Parameters();
  const table = tableSql(definition);
  const constants = new Map(
    Object.entries(set).map(([name, value]) => [name, valueSql(definition, name, { value, parameters })]),
  );
  const assignments = [...constants].map(([name, value]) => `${quoteIdentifier(name)} = ${value}`);
  const matches = conditionSql(definition, where, parameters);
  const change = `
      update ${table} t
      set ${assignments.join(", ")}, "updated_at" = now()
      where exists (select 1 from registered)
        and ${matches}${unchangedSql(guard, parameters)}`;
  const changes = readable(definition, set, assignment);
  const statement = `update ${table} set ${changes} where ${readable(definition, where, condition)}`;
  const answering = answeringOf(
    definition,
    { ...wanted, ids: false },
    { constants, tag: guard !== undefined },
  );
  const needsRow = guard !== undefined;
  const record = { definition, parameters, authorship, action: "update", statement } as const;
  return audited(change, { ...record, answering, needsRow });
}

/** Deletes every row that matches `where`. Answers as `insertRows` does. */
export function deleteRows(
  definition: Definition,
  where: Condition,
  { authorship, wanted, guard }: WriteOptions,
): Statement {
  const parameters = new Parameters();
  const table = tableSql(definition);
  const matches = conditionSql(definition, where, parameters);
  const change = `
      delete from ${table} t
      where exists (select 1 from registered)
        and ${matches}${unchangedSql(guard, parameters)}`;
  const statement = `delete from ${table} where ${readable(definition, where, condition)}`;
  const answering = answeringOf(definition, { ...wanted, ids: false });
  const needsRow = guard !== undefined;
  const record = { definition, parameters, authorship, action: "delete", statement } as const;
  return audited(change, { ...record, answering, needsRow });
}

/**
 * PostgreSQL checks it again for a row that somebody else changes at the same time. `xmin` has no order and no index,
 * but the row is found by its id.
 */
function unchangedSql(guard: RowGuard | undefined, parameters: Parameters): string {
  const { transactions } = guard ?? {};
  if (!transactions) return "";
  return `
        and t.xmin::text = any(${parameters.add(`{${transactions.join()}}`, "text[]")})`;
}

/** A column's value in a row of the request. JSON's null is SQL's null. */
function memberSql(definition: Definition, name: string): string {
  const { sqlType, recordType } = typeOf(definition, name);
  const key = quoteLiteral(name);
  if (sqlType === "jsonb") return `nullif("_row" -> ${key}, 'null')`;
  const text = `"_row" ->> ${key}`;
  if (sqlType === "text") return text;
  return recordType ? `(${text})::${recordType}::${sqlType}` : `(${text})::${sqlType}`;
}

const assignment = { separator: ", ", ofNull: "= null" };
const condition = { separator: " and ", ofNull: "is null" };

/** `"name" = 'value'` for the audit trail, each value cut at 200 characters. */
function readable(
  definition: Definition,
  values: Condition,
  { separator, ofNull }: { separator: string; ofNull: string },
): string {
  const terms = Object.entries(values).map(([name, value]) => {
    if (value === null) return `${quoteIdentifier(name)} ${ofNull}`;
    const text = typeOf(definition, name).toText(value).slice(0, 200);
    return `${quoteIdentifier(name)} = ${quoteLiteral(text)}`;
  });
  return terms.join(separator);
}
