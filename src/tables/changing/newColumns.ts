/** The columns and indexes that a request defines: their faults, and how the registry keeps them. Pure. */
import type {
  Column,
  ColumnDefinition,
  TableIndex as Index,
  NewIndex,
  NewReference,
} from "../../generated/schemas.ts";
import { defaultFault, storedDefault } from "../defaults.ts";
import { isBuiltIn, systemColumns } from "../definition.ts";
import type { ValueFault } from "../values.ts";
import { sameColumns } from "./alteration.ts";

export const maxColumns = 1_500;
export const maxIndexes = 50;

/** How the registry keeps a new column. `unique` is kept as an index. */
export function columnOf(given: ColumnDefinition): Column {
  const { name, type, nullable = true, description, references } = given;
  const value = given.default ?? null;
  return {
    name,
    type,
    nullable,
    ...(description ? { description } : {}),
    ...(value === null ? {} : { default: storedDefault(type, value) }),
    ...(references ? { references: referenceOf(references) } : {}),
  };
}

export const referenceOf = ({ table, on_delete = "restrict" }: NewReference) => ({ table, on_delete });

interface Names {
  has(name: string): boolean;
}

export function nameFault(name: string, pointer: string, taken: Names): ValueFault | undefined {
  if (isBuiltIn(name) || systemColumns.has(name))
    return { code: "built_in_column", pointer, detail: `Column "${name}" is built in. Leave it out.` };
  return taken.has(name)
    ? { code: "duplicate_column", pointer, detail: `Column "${name.slice(0, 100)}" is defined twice.` }
    : undefined;
}

/** The faults of a column that is added, except for those of its name. */
export function definitionFaults(
  given: ColumnDefinition,
  pointer: string,
  tables: ReadonlySet<string>,
): ValueFault[] {
  const fault = defaultFault(given.type, given.default ?? null);
  if (fault) return [{ code: "invalid_value", pointer: `${pointer}/default`, detail: fault }];
  return referenceFaults(columnOf(given), pointer, tables);
}

/** The faults of a column's reference, and of what else the column says beside it. */
export function referenceFaults(column: Column, pointer: string, tables: ReadonlySet<string>): ValueFault[] {
  const { type, references, nullable } = column;
  if (!references) return [];
  const at = (detail: string, member = ""): ValueFault[] => [
    { code: "invalid_body", pointer: `${pointer}/references${member}`, detail },
  ];
  if (type !== "bigint" && type !== "integer")
    return at("Only a column of type bigint or integer can refer to the id of a row.");
  if (!tables.has(references.table)) return at(`Table "${references.table}" does not exist.`, "/table");
  if (column.default !== undefined) return at("A column with a reference has no default.");
  if (references.on_delete === "set_null" && !nullable)
    return at("set_null needs a column that allows null.", "/on_delete");
  return [];
}

export interface IndexTarget {
  readonly pointer: string;
  /** The table's own columns. */
  readonly names: ReadonlySet<string>;
  /** The indexes that the table has by then. */
  readonly indexes: readonly Index[];
}

export function indexFault(
  { columns }: NewIndex,
  { pointer, names, indexes }: IndexTarget,
): ValueFault | undefined {
  const unknown = columns.findIndex((name) => !names.has(name) && !isBuiltIn(name));
  if (unknown >= 0)
    return {
      code: "unknown_column",
      pointer: `${pointer}/columns/${unknown}`,
      detail: `Column "${columns[unknown]}" does not exist in this table.`,
    };
  const detail =
    new Set(columns).size < columns.length
      ? "A column appears twice."
      : sameColumns(columns, ["id"])
        ? "Column id has an index already."
        : indexes.some((index) => sameColumns(index.columns, columns))
          ? "There is already an index on these columns."
          : indexes.length >= maxIndexes
            ? `A table has at most ${maxIndexes} indexes.`
            : undefined;
  return detail === undefined ? undefined : { code: "invalid_body", pointer, detail };
}
