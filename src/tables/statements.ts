/**
 * SQL text for a tenant's table, made from its definition. Pure: texts and parameters in, nothing run.
 *
 * Three things hold for each statement. Its identifiers come from the registry and are quoted here. Every value is a
 * parameter, cast from text, so that no driver converts it on the way. And it does nothing unless the definition
 * that it was made from stands in the statement's own snapshot; the definition's id is part of the text, so a
 * statement prepared for one definition never serves another.
 */

import { maxPageBytes, maxRowBytes } from "../infrastructure/database/boundedList.ts";
import { quoteIdentifier, quoteLiteral, quoteTable } from "../infrastructure/database/identifiers.ts";
import { builtInColumns, type Definition } from "./definition.ts";

export interface Statement {
  readonly text: string;
  readonly parameters: readonly (string | null)[];
}

/** Who writes, for the audit record that stands or falls with the change. */
export interface Authorship {
  readonly actor: string;
  readonly requestId: string;
}

export type Condition = Readonly<Record<string, unknown>>;

/** Collects parameters and hands out their places. */
class Parameters {
  readonly values: (string | null)[] = [];

  /** `$n::text::<type>`: the driver sees text whatever the type. */
  add(value: string | null, type = "text"): string {
    this.values.push(value);
    return type === "text" ? `$${this.values.length}::text` : `$${this.values.length}::text::${type}`;
  }
}

/**
 * One row `{ current, fits, rows, total }`: `rows` is the rows' JSON with commas between, null where there are none or
 * where the page is too large, which `fits` tells; `total` is null where it was not asked for.
 *
 * The page holds where large values are. They are fetched as each row's JSON is written, row by row until the limit is
 * passed, so that neither this process nor PostgreSQL ever has much more than that. A scan of a CTE keeps its order.
 */
export function selectPage(
  definition: Definition,
  { where, limit, offset, total }: { where: Condition; limit: number; offset: bigint; total: boolean },
): Statement {
  const parameters = new Parameters();
  const matches = conditionSql(definition, where, parameters);
  const columns = [...definition.types.keys()].map((name) => `t.${quoteIdentifier(name)}`).join(", ");
  const page = `select ${columns} from ${tableSql(definition)} t where ${matches} order by t."id" limit ${parameters.add(String(limit), "bigint")} offset ${parameters.add(String(offset), "bigint")}`;
  const count = total ? `(select count(*)::text from ${tableSql(definition)} t where ${matches})` : "null";
  // `r.*`, since a column may be called r: `row_to_json(r)` would mean that one alone.
  const json = `(select row_to_json(r.*)::text from (select ${answerColumns(definition)}) r)`;
  const jsons = `select ${unlessTooLarge(definition, json)} as json from page t`;
  const sizes =
    "select json, sum(octet_length(json)) over w as bytes, count(*) over w as rows from jsons window w as (rows unbounded preceding)";
  const tooLarge = `exists (select from (${sizes}) s where json is null or bytes > case rows when 1 then ${maxRowBytes} else ${maxPageBytes} end)`;
  const text = `with page as materialized (${page}), jsons as materialized (${jsons}), verdict as materialized (select not ${tooLarge} as fits) select exists (select ${stands(definition)}) as current, fits, case when fits then (select string_agg(json, ',') from jsons) end as rows, ${count} as total from verdict`;
  return { text, parameters: parameters.values };
}

/**
 * A row's JSON is made in memory, all of its columns at once. Where a row can have so many large values that several
 * updates could make it a gigabyte, their sizes are looked at first, one value at a time.
 */
function unlessTooLarge(definition: Definition, json: string): string {
  const large = definition.columns.filter(({ name }) => typeOf(definition, name).maxBytes);
  const most = large.reduce((sum, { name }) => sum + (typeOf(definition, name).maxBytes ?? 0), 0);
  if (most <= 2 * maxRowBytes) return json;
  const texts = large.map(({ name }) => `(t.${quoteIdentifier(name)}::text)`).join(", ");
  return `case when (select coalesce(sum(octet_length(v)), 0) <= ${maxRowBytes} from (values ${texts}) as x(v)) then ${json} end`;
}

/** One row `{ affected }`, as all writes answer; none where the definition no longer stands. */
export function insertRows(
  definition: Definition,
  rows: readonly Readonly<Record<string, unknown>>[],
  authorship: Authorship,
): Statement {
  const parameters = new Parameters();
  const names = Object.keys(rows[0] ?? {});
  const source = parameters.add(JSON.stringify(rows), "jsonb");
  const records = names.map((name) => `${quoteIdentifier(name)} ${recordType(definition, name)}`);
  // A row without columns is a row all the same: one built-in column stands in for the list that may not be empty.
  const targets = names.length > 0 ? names.map(quoteIdentifier) : ['"created_at"'];
  const values = names.length > 0 ? names.map((name) => recordValue(definition, name)) : ["now()"];
  const change = `insert into ${tableSql(definition)} (${targets.join(", ")}) select ${values.join(", ")} from jsonb_to_recordset(${source}) as r(${records.join(", ") || '"id" text'}) where exists (select from standing)`;
  const statement = `insert into ${tableSql(definition)} (${targets.join(", ")})`;
  return audited(change, { definition, parameters, authorship, action: "insert", statement });
}

export function updateRows(
  definition: Definition,
  { where, set }: { where: Condition; set: Condition },
  authorship: Authorship,
): Statement {
  const parameters = new Parameters();
  const assignments = Object.entries(set).map(
    ([name, value]) => `${quoteIdentifier(name)} = ${valueSql(definition, name, { value, parameters })}`,
  );
  const matches = conditionSql(definition, where, parameters);
  const change = `update ${tableSql(definition)} t set ${assignments.join(", ")}, "updated_at" = now() where exists (select from standing) and ${matches}`;
  const statement = `update ${tableSql(definition)} set ${readable(definition, set, assigned)} where ${readable(definition, where, required)}`;
  return audited(change, { definition, parameters, authorship, action: "update", statement });
}

export function deleteRows(definition: Definition, where: Condition, authorship: Authorship): Statement {
  const parameters = new Parameters();
  const matches = conditionSql(definition, where, parameters);
  const change = `delete from ${tableSql(definition)} t where exists (select from standing) and ${matches}`;
  const statement = `delete from ${tableSql(definition)} where ${readable(definition, where, required)}`;
  return audited(change, { definition, parameters, authorship, action: "delete", statement });
}

interface Audited {
  readonly definition: Definition;
  readonly parameters: Parameters;
  readonly authorship: Authorship;
  readonly action: "insert" | "update" | "delete";
  /** For the trail's readers: values inlined and cut, never run. */
  readonly statement: string;
}

/**
 * Rows wait less for a lock than definitions do: whoever waits holds a connection, and many may wait for the same rows.
 */
const rowLockTimeout = "2s";

/**
 * The change and its audit record as one statement: both happen or neither. The change asks `standing` before it locks
 * a row, which sets the time-out for this statement without another round trip.
 */
function audited(
  change: string,
  { definition, parameters, authorship, action, statement }: Audited,
): Statement {
  const record = [
    parameters.add(String(definition.tenant.id), "bigint"),
    parameters.add(authorship.actor),
    quoteLiteral(action),
    parameters.add(definition.name),
    parameters.add(statement.slice(0, 10_000)),
    "(select count(*) from changed)",
    "'success'",
    parameters.add(authorship.requestId, "uuid"),
  ];
  const text = `with standing as materialized (select set_config('lock_timeout', '${rowLockTimeout}', true) ${stands(definition)}), changed as (${change} returning 1) insert into waybill.audit_log (tenant_id, actor, action, table_name, statement, affected_rows, outcome, request_id) select ${record.join(", ")} from standing returning affected_rows::text as affected`;
  return { text, parameters: parameters.values };
}

/** One row while the definition stands, none afterwards. */
const stands = (definition: Definition) => `from waybill.tenant_tables where id = ${definition.id}`;

const tableSql = (definition: Definition) => quoteTable(definition.tenant.schema, definition.name);

function answerColumns(definition: Definition): string {
  const names = [...Object.keys(builtInColumns), ...definition.columns.map((column) => column.name)];
  return names
    .map((name) => {
      const column = `t.${quoteIdentifier(name)}`;
      return `${typeOf(definition, name).toAnswer?.(column) ?? column} as ${quoteIdentifier(name)}`;
    })
    .join(", ");
}

function conditionSql(definition: Definition, where: Condition, parameters: Parameters): string {
  const terms = Object.entries(where).map(([name, value]) => {
    const column = `t.${quoteIdentifier(name)}`;
    return value === null
      ? `${column} is null`
      : `${column} = ${valueSql(definition, name, { value, parameters })}`;
  });
  return terms.join(" and ") || "true";
}

function valueSql(
  definition: Definition,
  name: string,
  { value, parameters }: { value: unknown; parameters: Parameters },
): string {
  const type = typeOf(definition, name);
  return parameters.add(value === null ? null : type.toText(value), type.sqlType);
}

function recordType(definition: Definition, name: string): string {
  const type = typeOf(definition, name);
  return type.recordType ?? type.sqlType;
}

function recordValue(definition: Definition, name: string): string {
  const type = typeOf(definition, name);
  return type.recordType ? `r.${quoteIdentifier(name)}::${type.sqlType}` : `r.${quoteIdentifier(name)}`;
}

const assigned = { separator: ", ", none: "= null" };
const required = { separator: " and ", none: "is null" };

/** `"name" = 'value'` for the trail, each value cut at 200 characters. */
function readable(
  definition: Definition,
  values: Condition,
  { separator, none }: { separator: string; none: string },
): string {
  const terms = Object.entries(values).map(([name, value]) => {
    if (value === null) return `${quoteIdentifier(name)} ${none}`;
    const text = typeOf(definition, name).toText(value).slice(0, 200);
    return `${quoteIdentifier(name)} = ${quoteLiteral(text)}`;
  });
  return terms.join(separator);
}

function typeOf(definition: Definition, name: string) {
  const type = definition.types.get(name);
  if (!type) throw new Error("a statement was asked for with a column that the table does not have");
  return type;
}
