/** A change in the making: what the table looks like so far, and the steps that lead there. */
import type { Column, TableIndex as Index } from "../../generated/schemas.ts";
import { isBuiltIn } from "../definition.ts";
import type { ValueFault } from "../values.ts";
import {
  type IndexShape,
  type Source,
  type Step,
  type StepOf,
  sameColumns,
  type TableState,
} from "./alteration.ts";

export interface DraftColumn {
  column: Column;
  /** The name before the change. Undefined for a column that was not there. */
  readonly before: string | undefined;
  readonly source: Source;
}

type LaterIndex = IndexShape & { readonly pointer: string };

export interface Draft {
  columns: DraftColumn[];
  indexes: Index[];
  readonly steps: Step[];
  readonly faults: ValueFault[];
  /** Names before the change. */
  readonly dropped: Set<string>;
  /** Indexes to add when all columns are there. */
  readonly later: LaterIndex[];
  /** Indexes that a restored column was a part of. */
  readonly restored: LaterIndex[];
  readonly references: StepOf<"add_reference">[];
}

export const draftOf = ({ columns, indexes }: TableState): Draft => ({
  columns: columns.map(({ unique: _, ...column }) => ({
    column,
    before: column.name,
    source: { kind: "column", name: column.name },
  })),
  indexes: [...indexes],
  steps: [],
  faults: [],
  dropped: new Set(),
  later: [],
  restored: [],
  references: [],
});

export function fail(
  draft: Draft,
  { code = "invalid_body", pointer, detail }: Partial<ValueFault> & Detail,
): void {
  draft.faults.push({ code, pointer, detail });
}

type Detail = Pick<ValueFault, "pointer" | "detail">;

/** The column that had this name before the change. Adds a fault if there is none. */
export function atBefore(draft: Draft, name: string, pointer: string): DraftColumn | undefined {
  const found = draft.columns.find(({ before }) => before === name);
  if (found) return found;
  if (isBuiltIn(name))
    fail(draft, {
      code: "built_in_column",
      pointer,
      detail: `Column "${name}" is built in and cannot be changed.`,
    });
  else if (draft.dropped.has(name))
    fail(draft, { pointer, detail: `Column "${name}" is dropped by the same change.` });
  else
    fail(draft, {
      code: "unknown_column",
      pointer,
      detail: `Column "${name}" does not exist in this table.`,
    });
  return undefined;
}

/** The new name of a column, from its name before the change. */
export const nameAfter = (draft: Draft, name: string) =>
  draft.columns.find(({ before }) => before === name)?.column.name ?? name;

export const indexOn = (draft: Draft, columns: readonly string[]) =>
  draft.indexes.find((index) => sameColumns(index.columns, columns));
