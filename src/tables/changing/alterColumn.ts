/** The change of one column: its steps, and the column as it is afterwards. Pure. */
import type { Column, ColumnAlteration, ColumnType, Reference } from "../../generated/schemas.ts";
import { defaultFault, storedDefault, widenedDefault } from "../defaults.ts";
import type { ValueFault } from "../values.ts";
import type { Step } from "./alteration.ts";
import { referenceOf } from "./newColumns.ts";

export interface ColumnChange {
  /** The name before the change. */
  readonly name: string;
  readonly pointer: string;
  readonly column: Column;
  readonly steps: readonly Step[];
  readonly faults: readonly ValueFault[];
  /** Whether the column gets a unique index. */
  readonly unique: boolean;
  /** The reference that the column gets. */
  readonly reference: Reference | undefined;
}

const wider: Readonly<Partial<Record<ColumnType, readonly ColumnType[]>>> = {
  integer: ["bigint", "numeric", "text"],
  bigint: ["numeric", "text"],
  text: [],
};

export function alterColumn(before: Column, given: ColumnAlteration, pointer: string): ColumnChange {
  const { name } = before;
  const type = given.type ?? before.type;
  const { value, fault } = nextDefault(before, given);
  const reference = nextReference(before, given);
  const column: Column = {
    name,
    type,
    nullable: given.nullable ?? before.nullable,
    ...textOf(given.description ?? before.description),
    ...(value === undefined || value === null ? {} : { default: value }),
    ...(reference ? { references: reference } : {}),
  };
  const faults: ValueFault[] = [];
  const widened = widenings(before.type);
  if (type !== before.type && !widened.includes(type))
    faults.push({
      code: "invalid_body",
      pointer: `${pointer}/type`,
      detail: cannotBecome(before.type, widened),
    });
  else if (fault) faults.push({ code: "invalid_value", pointer: `${pointer}/default`, detail: fault });
  const isNewReference = reference !== undefined && reference !== before.references;
  return {
    name,
    pointer,
    column,
    faults,
    steps: stepsOf(before, column, pointer),
    unique: given.unique === true,
    reference: isNewReference ? reference : undefined,
  };
}

/** The types that a column can get instead of its own. */
const widenings = (type: ColumnType): readonly ColumnType[] => wider[type] ?? ["text"];

const cannotBecome = (type: ColumnType, widened: readonly ColumnType[]) =>
  widened.length === 0
    ? `A column of type ${type} cannot get another type.`
    : `A column of type ${type} can only become ${widened.join(" or ")}.`;

const textOf = (description: string | undefined) => (description ? { description } : {});

function nextDefault(before: Column, given: ColumnAlteration): { value: unknown; fault?: string } {
  const type = given.type ?? before.type;
  if (given.default !== undefined) {
    const fault = defaultFault(type, given.default);
    if (fault) return { value: null, fault };
    return { value: given.default === null ? null : storedDefault(type, given.default) };
  }
  if (before.default === undefined || type === before.type) return { value: before.default };
  const value = widenedDefault(before.type, type, before.default);
  return value === undefined
    ? {
        value: null,
        fault: "Give the column another default, or null, because its default has no such text.",
      }
    : { value };
}

/** A reference that was already there keeps its state. One that failed is tried again. */
function nextReference(before: Column, given: ColumnAlteration): Reference | undefined {
  if (given.references === undefined) return before.references;
  if (given.references === null) return undefined;
  const next = referenceOf(given.references);
  const kept = sameReference(next, before.references) && before.references?.state !== "failed";
  return kept ? before.references : next;
}

const sameReference = (a: Reference, b: Reference | undefined) =>
  a.table === b?.table && a.on_delete === b.on_delete;

function stepsOf(before: Column, after: Column, pointer: string): Step[] {
  const { name, type, nullable } = after;
  const at = (member: string) => `${pointer}/${member}`;
  const steps: Step[] = [];
  const goes = before.references && before.references !== after.references;
  if (goes) steps.push({ kind: "drop_reference", pointer: at("references"), name });
  const typeChanges = type !== before.type;
  // PostgreSQL cannot turn every default into one of the new type.
  if (typeChanges && before.default !== undefined)
    steps.push({ kind: "set_default", pointer: at("type"), name, type: before.type, value: null });
  if (typeChanges) steps.push({ kind: "change_type", pointer: at("type"), column: before, type });
  const defaultChanges = JSON.stringify(before.default) !== JSON.stringify(after.default);
  if (defaultChanges || (typeChanges && after.default !== undefined)) {
    const pointerOfDefault = at(defaultChanges && !typeChanges ? "default" : "type");
    steps.push({ kind: "set_default", pointer: pointerOfDefault, name, type, value: after.default ?? null });
  }
  if (nullable !== before.nullable)
    steps.push({ kind: "set_nullable", pointer: at("nullable"), name, nullable });
  if (after.description !== before.description)
    steps.push({ kind: "describe_column", pointer: at("description"), name });
  return steps;
}
