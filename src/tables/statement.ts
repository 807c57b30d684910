/**
 * What the SQL on the rows of tenants' tables is made of (reading/, writing/ and audited.ts). Pure: it returns texts
 * and parameters, and runs nothing. Each statement keeps three promises:
 *
 * - Its identifiers come from the registry and are quoted here.
 * - Every value is a parameter that is cast from text, so the driver converts nothing.
 * - It does nothing unless the registry still has its definition, in the statement's own snapshot. The definition's id
 *   and version are part of the text, so a statement that was prepared for one definition never serves another.
 */
import { quoteIdentifier, quoteTable } from "../infrastructure/database/identifiers.ts";
import type { ColumnType } from "./columnTypes/columnType.ts";
import { type Definition, registryTable } from "./definition.ts";

export interface Statement {
  readonly text: string;
  readonly parameters: readonly (string | null)[];
}

export type Condition = Readonly<Record<string, unknown>>;

/** Collects parameters and returns their placeholders. */
export class Parameters {
  readonly values: (string | null)[] = [];

  /** `$n::text::<type>`: the driver sees text, whatever the type. */
  add(value: string | null, type = "text"): string {
    this.values.push(value);
    return type === "text" ? `$${this.values.length}::text` : `$${this.values.length}::text::${type}`;
  }
}

/** One row while the registry has this version of the definition, then none. */
export const fromRegistry = ({ tenant, id, version }: Definition) =>
  `from ${registryTable(tenant.schema)} where id = ${id} and version = ${version}`;

export const tableSql = (definition: Definition) => quoteTable(definition.tenant.schema, definition.name);

/** A column of the table, which every statement calls t. */
export const columnSql = (name: string) => `t.${quoteIdentifier(name)}`;

/** Rows that equal all values. A null matches rows without a value. */
export function conditionSql(definition: Definition, where: Condition, parameters: Parameters): string {
  const terms = Object.entries(where).map(([name, value]) => {
    const column = columnSql(name);
    return value === null
      ? `${column} is null`
      : `${column} = ${valueSql(definition, name, { value, parameters })}`;
  });
  return terms.join(" and ") || "true";
}

/** The value as a parameter of the column's type. */
export function valueSql(
  definition: Definition,
  name: string,
  { value, parameters }: { value: unknown; parameters: Parameters },
): string {
  const type = typeOf(definition, name);
  return parameters.add(value === null ? null : type.toText(value), type.sqlType);
}

export function typeOf(definition: Definition, name: string): ColumnType {
  const type = definition.types.get(name);
  if (!type) throw new Error("A statement was requested with a column that the table does not have.");
  return type;
}
