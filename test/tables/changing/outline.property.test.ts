/** The steps of a change lead to the table that its outline promises. Pure. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Column, TableAlteration } from "../../../src/generated/schemas.ts";
import type { HiddenColumn, Step, TableState } from "../../../src/tables/changing/alteration.ts";
import { outline } from "../../../src/tables/changing/outline.ts";
import { needsConfirmation, planOf } from "../../../src/tables/changing/plan.ts";
import { combined, statementsOf } from "../../../src/tables/changing/statements.ts";

const name = fc.constantFrom("a", "b", "c", "d", "e", "f");
const column = fc.record({
  name,
  type: fc.constantFrom("text", "integer", "bigint"),
  nullable: fc.boolean(),
}) as fc.Arbitrary<Column>;
const few = { maxLength: 1 } as const;
const columns = fc.uniqueArray(column, { minLength: 1, maxLength: 5, selector: ({ name }) => name });
const keys = fc.uniqueArray(name, { minLength: 1, maxLength: 2 });
const alteration = fc.record(
  {
    drop_columns: fc.uniqueArray(name, few),
    rename_columns: fc.array(fc.record({ from: name, to: name }), few),
    alter_columns: fc.array(fc.record({ name, unique: fc.boolean() }), few),
    add_columns: fc.array(column, few),
    restore_columns: fc.array(fc.record({ name }), few),
    drop_indexes: fc.array(fc.record({ columns: keys }), few),
    add_indexes: fc.array(fc.record({ columns: keys, unique: fc.boolean() }), few),
    rename_to: fc.constantFrom("other", "same"),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<TableAlteration>;

const hidden: readonly HiddenColumn[] = ["a", "b"].map((name, n) => ({
  id: String(n),
  hiddenName: `_dropped_${n}`,
  column: { name, type: "text", nullable: true },
  indexes: [{ columns: [name, "c"], unique: false, state: "ready" }],
  hasNull: true,
}));

/** The names of the columns after a step, as a database would have them. Throws if it would refuse the step. */
function apply(names: readonly string[], step: Step): string[] {
  const require = (given: string) => {
    if (!names.includes(given)) throw new Error(`${step.kind}: no column ${given}`);
  };
  const free = (given: string) => {
    if (names.includes(given)) throw new Error(`${step.kind}: column ${given} exists`);
  };
  if (step.kind === "drop_column") {
    require(step.column.name);
    return names.filter((other) => other !== step.column.name);
  }
  if (step.kind === "rename_column") {
    require(step.from);
    free(step.to);
    return names.map((other) => (other === step.from ? step.to : other));
  }
  if (step.kind === "add_column" || step.kind === "restore_column") {
    free(step.column.name);
    return [...names, step.column.name];
  }
  if (step.kind === "add_index") step.index.columns.forEach(require);
  return [...names];
}

const state = (columns: readonly Column[]): TableState => ({
  name: "same",
  description: "",
  columns,
  indexes: [{ columns: [columns[0]?.name ?? ""], unique: true, state: "ready" }],
});

test("every step is possible when its turn comes, and the last one leads to the promised table", () => {
  let possible = 0;
  const check = (columns: readonly Column[], given: TableAlteration) => {
    const { steps, after, faults, sources } = outline(state(columns), given, { tables: new Set(), hidden });
    if (faults.length > 0) return;
    possible++;
    const names = steps.reduce(
      apply,
      columns.map(({ name }) => name),
    );
    expect(names.toSorted()).toEqual(after.columns.map(({ name }) => name).toSorted());
    expect([...sources.keys()].toSorted()).toEqual(names.toSorted());
    for (const index of after.indexes) for (const each of index.columns) expect(names).toContain(each);
    const shown = after.columns.filter(({ unique }) => unique).map(({ name }) => [name]);
    const unique = after.indexes.filter(({ unique, columns }) => unique && columns.length === 1);
    expect(shown.toSorted()).toEqual(unique.map(({ columns }) => [...columns]).toSorted());
  };
  fc.assert(fc.property(columns, alteration, check), { numRuns: 5_000, seed: 20261122 });
  expect(possible).toBeGreaterThan(300);
});

test("what loses values or writes more than 100,000 rows again needs to be confirmed", () => {
  const before = state([
    { name: "a", type: "integer", nullable: true },
    { name: "b", type: "text", nullable: true },
  ]);
  const around = { tables: new Set<string>(), hidden: [] };
  const needs = (given: TableAlteration, rows: number) =>
    needsConfirmation(outline(before, given, around), { rows, bytes: 0 });
  expect(needs({ drop_columns: ["b"] }, 0)).toBe(true);
  const wider: TableAlteration = { alter_columns: [{ name: "a", type: "bigint" }] };
  expect([needs(wider, 100_000), needs(wider, 100_001)]).toEqual([false, true]);
  expect(needs({ alter_columns: [{ name: "a", nullable: false }] }, 1e9)).toBe(false);
});

test("types that change together write the rows again once", () => {
  const names = ["a", "b", "c"];
  const before = state(names.map((name) => ({ name, type: "integer", nullable: true, default: 1 })));
  const given: TableAlteration = { alter_columns: names.map((name) => ({ name, type: "bigint" })) };
  const change = outline(before, given, { tables: new Set(), hidden: [] });
  const findings = { lost: new Map(), restorableUntil: undefined, failures: [] };
  const { seconds } = planOf(change, { rows: 1, bytes: 400e6 }, findings);
  const one = outline(
    before,
    { alter_columns: [{ name: "a", type: "bigint" }] },
    { tables: new Set(), hidden: [] },
  );
  expect(planOf(one, { rows: 1, bytes: 400e6 }, findings).seconds).toBe(seconds);
  const place = { schema: "tenant_1", table: "same", indexes: [], references: [], purge: false } as const;
  const rest = { newName: () => "", hiddenName: () => "", isLater: () => false };
  const statements = change.steps.flatMap((step) => statementsOf(step, { ...place, ...rest }));
  expect(statements).toHaveLength(9);
  expect(combined(statements, place)).toHaveLength(1);
});
