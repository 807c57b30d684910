/**
 * What a change does: for whom it waits, how long, and what is lost. Pure. Times are estimates from the table's size;
 * the speeds are those of a small machine with its data in memory.
 */
import type { AlterationFailure, AlterationPlan, AlterationStep } from "../../generated/schemas.ts";
import type { Step, StepOf } from "./alteration.ts";
import type { TableFacts } from "./facts.ts";
import type { Outline } from "./outline.ts";

/**
 * Bytes in a second. On two busy processors, PostgreSQL wrote a table of 98 MB again in 1.1 to 1.4 seconds, and read it
 * in 0.2. Many disks are slower than that, so writing is taken as half as fast.
 */
const speeds = { rewrite: 40e6, scan: 400e6, index: 40e6 };
/** An index of a larger table is built in the background, and references of its rows are checked there. */
export const backgroundBytes = 8 * 1024 ** 2;
/** A change that writes more rows again needs to be confirmed. */
export const confirmedRows = 100_000;

type Size = Pick<TableFacts, "rows" | "bytes">;

/** Whether a step is left to the background. */
export const isInBackground = ({ bytes }: Size) => bytes > backgroundBytes;

/** Whether the change loses values, or writes many rows again. Known before any row is read. */
export function needsConfirmation({ steps }: Outline, { rows }: Size): boolean {
  return (
    steps.some(({ kind }) => kind === "drop_column") ||
    (rows > confirmedRows && steps.some(({ kind }) => kind === "change_type"))
  );
}

export interface Findings {
  /** In how many rows each dropped column has a value, by its name. */
  readonly lost: ReadonlyMap<string, number>;
  /** When dropped columns go for good. Undefined: at once. */
  readonly restorableUntil: string | undefined;
  readonly failures: readonly AlterationFailure[];
}

export function planOf(change: Outline, size: Size, findings: Findings): AlterationPlan {
  const rewriting = change.steps.find(({ kind }) => kind === "change_type");
  const steps = change.steps.map((step) => stepOf(step, { size, findings, rewrites: step === rewriting }));
  const seconds = steps.reduce((sum, step) => sum + step.seconds, 0);
  return {
    rows: size.rows,
    rewrites_table: steps.some((step) => step.rewrites_table),
    waits: waitOf(steps),
    seconds: rounded(seconds),
    confirm_required: needsConfirmation(change, size),
    steps,
    losses: lossesOf(change, findings),
    failures: [...findings.failures],
  };
}

function waitOf(steps: readonly AlterationStep[]): AlterationStep["waits"] {
  const all = new Set(steps.map(({ waits }) => waits));
  return all.has("everybody") ? "everybody" : all.has("writers") ? "writers" : "nobody";
}

function lossesOf({ steps }: Outline, { lost, restorableUntil }: Findings): AlterationPlan["losses"] {
  return steps.flatMap((step) => {
    if (step.kind !== "drop_column") return [];
    const { name } = step.column;
    const loss = {
      pointer: step.pointer,
      what: `The values of column "${name}".`,
      rows: lost.get(name) ?? 0,
    };
    return [restorableUntil === undefined ? loss : { ...loss, restorable_until: restorableUntil }];
  });
}

/** Hundredths of a second. */
const rounded = (seconds: number) => Math.round(seconds * 100) / 100;

interface StepContext {
  readonly size: Size;
  readonly findings: Findings;
  /** Whether the rows are written again for this step. For all changes of types together it happens once. */
  readonly rewrites: boolean;
}

function stepOf(step: Step, { size, findings, rewrites }: StepContext): AlterationStep {
  const { pointer } = step;
  const waits = waitsFor(step, size);
  const bytes = { rewrites: rewrites ? size.bytes : 0, ...readBytes(step, size) };
  const seconds =
    bytes.rewrites / speeds.rewrite + (bytes.scans ?? 0) / speeds.scan + (bytes.sorts ?? 0) / speeds.index;
  return {
    pointer,
    what: sentence(step, size, findings),
    rewrites_table: step.kind === "change_type",
    waits,
    seconds: rounded(seconds),
  };
}

function waitsFor(step: Step, size: Size): AlterationStep["waits"] {
  switch (step.kind) {
    case "describe_column":
    case "describe_table":
      return "nobody";
    case "add_index":
      return isInBackground(size) ? "nobody" : "writers";
    case "add_reference":
      return "writers";
    default:
      return "everybody";
  }
}

function readBytes(step: Step, size: Size): { scans?: number; sorts?: number } {
  const { bytes } = size;
  if (step.kind === "set_nullable") return step.nullable ? {} : { scans: bytes };
  if (step.kind === "restore_column") return step.column.nullable ? {} : { scans: bytes };
  if (step.kind === "add_reference") return isInBackground(size) ? {} : { sorts: bytes };
  if (step.kind === "add_index") return isInBackground(size) ? {} : { sorts: bytes };
  return {};
}

function sentence(step: Step, size: Size, { restorableUntil }: Findings): string {
  switch (step.kind) {
    case "drop_index":
      return `The ${indexName(step)} is dropped.`;
    case "drop_reference":
      return `Column "${step.name}" no longer refers to another table.`;
    case "drop_column":
      return restorableUntil === undefined
        ? `Column "${step.column.name}" is dropped for good.`
        : `Column "${step.column.name}" is dropped. It can be restored until ${restorableUntil}.`;
    case "change_type":
      return `Column "${step.column.name}" becomes ${step.type}. Every row is written again.`;
    case "set_default":
      return step.value === null
        ? `Column "${step.name}" has no default.`
        : `Column "${step.name}" gets a default.`;
    case "set_nullable":
      return `Column "${step.name}" ${step.nullable ? "allows" : "does not allow"} null.`;
    case "rename_column":
      return `Column "${step.from}" is called "${step.to}".`;
    case "add_column":
      return `Column "${step.column.name}" is added.`;
    case "restore_column":
      return restored(step);
    case "add_index":
      return `The ${indexName(step)} is built${isInBackground(size) ? " in the background" : ""}.`;
    case "add_reference":
      return (
        `Column "${step.name}" refers to table "${step.reference.table}".` +
        (isInBackground(size) ? " The rows that exist are checked in the background." : "")
      );
    case "describe_column":
      return `Column "${step.name}" gets another description.`;
    case "describe_table":
      return "The table gets another description.";
    case "rename_table":
      return `The table is called "${step.to}".`;
  }
}

const indexName = ({ index }: StepOf<"add_index" | "drop_index">) =>
  `${index.unique ? "unique index" : "index"} on ${index.columns.map((name) => `"${name}"`).join(", ")}`;

function restored({ column, hidden }: StepOf<"restore_column">): string {
  const reference = hidden.column.references
    ? ` Its reference to table "${hidden.column.references.table}" does not come back.`
    : "";
  const nullable =
    column.nullable && !hidden.column.nullable ? " It allows null, because rows were added since." : "";
  return `Column "${column.name}" is restored.${nullable}${reference}`;
}
