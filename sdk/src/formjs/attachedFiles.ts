/**
 * The value of a file field in the form's data, and the variables that the process gets.
 *
 * In the form's data, a field holds the metadata of its file as JSON, or a JSON array for several files. A process
 * recognises a file only as a variable that is one metadata object. So on submit every file gets its own variable: the
 * first under the field's key, the others under `key_2`, `key_3` and so on. Fields in groups with a path and in dynamic
 * lists are inside other variables, where the process does not recognise files. Their files get top-level variables,
 * named by the path: `documents_1_scan`.
 */
import { type AttachmentVariable, readAttachmentVariable } from "../fileValue.ts";
import { type Path, valueAt } from "./paths.ts";

export interface AttachedFile extends AttachmentVariable {
  /** As in the form's data. */
  readonly metadata: object;
}

/** The files of a field, in the order in which they were chosen. Values that are not metadata are ignored. */
export function attachedFiles(value: unknown): AttachedFile[] {
  if (typeof value !== "string") return [];
  try {
    return [JSON.parse(value)].flat().flatMap(fileOf);
  } catch {
    return [];
  }
}

function fileOf(metadata: unknown): AttachedFile[] {
  if (typeof metadata !== "object" || metadata === null) return [];
  const variable = readAttachmentVariable(metadata);
  return variable.kind === "attachment" ? [{ ...variable, metadata }] : [];
}

/** Every file in a form's data, at any depth. */
export function filesIn(data: unknown): AttachedFile[] {
  if (typeof data === "object" && data !== null) return Object.values(data).flatMap(filesIn);
  return attachedFiles(data);
}

/** A copy of a form's data that contains only the wanted files. */
export function keepFiles<Data>(data: Data, isWanted: (file: AttachedFile) => boolean): Data {
  const files = attachedFiles(data);
  if (files.length > 0) return fieldValue(files.filter(isWanted)) as Data;
  if (Array.isArray(data)) return data.map((item) => keepFiles(item, isWanted)) as Data;
  if (typeof data !== "object" || data === null) return data;
  const members = Object.entries(data).map(([name, member]) => [name, keepFiles(member, isWanted)]);
  return Object.fromEntries(members) as Data;
}

/** The field's value for these files. null if there are none, which is what `required` checks for. */
export function fieldValue(files: readonly Pick<AttachedFile, "metadata">[]): string | null {
  const [first, ...others] = files.map(({ metadata }) => metadata);
  if (first === undefined) return null;
  return JSON.stringify(others.length === 0 ? first : [first, ...others]);
}

export interface FileFields {
  /** The paths of their values. */
  readonly paths: readonly Path[];
  /** The names of all the form's variables. */
  readonly taken: readonly string[];
}

/** Puts each file under its own top-level name. Changes `data`, and never uses the name of another field. */
export function spreadFiles(data: Record<string, unknown>, { paths, taken }: FileFields): void {
  const isFree = (name: string) => !(name in data) && !taken.includes(name);
  for (const path of paths) {
    const name = path.map((part) => (typeof part === "number" ? part + 1 : part)).join("_");
    for (const [index, { metadata }] of attachedFiles(valueAt(data, path)).entries()) {
      const own = index === 0 && (path.length === 1 || isFree(name));
      data[own ? name : numberedName(name, { from: index + 1, isFree })] = JSON.stringify(metadata);
    }
  }
}

interface Numbering {
  readonly from: number;
  isFree(name: string): boolean;
}

function numberedName(name: string, { from, isFree }: Numbering): string {
  let number = Math.max(2, from);
  while (!isFree(`${name}_${number}`)) number++;
  return `${name}_${number}`;
}
