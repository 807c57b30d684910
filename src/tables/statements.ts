/** Statements that write rows of a tenant's table, built from its definition. statement.ts has the rules. */
import { quoteIdentifier, quoteLiteral } from "../infrastructure/database/identifiers.ts";
import type { Definition } from "./definition.ts";
import {
  type Condition,
  conditionSql,
  fromRegistry,
  Parameters,
  type Statement,
  tableSql,
  typeOf,
  valueSql,
} from "./statement.ts";

/** Who writes, for the audit record that commits with the change. */
export interface Authorship {
  readonly actor: string;
  readonly requestId: string;
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
