/**
 * Turns the request for a change into steps, and into the table as it is afterwards. Pure: it knows the registry, not
 * the rows.
 *
 * The order of the steps is fixed: indexes and references go first, then columns are dropped, altered, renamed, added
 * and restored, then indexes and references are added.
 */
import type { ColumnAlteration, Reference, TableAlteration } from "../../generated/schemas.ts";
import type { ValueFault } from "../values.ts";
import {
  type Source,
  type Step,
  type Surroundings,
  sameColumns,
  type TableState,
  withUnique,
} from "./alteration.ts";
import { alterColumn, type ColumnChange } from "./alterColumn.ts";
import { atBefore, type Draft, type DraftColumn, draftOf, fail, indexOn, nameAfter } from "./draft.ts";
import {
  columnOf,
  definitionFaults,
  indexFault,
  maxColumns,
  nameFault,
  referenceFaults,
} from "./newColumns.ts";
import { referringTo } from "./references.ts";

export interface Outline {
  readonly steps: readonly Step[];
  readonly after: TableState;
  /** From where the columns of the changed table get their values, by their new names. */
  readonly sources: ReadonlyMap<string, Source>;
  /** What is wrong with the request. Then the rest means nothing. */
  readonly faults: readonly ValueFault[];
}

export function outline(before: TableState, alteration: TableAlteration, around: Surroundings): Outline {
  const draft = draftOf(before);
  dropIndexes(draft, alteration);
  dropColumns(draft, alteration);
  const changes = alterColumns(draft, alteration, around);
  renameColumns(draft, alteration);
  addColumns(draft, alteration, around);
  restoreColumns(draft, alteration, around);
  requireColumns(draft);
  for (const change of changes) addOfChange(draft, change);
  addIndexes(draft, alteration);
  describe(draft, before, alteration);
  const { rename_to: name = before.name, description = before.description } = alteration;
  const columns = referringTo(
    name,
    before.name,
    draft.columns.map(({ column }) => column),
  );
  return {
    steps: draft.steps,
    after: { name, description, indexes: draft.indexes, columns: withUnique(columns, draft.indexes) },
    sources: new Map(draft.columns.map(({ column, source }) => [column.name, source])),
    faults: draft.faults,
  };
}

function dropIndexes(draft: Draft, { drop_indexes = [], alter_columns = [] }: TableAlteration): void {
  for (const [at, { columns }] of drop_indexes.entries()) {
    const pointer = `/drop_indexes/${at}`;
    if (!dropIndex(draft, columns, pointer))
      fail(draft, { pointer, detail: "There is no index on these columns, in this order." });
  }
  for (const [at, { name, unique }] of alter_columns.entries()) {
    const index = indexOn(draft, [name]);
    // A unique index takes the place of one that is not.
    if (index && unique !== undefined && index.unique !== unique && (unique || index.unique))
      dropIndex(draft, [name], `/alter_columns/${at}/unique`);
  }
}

function dropIndex(draft: Draft, columns: readonly string[], pointer: string): boolean {
  const index = indexOn(draft, columns);
  if (!index) return false;
  draft.indexes = draft.indexes.filter((other) => other !== index);
  draft.steps.push({ kind: "drop_index", pointer, index: { columns: index.columns, unique: index.unique } });
  return true;
}

function dropColumns(draft: Draft, { drop_columns = [] }: TableAlteration): void {
  for (const [at, name] of drop_columns.entries()) {
    const pointer = `/drop_columns/${at}`;
    const found = atBefore(draft, name, pointer);
    if (!found) continue;
    const indexes = draft.indexes.filter(({ columns }) => columns.includes(name));
    draft.indexes = draft.indexes.filter((index) => !indexes.includes(index));
    draft.columns = draft.columns.filter((column) => column !== found);
    draft.dropped.add(name);
    const unique = indexes.some((index) => index.unique && sameColumns(index.columns, [name]));
    const column = unique ? { ...found.column, unique } : found.column;
    draft.steps.push({ kind: "drop_column", pointer, column, indexes });
  }
}

function alterColumns(draft: Draft, { alter_columns = [] }: TableAlteration, around: Surroundings) {
  const changes: ColumnChange[] = [];
  const seen = new Set<string>();
  for (const [at, given] of alter_columns.entries()) {
    const pointer = `/alter_columns/${at}`;
    const found = atBefore(draft, given.name, `${pointer}/name`);
    if (seen.has(given.name)) fail(draft, { pointer, detail: "The column is altered twice." });
    seen.add(given.name);
    if (found) changes.push(changeColumn(draft, found, { given, pointer, around }));
  }
  return changes;
}

interface Alteration {
  readonly given: ColumnAlteration;
  readonly pointer: string;
  readonly around: Surroundings;
}

function changeColumn(
  draft: Draft,
  found: DraftColumn,
  { given, pointer, around }: Alteration,
): ColumnChange {
  const change = alterColumn(found.column, given, pointer);
  draft.faults.push(...change.faults);
  if (change.faults.length === 0)
    draft.faults.push(...referenceFaults(change.column, pointer, around.tables));
  draft.steps.push(...change.steps);
  found.column = change.column;
  return change;
}

/** First all names become free, so that two columns can exchange theirs. */
function renameColumns(draft: Draft, { rename_columns = [] }: TableAlteration): void {
  const from = new Set<string>();
  const renamed: { readonly found: DraftColumn; readonly to: string; readonly pointer: string }[] = [];
  for (const [at, { from: name, to }] of rename_columns.entries()) {
    const pointer = `/rename_columns/${at}`;
    const found = atBefore(draft, name, `${pointer}/from`);
    if (from.has(name)) fail(draft, { pointer: `${pointer}/from`, detail: "The column is renamed twice." });
    from.add(name);
    if (found && name !== to) renamed.push({ found, to, pointer });
  }
  const taken = new Set(draft.columns.map(({ column }) => column.name));
  for (const { found } of renamed) taken.delete(found.column.name);
  const direct = renamed.every(({ to }) => !from.has(to));
  const steps: Step[] = [];
  for (const [at, { found, to, pointer }] of renamed.entries()) {
    const fault = nameFault(to, `${pointer}/to`, taken);
    if (fault) draft.faults.push(fault);
    taken.add(to);
    const between = direct ? found.column.name : `_renamed_${at}`;
    if (!direct) draft.steps.push({ kind: "rename_column", pointer, from: found.column.name, to: between });
    steps.push({ kind: "rename_column", pointer, from: between, to });
    found.column = { ...found.column, name: to };
  }
  draft.steps.push(...steps);
  draft.indexes = draft.indexes.map((index) => ({
    ...index,
    columns: index.columns.map((name) => nameAfter(draft, name)),
  }));
}

function addColumns(draft: Draft, { add_columns = [] }: TableAlteration, { tables }: Surroundings): void {
  for (const [at, given] of add_columns.entries()) {
    const pointer = `/add_columns/${at}`;
    const faults = definitionFaults(given, pointer, tables);
    draft.faults.push(...faults);
    const { references, ...column } = faults.length > 0 ? { ...given, nullable: true } : columnOf(given);
    if (!isNewName(draft, given.name, `${pointer}/name`) || faults.length > 0) continue;
    draft.steps.push({ kind: "add_column", pointer, column });
    draft.columns.push({
      column: references ? { ...column, references: references as Reference } : column,
      before: undefined,
      source: { kind: "default", column },
    });
    if (given.unique) draft.later.push({ pointer: `${pointer}/unique`, columns: [given.name], unique: true });
    if (references)
      draft.references.push({
        kind: "add_reference",
        pointer: `${pointer}/references`,
        name: given.name,
        reference: references as Reference,
      });
  }
}

function isNewName(draft: Draft, name: string, pointer: string): boolean {
  const fault = nameFault(name, pointer, {
    has: (other) => draft.columns.some(({ column }) => column.name === other),
  });
  if (fault) draft.faults.push(fault);
  return !fault;
}

function restoreColumns(
  draft: Draft,
  { restore_columns = [] }: TableAlteration,
  { hidden }: Surroundings,
): void {
  const left = [...hidden];
  for (const [at, { name, as = name }] of restore_columns.entries()) {
    const pointer = `/restore_columns/${at}`;
    const index = left.findIndex(({ column }) => column.name === name);
    const [found] = index < 0 ? [] : left.splice(index, 1);
    if (!found) {
      const detail = `No dropped column "${name}" can be restored.`;
      fail(draft, { code: "unknown_column", pointer: `${pointer}/name`, detail });
      continue;
    }
    if (!isNewName(draft, as, found.column.name === as ? `${pointer}/name` : `${pointer}/as`)) continue;
    const { references: _, unique: __, ...kept } = found.column;
    const column = { ...kept, name: as, nullable: kept.nullable || found.hasNull };
    draft.steps.push({ kind: "restore_column", pointer, hidden: found, column });
    draft.columns.push({ column, before: undefined, source: { kind: "column", name: found.hiddenName } });
    for (const { columns, unique } of found.indexes)
      draft.restored.push({
        pointer,
        columns: columns.map((other) => (other === name ? as : other)),
        unique,
      });
  }
}

function requireColumns(draft: Draft): void {
  if (draft.columns.length === 0) fail(draft, { pointer: "", detail: "A table has at least one column." });
  if (draft.columns.length > maxColumns)
    fail(draft, { pointer: "", detail: `A table has at most ${maxColumns} columns.` });
}

/** What an altered column gets after it has its new name. */
function addOfChange(draft: Draft, { name, pointer, unique, reference }: ColumnChange): void {
  const now = nameAfter(draft, name);
  if (unique && !indexOn(draft, [now]))
    draft.later.push({ pointer: `${pointer}/unique`, columns: [now], unique });
  if (reference)
    draft.references.push({ kind: "add_reference", pointer: `${pointer}/references`, name: now, reference });
}

function addIndexes(draft: Draft, { add_indexes = [] }: TableAlteration): void {
  const names = new Set(draft.columns.map(({ column }) => column.name));
  const add = ({ pointer, ...shape }: Draft["later"][number]) => {
    draft.indexes.push({ ...shape, state: "ready" });
    draft.steps.push({ kind: "add_index", pointer, index: shape });
  };
  for (const [at, { columns, unique = false }] of add_indexes.entries())
    draft.later.push({ pointer: `/add_indexes/${at}`, columns, unique });
  for (const index of draft.later) {
    const fault = indexFault(index, { pointer: index.pointer, names, indexes: draft.indexes });
    if (fault) draft.faults.push(fault);
    else add(index);
  }
  // An index of a restored column comes back if its other columns are still there.
  for (const index of draft.restored)
    if (!indexFault(index, { pointer: index.pointer, names, indexes: draft.indexes })) add(index);
  draft.steps.push(...draft.references);
}

function describe(draft: Draft, before: TableState, { description, rename_to }: TableAlteration): void {
  if (description !== undefined && description !== before.description)
    draft.steps.push({ kind: "describe_table", pointer: "/description" });
  if (rename_to !== undefined && rename_to !== before.name)
    draft.steps.push({ kind: "rename_table", pointer: "/rename_to", to: rename_to });
}
