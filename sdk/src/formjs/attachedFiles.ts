/**
 * What a file field holds in the form's data, and what the process gets.
 *
 * In the form's data a field holds the metadata of its file as JSON; of several files as a JSON array. A process
 * recognises a file by a variable that is one metadata object, so on submit each file gets a variable of its own: the
 * first under the field's key, the others under `key_2`, `key_3` and so on. Fields in groups with a path and in dynamic
 * lists are inside other variables, where no file is recognised: theirs are put beside, under the names of the path,
 * `documents_1_scan`.
 */
import { type AttachmentVariable, readAttachmentVariable } from "../fileValue.ts";
import { type Path, valueAt } from "./paths.ts";

export interface AttachedFile extends AttachmentVariable {
  /** As the form's data has it. */
  readonly metadata: object;
}

/** The files of a field, in the order in which they were chosen. Whatever is not metadata is no file. */
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

/** Every file that a form's data names, wherever it stands. */
export function filesIn(data: unknown): AttachedFile[] {
  if (typeof data === "object" && data !== null) return Object.values(data).flatMap(filesIn);
  return attachedFiles(data);
}

/** A copy of a form's data with only those of its files that are wanted. */
export function keepFiles<Data>(data: Data, isWanted: (file: AttachedFile) => boolean): Data {
  const files = attachedFiles(data);
  if (files.length > 0) return fieldValue(files.filter(isWanted)) as Data;
  if (Array.isArray(data)) return data.map((item) => keepFiles(item, isWanted)) as Data;
  if (typeof data !== "object" || data === null) return data;
  const members = Object.entries(data).map(([name, member]) => [name, keepFiles(member, isWanted)]);
  return Object.fromEntries(members) as Data;
}

/** What the field holds for these files; null for none, which is what `required` looks for. */
export function fieldValue(files: readonly Pick<AttachedFile, "metadata">[]): string | null {
  const [first, ...others] = files.map(({ metadata }) => metadata);
  if (first === undefined) return null;
  return JSON.stringify(others.length === 0 ? first : [first, ...others]);
}

export interface FileFields {
  /** Where their values stand. */
  readonly paths: readonly Path[];
  /** The names of all the form's variables. */
  readonly taken: readonly string[];
}

/** Puts each file under a top-level name of its own. Changes `data`; what other fields are called is left to them. */
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
