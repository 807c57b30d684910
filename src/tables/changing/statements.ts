/** The SQL of each step of a change. Pure. DDL takes no parameters, so every name and value is quoted here. */
import type { Column, ColumnType, Reference } from "../../generated/schemas.ts";
import { quoteIdentifier, quoteTable } from "../../infrastructure/database/identifiers.ts";
import { columnTypes } from "../columnTypes/index.ts";
import { defaultSql } from "../defaults.ts";
import { type Step, type StepOf, sameColumns } from "./alteration.ts";

export interface CatalogIndex {
  readonly name: string;
  readonly columns: readonly string[];
  /** False while it is built, or if its building was interrupted. */
  readonly valid: boolean;
}

/** What PostgreSQL calls the parts of a table that Waybill knows by their columns. */
export interface Catalog {
  readonly indexes: readonly CatalogIndex[];
  readonly references: readonly { readonly name: string; readonly column: string }[];
}

export interface Place extends Catalog {
  readonly schema: string;
  /** The table's name before the change. */
  readonly table: string;
  /** Whether dropped columns go for good. */
  readonly purge: boolean;
  /** A name for an index or a constraint that no table and no other index has. */
  readonly newName: (prefix: "index" | "reference") => string;
  /** The name under which a dropped column stays. */
  readonly hiddenName: (column: string) => string;
  /** Indexes that are built in the background later, and references whose rows are checked then. */
  readonly isLater: (step: StepOf<"add_index" | "add_reference">) => boolean;
}

/** None for what only the registry keeps. */
export function statementsOf(step: Step, place: Place): string[] {
  const alter = (...changes: readonly string[]) =>
    changes.map((change) => `alter table ${quoteTable(place.schema, place.table)} ${change}`);
  switch (step.kind) {
    case "drop_index":
      return dropIndexes([step.index.columns], place);
    case "drop_reference":
      return dropReferences(step.name, place);
    case "drop_column":
      return dropColumn(step, place, alter);
    case "change_type":
      return alter(changeType(step.column, step.type));
    case "set_default":
      return alter(`alter ${quoteIdentifier(step.name)} ${defaultChange(step.type, step.value)}`);
    case "set_nullable":
      return alter(`alter ${quoteIdentifier(step.name)} ${step.nullable ? "drop" : "set"} not null`);
    case "rename_column":
      return alter(`rename ${quoteIdentifier(step.from)} to ${quoteIdentifier(step.to)}`);
    case "add_column":
      return alter(`add ${columnSql(step.column)}`);
    case "restore_column":
      return restoreColumn(step, alter);
    case "add_index":
      return place.isLater(step) ? [] : [createIndex(step, place)];
    case "add_reference":
      return alter(`${addReference(step, place)}${place.isLater(step) ? " not valid" : ""}`);
    case "rename_table":
      return alter(`rename to ${quoteIdentifier(step.to)}`);
    case "describe_column":
    case "describe_table":
      return [];
  }
}

/** Parts of one `alter table`. PostgreSQL then writes the rows again once, however many columns change their type. */
const maxParts = 100;

/** The statements with neighbours joined that alter the same table. A rename is always a statement of its own. */
export function combined(statements: readonly string[], { schema, table }: Pick<Place, "schema" | "table">) {
  const start = `alter table ${quoteTable(schema, table)} `;
  const isPart = (text: string) => text.startsWith(start) && !text.startsWith("rename ", start.length);
  const joined: string[] = [];
  let parts = 0;
  for (const statement of statements) {
    const joins = parts > 0 && parts < maxParts && isPart(statement);
    if (joins) joined.push(`${joined.pop()}, ${statement.slice(start.length)}`);
    else joined.push(statement);
    parts = isPart(statement) ? (joins ? parts + 1 : 1) : 0;
  }
  return joined;
}

type Alter = (...changes: readonly string[]) => string[];

/** A column in `create table` and `alter table … add`. */
export function columnSql({ name, type, nullable, default: value }: Column): string {
  const parts = [quoteIdentifier(name), columnTypes[type].sqlType];
  if (!nullable) parts.push("not null");
  if (value !== undefined) parts.push(`default ${defaultSql(type, value)}`);
  return parts.join(" ");
}

const defaultChange = (type: ColumnType, value: unknown) =>
  value === null ? "drop default" : `set default ${defaultSql(type, value)}`;

/** A value that becomes text looks as it did in answers. */
function changeType({ name, type }: Column, to: ColumnType): string {
  const column = quoteIdentifier(name);
  const { toAnswer } = columnTypes[type];
  const text = `${toAnswer?.(column) ?? column}::text`;
  const value = to === "text" ? text : `${column}::${columnTypes[to].sqlType}`;
  return `alter ${column} type ${columnTypes[to].sqlType} using ${value}`;
}

/** An index whose building was interrupted, or is yet to begin, may be missing. */
function dropIndexes(lists: readonly (readonly string[])[], { indexes, schema }: Place): string[] {
  const names = indexes.filter(({ columns }) => lists.some((list) => sameColumns(list, columns)));
  return names.map(({ name }) => `drop index ${quoteTable(schema, name)}`);
}

const dropReferences = (column: string, { references, schema, table }: Place) =>
  references
    .filter((reference) => reference.column === column)
    .map(({ name }) => `alter table ${quoteTable(schema, table)} drop constraint ${quoteIdentifier(name)}`);

/** A dropped column stays under another name. It must not refuse rows that do not know it. */
function dropColumn({ column, indexes }: StepOf<"drop_column">, place: Place, alter: Alter): string[] {
  const name = quoteIdentifier(column.name);
  const first = [
    ...dropIndexes(
      indexes.map(({ columns }) => columns),
      place,
    ),
    ...dropReferences(column.name, place),
  ];
  if (place.purge) return [...first, ...alter(`drop ${name}`)];
  const changes = [
    ...(column.nullable ? [] : [`alter ${name} drop not null`]),
    ...(column.default === undefined ? [] : [`alter ${name} drop default`]),
    `rename ${name} to ${quoteIdentifier(place.hiddenName(column.name))}`,
  ];
  return [...first, ...alter(...changes)];
}

function restoreColumn({ hidden, column }: StepOf<"restore_column">, alter: Alter): string[] {
  const name = quoteIdentifier(column.name);
  const changes = [
    `rename ${quoteIdentifier(hidden.hiddenName)} to ${name}`,
    ...(column.default === undefined ? [] : [`alter ${name} ${defaultChange(column.type, column.default)}`]),
    ...(column.nullable ? [] : [`alter ${name} set not null`]),
  ];
  return alter(...changes);
}

export interface IndexPlace {
  readonly schema: string;
  readonly table: string;
  readonly newName: Place["newName"];
  readonly concurrently?: boolean;
}

export function createIndex(
  { index }: Pick<StepOf<"add_index">, "index">,
  { schema, table, newName, concurrently = false }: IndexPlace,
): string {
  const columns = index.columns.map(quoteIdentifier).join(", ");
  const words = ["create", ...(index.unique ? ["unique"] : []), "index"];
  if (concurrently) words.push("concurrently");
  return `${words.join(" ")} ${quoteIdentifier(newName("index"))} on ${quoteTable(schema, table)} (${columns})`;
}

/** `no action` also refuses, but after the statement, so one statement can delete a row and those that refer to it. */
const onDelete: Readonly<Record<Reference["on_delete"], string>> = {
  restrict: "no action",
  cascade: "cascade",
  set_null: "set null",
};

export const addReference = (
  { name, reference }: Pick<StepOf<"add_reference">, "name" | "reference">,
  { schema, newName }: Pick<Place, "schema" | "newName">,
) =>
  `add constraint ${quoteIdentifier(newName("reference"))} foreign key (${quoteIdentifier(name)}) ` +
  `references ${quoteTable(schema, reference.table)} ("id") on delete ${onDelete[reference.on_delete]}`;
