/**
 * What a file field holds in the form's data, and what the process gets.
 *
 * In the form's data a field holds the metadata of its file as JSON; of several files as a JSON array. A process
 * recognises a file by a variable that is one metadata object, so on submit each file gets a variable of its own: the
 * first under the field's key, the others under `key_2`, `key_3` and so on. Fields in groups with a path and in dynamic
 * lists are inside other variables, where no file is recognised: theirs are put beside, under the names of the path,
 * `documents_1_scan`.
 */
import type { AttachmentMetadata } from "../generated/index.ts";

export type Path = readonly (string | number)[];

/** The files of a field, in the order in which they were chosen. Whatever is not metadata is no file. */
export function attachedFiles(value: unknown): AttachmentMetadata[] {
  if (typeof value !== "string") return [];
  try {
    return [JSON.parse(value)].flat().filter(isMetadata);
  } catch {
    return [];
  }
}

const isMetadata = (value: unknown): value is AttachmentMetadata =>
  typeof value === "object" && value !== null && "attachment_id" in value && "file_name" in value;

/** Every file that a form's data names, wherever it stands. */
export function filesIn(data: unknown): AttachmentMetadata[] {
  if (typeof data === "object" && data !== null) return Object.values(data).flatMap(filesIn);
  return attachedFiles(data);
}

/** What the field holds for these files; null for none, which is what `required` looks for. */
export function fieldValue(files: readonly AttachmentMetadata[]): string | null {
  if (files.length === 0) return null;
  return JSON.stringify(files.length === 1 ? files[0] : files);
}

/**
 * Puts each file under a top-level name of its own. `paths` are where the file fields' values stand. Changes `data`;
 * names that it has already are left alone.
 */
export function spreadFiles(data: Record<string, unknown>, paths: readonly Path[]): void {
  for (const path of paths) {
    const name = path.map((part) => (typeof part === "number" ? part + 1 : part)).join("_");
    for (const [index, file] of attachedFiles(valueAt(data, path)).entries()) {
      const own = index === 0 && path.length === 1;
      data[own ? name : freeName(data, { name, index })] = JSON.stringify(file);
    }
  }
}

export function valueAt(data: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], data);
}

function freeName(data: Record<string, unknown>, { name, index }: { name: string; index: number }): string {
  if (index === 0 && !(name in data)) return name;
  let number = Math.max(2, index + 1);
  while (`${name}_${number}` in data) number++;
  return `${name}_${number}`;
}
