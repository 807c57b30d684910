/** What a change of a table consists of. */
import type { Column, ColumnType, TableIndex as Index, Reference } from "../../generated/schemas.ts";

/** The part of a registry entry that a change can change. */
export interface TableState {
  readonly name: string;
  readonly description: string;
  /** The tenant's own columns, in their order. */
  readonly columns: readonly Column[];
  readonly indexes: readonly Index[];
}

/** A column that was dropped and can be restored. The table still has it, under another name. */
export interface HiddenColumn {
  /** Its id in the list of dropped things. */
  readonly id: string;
  readonly hiddenName: string;
  /** As it was. */
  readonly column: Column;
  /** The indexes that it was a part of. */
  readonly indexes: readonly Index[];
  /** Whether a row has no value in it. */
  readonly hasNull: boolean;
}

export interface Surroundings {
  /** The names of the tenant's tables. */
  readonly tables: ReadonlySet<string>;
  /** Last dropped first. */
  readonly hidden: readonly HiddenColumn[];
}

export type IndexShape = Pick<Index, "columns" | "unique">;

/** One thing to do, in the order of the list. Names are those that are valid when its turn comes. */
export type Step = { readonly pointer: string } & (
  | { readonly kind: "drop_index"; readonly index: IndexShape }
  | { readonly kind: "drop_reference"; readonly name: string }
  | { readonly kind: "drop_column"; readonly column: Column; readonly indexes: readonly Index[] }
  | { readonly kind: "change_type"; readonly column: Column; readonly type: ColumnType }
  | {
      readonly kind: "set_default";
      readonly name: string;
      readonly type: ColumnType;
      readonly value: unknown;
    }
  | { readonly kind: "set_nullable"; readonly name: string; readonly nullable: boolean }
  | { readonly kind: "rename_column"; readonly from: string; readonly to: string }
  | { readonly kind: "add_column"; readonly column: Column }
  | { readonly kind: "restore_column"; readonly hidden: HiddenColumn; readonly column: Column }
  | { readonly kind: "add_index"; readonly index: IndexShape }
  | { readonly kind: "add_reference"; readonly name: string; readonly reference: Reference }
  | { readonly kind: "describe_column"; readonly name: string }
  | { readonly kind: "describe_table" }
  | { readonly kind: "rename_table"; readonly to: string }
);

export type StepOf<Kind extends Step["kind"]> = Extract<Step, { readonly kind: Kind }>;

/** From where a column of the changed table gets its values. */
export type Source =
  | { readonly kind: "column"; readonly name: string }
  | { readonly kind: "default"; readonly column: Column };

export const sameColumns = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((name, at) => name === b[at]);

/** Columns with `unique` where a ready index has exactly this column. */
export function withUnique(columns: readonly Column[], indexes: readonly Index[]): Column[] {
  const names = indexes
    .filter(({ unique, state, columns }) => unique && state === "ready" && columns.length === 1)
    .map(({ columns: [name] }) => name);
  const unique = new Set(names);
  return columns.map(({ unique: _, ...column }) =>
    unique.has(column.name) ? { ...column, unique: true } : column,
  );
}
