/** Compares the columns of a file with those of the table. */
import type { Column, ReceivedFile } from "../../generated/schemas.ts";
import { maxFaults } from "../../infrastructure/problem.ts";
import { type Workers, workIn } from "../../infrastructure/workers/workers.ts";
import { type Definition, isBuiltIn } from "../definition.ts";
import { refuse } from "../values.ts";
import { closest } from "./closest.ts";
import { faultAt, type ImportFault, type ImportFormat, type ImportPlan, type Place } from "./importPlan.ts";

export interface ImportOptions {
  readonly decimalComma: boolean;
  /** Columns of the file that are left out. */
  readonly skip: ReadonlySet<string>;
}

const work = new URL("./importWork.ts", import.meta.url);
const headerWork = workIn<typeof import("./importWork.ts")>()(work, "readHeader", 20_000);
const start: Place = { offset: 0, line: 1, row: 0 };

/** The plan, and where the first row is. Throws all faults of the file's columns. */
export async function planImport(
  workers: Workers,
  definition: Definition,
  { file, options }: { readonly file: ReceivedFile; readonly options: ImportOptions },
): Promise<{ readonly plan: ImportPlan; readonly first: Place }> {
  const format: ImportFormat = file.declaredType === "text/csv" ? "text/csv" : "application/x-ndjson";
  const { path, size } = file;
  const header = await workers.run(headerWork, { path, size, format }, String(definition.tenant.id));
  if ("fault" in header) throw refuse([header.fault]);
  const { names, delimiter, first } = header;
  const isEmpty = format !== "text/csv" && first.offset >= size;
  if (!isEmpty) refuse(columnFaults(definition, names, options.skip));
  const byName = new Map(definition.columns.map((column) => [column.name, column]));
  const columns = names.map((name) => (options.skip.has(name) ? undefined : byName.get(name)));
  return {
    first,
    plan: { path, size, format, columns, names, delimiter, decimalComma: options.decimalComma },
  };
}

function columnFaults(
  definition: Definition,
  names: readonly string[],
  skip: ReadonlySet<string>,
): ImportFault[] {
  const seen = new Set<string>();
  const faults: ImportFault[] = [];
  for (const name of names) {
    const fault = columnFault(definition, name, { skip, seen });
    seen.add(name);
    if (fault) faults.push(faultAt(start, fault, { column: name.slice(0, 100) }));
    if (faults.length >= maxFaults) return faults;
  }
  faults.push(...definition.columns.flatMap((column) => missing(column, seen, skip)));
  if (faults.length === 0 && names.every((name) => skip.has(name)))
    faults.push(
      faultAt(start, { code: "invalid_value", detail: "The file has no column that is imported." }),
    );
  return faults;
}

interface Names {
  readonly skip: ReadonlySet<string>;
  readonly seen: ReadonlySet<string>;
}

function columnFault(definition: Definition, name: string, { skip, seen }: Names) {
  const shown = JSON.stringify(name.slice(0, 100).toWellFormed());
  if (seen.has(name)) return { code: "duplicate_column", detail: `Column ${shown} appears twice.` } as const;
  if (skip.has(name)) return undefined;
  if (isBuiltIn(name)) {
    const detail = `Column ${shown} is built in and cannot be set. Leave it out with $skip=${name}.`;
    return { code: "built_in_column", detail } as const;
  }
  if (definition.types.has(name)) return undefined;
  const known = closest(
    name,
    definition.columns.map((column) => column.name),
  );
  const advice = known === undefined ? "Leave it out with $skip." : `Perhaps it is "${known}".`;
  return {
    code: "unknown_column",
    detail: `Column ${shown} does not exist in this table. ${advice}`,
  } as const;
}

/** A column without a value gets its default, or null. */
function missing(column: Column, seen: ReadonlySet<string>, skip: ReadonlySet<string>): ImportFault[] {
  const { name, nullable } = column;
  if (nullable || column.default !== undefined || (seen.has(name) && !skip.has(name))) return [];
  const detail = `Column "${name}" does not allow null, and the file does not have it.`;
  return [faultAt(start, { code: "invalid_value", detail }, { column: name })];
}
