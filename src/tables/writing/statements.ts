/** SQL that inserts, updates and deletes rows, by the rules of ../statement.ts. */
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
      where exists (select 1 from registered)`;
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
      where exists (select 1 from registered)
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
      where exists (select 1 from registered)
        and ${matches}`;
  const statement = `delete from ${table} where ${readable(definition, where, condition)}`;
  return audited(change, { definition, parameters, authorship, action: "delete", statement });
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
