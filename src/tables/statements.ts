/**
 * SQL for the rows of a tenant's table, built from its definition. Pure: it returns texts and parameters, and runs
 * nothing. Each statement keeps three promises:
 *
 * - Its identifiers come from the registry and are quoted here.
 * - Every value is a parameter that is cast from text, so the driver converts nothing.
 * - It does nothing unless the registry still has its definition, in the statement's own snapshot. The definition's id
 *   is part of the text, so a statement that was prepared for one definition never serves another.
 */

import { maxPageBytes, maxRowBytes } from "../infrastructure/database/boundedList.ts";
import { quoteIdentifier, quoteLiteral, quoteTable } from "../infrastructure/database/identifiers.ts";
import { builtInColumns, type Definition } from "./definition.ts";

export interface Statement {
  readonly text: string;
  readonly parameters: readonly (string | null)[];
}

/** Who writes, for the audit record that commits with the change. */
export interface Authorship {
  readonly actor: string;
  readonly requestId: string;
}

export type Condition = Readonly<Record<string, unknown>>;

/** Collects parameters and returns their placeholders. */
class Parameters {
  readonly values: (string | null)[] = [];

  /** `$n::text::<type>`: the driver sees text, whatever the type. */
  add(value: string | null, type = "text"): string {
    this.values.push(value);
    return type === "text" ? `$${this.values.length}::text` : `$${this.values.length}::text::${type}`;
  }
}

/**
 * A page of rows, read in the order of `id`. Answers one row `{ current, fits, rows, total }`:
 *
 * - `current`: whether the registry still has the definition.
 * - `fits`: whether the page is small enough for one answer.
 * - `rows`: the rows' JSON, joined by commas; null if there are no rows or they do not fit.
 * - `total`: how many rows match; null if the caller does not want it.
 *
 * `page` holds references to large values only. PostgreSQL fetches the values when it writes the JSON, row by row until
 * the limit is exceeded, so neither side holds much more than that. A scan of a CTE keeps its order. `r.*` is necessary
 * because a column may be called r: `row_to_json(r)` would then mean that column.
 */
export function selectPage(
  definition: Definition,
  { where, limit, offset, total }: { where: Condition; limit: number; offset: bigint; total: boolean },
): Statement {
  const parameters = new Parameters();
  const table = tableSql(definition);
  const columns = [...definition.types.keys()].map((name) => `t.${quoteIdentifier(name)}`).join(", ");
  const matches = conditionSql(definition, where, parameters);
  const json = `(select row_to_json(r.*)::text from (select ${answerColumns(definition)}) r)`;
  const count = total ? `(select count(*)::text from ${table} t where ${matches})` : "null";
  const text = `
    with page as materialized (
      select ${columns}
      from ${table} t
      where ${matches}
      order by t."id"
      limit ${parameters.add(String(limit), "bigint")}
      offset ${parameters.add(String(offset), "bigint")}
    ),
    jsons as materialized (
      select ${nullIfTooLarge(definition, json)} as json
      from page t
    ),
    sizes as (
      select
        json,
        sum(octet_length(json)) over w as bytes,
        count(*) over w as rows
      from jsons
      window w as (rows unbounded preceding)
    ),
    verdict as materialized (
      select not exists (
        select
        from sizes
        where json is null
          or bytes > case rows when 1 then ${maxRowBytes} else ${maxPageBytes} end
      ) as fits
    )
    select
      exists (select ${fromRegistry(definition)}) as current,
      fits,
      case when fits then (select string_agg(json, ',') from jsons) end as rows,
      ${count} as total
    from verdict`;
  return { text, parameters: parameters.values };
}

/**
 * A row's JSON, or null if the row is too large for an answer.
 *
 * PostgreSQL builds the JSON of a row in memory, with all columns at once. If a table has so many large columns that
 * several updates could make a row of a gigabyte, the sizes are added up first, one value at a time.
 */
function nullIfTooLarge(definition: Definition, json: string): string {
  const large = definition.columns.filter(({ name }) => typeOf(definition, name).maxBytes);
  const most = large.reduce((sum, { name }) => sum + (typeOf(definition, name).maxBytes ?? 0), 0);
  if (most <= 2 * maxRowBytes) return json;
  const texts = large.map(({ name }) => `(t.${quoteIdentifier(name)}::text)`).join(", ");
  return `
        case
          when (
            select coalesce(sum(octet_length(v)), 0) <= ${maxRowBytes}
            from (values ${texts}) as x(v)
          )
          then ${json}
        end`;
}

/** Inserts all rows or none. Like every write, it answers one row `{ affected }`, or none if the definition is gone. */
export function insertRows(
  definition: Definition,
  rows: readonly Readonly<Record<string, unknown>>[],
  authorship: Authorship,
): Statement {
  const parameters = new Parameters();
  const names = Object.keys(rows[0] ?? {});
  const source = parameters.add(JSON.stringify(rows), "jsonb");
  const records = names.map((name) => `${quoteIdentifier(name)} ${recordType(definition, name)}`);
  // A row may have no columns, but SQL needs at least one: a built-in column gets its default.
  const targets = names.length > 0 ? names.map(quoteIdentifier) : ['"created_at"'];
  const values = names.length > 0 ? names.map((name) => recordValue(definition, name)) : ["now()"];
  const statement = `insert into ${tableSql(definition)} (${targets.join(", ")})`;
  const change = `
      ${statement}
      select ${values.join(", ")}
      from jsonb_to_recordset(${source}) as r(${records.join(", ") || '"id" text'})
      where exists (select from registered)`;
  return audited(change, { definition, parameters, authorship, action: "insert", statement });
}

/** Updates every row that matches `where`, and its `updated_at`. Answers as `insertRows` does. */
export function updateRows(
  definition: Definition,
  { where, set }: { where: Condition; set: Condition },
  authorship: Authorship,
): Statement {
  const parameters = new Parameters();
  const table = tableSql(definition);
  const assignments = Object.entries(set).map(
    ([name, value]) => `${quoteIdentifier(name)} = ${valueSql(definition, name, { value, parameters })}`,
  );
  const matches = conditionSql(definition, where, parameters);
  const change = `
      update ${table} t
      set ${assignments.join(", ")}, "updated_at" = now()
      where exists (select from registered)
        and ${matches}`;
  const changes = readable(definition, set, assignment);
  const statement = `update ${table} set ${changes} where ${readable(definition, where, condition)}`;
  return audited(change, { definition, parameters, authorship, action: "update", statement });
}

/** Deletes every row that matches `where`. Answers as `insertRows` does. */
export function deleteRows(definition: Definition, where: Condition, authorship: Authorship): Statement {
  const parameters = new Parameters();
  const table = tableSql(definition);
  const matches = conditionSql(definition, where, parameters);
  const change = `
      delete from ${table} t
      where exists (select from registered)
        and ${matches}`;
  const statement = `delete from ${table} where ${readable(definition, where, condition)}`;
  return audited(change, { definition, parameters, authorship, action: "delete", statement });
}

interface Audited {
  readonly definition: Definition;
  readonly parameters: Parameters;
  readonly authorship: Authorship;
  readonly action: "insert" | "update" | "delete";
  /** For readers of the audit trail: values are inlined and cut, and nobody runs it. */
  readonly statement: string;
}

/** Shorter than for DDL: every waiting request holds a connection, and many may wait for the same rows. */
const rowLockTimeout = "2s";

/**
 * The change and its audit record as one statement: both happen, or neither. `registered` is one row if the registry
 * still has the definition. The change reads it before it locks a row. This sets the lock timeout without another round
 * trip.
 */
function audited(
  change: string,
  { definition, parameters, authorship, action, statement }: Audited,
): Statement {
  const text = `
    with registered as materialized (
      select set_config('lock_timeout', '${rowLockTimeout}', true)
      ${fromRegistry(definition)}
    ),
    changed as (${change}
      returning 1
    )
    insert into waybill.audit_log (
      tenant_id,
      actor,
      action,
      table_name,
      statement,
      affected_rows,
      outcome,
      request_id
    )
    select
      ${parameters.add(String(definition.tenant.id), "bigint")},
      ${parameters.add(authorship.actor)},
      ${quoteLiteral(action)},
      ${parameters.add(definition.name)},
      ${parameters.add(statement.slice(0, 10_000))},
      (select count(*) from changed),
      'success',
      ${parameters.add(authorship.requestId, "uuid")}
    from registered
    returning affected_rows::text as affected`;
  return { text, parameters: parameters.values };
}

/** One row while the registry has the definition, then none. */
const fromRegistry = (definition: Definition) => `from waybill.tenant_tables where id = ${definition.id}`;

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

function typeOf(definition: Definition, name: string) {
  const type = definition.types.get(name);
  if (!type) throw new Error("A statement was requested with a column that the table does not have.");
  return type;
}
