/** Drafts of an earlier visit, back in the form's data under the fields that they were uploaded for. */
import type { AttachmentMetadata } from "../generated/index.ts";
import { fieldValue, type Path } from "./attachedFiles.ts";

export interface Draft {
  /** The path of the field's value, joined by dots: what the upload said as `field_name`. */
  readonly field_name: string;
  readonly metadata: AttachmentMetadata;
}

interface Component {
  readonly type?: string;
  readonly key?: string;
  readonly multiple?: unknown;
  readonly components?: readonly Component[];
}

/** A copy of `data` with the drafts in it: the last one of a field that takes one file, all of one that takes several. */
export function dataWithDrafts(
  data: Readonly<Record<string, unknown>>,
  drafts: readonly Draft[],
  schema: Component,
): Record<string, unknown> {
  const copy = structuredClone(data) as Record<string, unknown>;
  const fields = filePickers(schema);
  for (const name of new Set(drafts.map(({ field_name }) => field_name))) {
    const path = pathOf(name);
    const field = fields.find(({ key }) => key === name || key?.split(".").at(-1) === path.at(-1));
    const files = drafts.filter(({ field_name }) => field_name === name).map(({ metadata }) => metadata);
    if (field) put(copy, path, fieldValue(field.multiple ? files : files.slice(-1)));
  }
  return copy;
}

export const fieldName = (path: Path) => path.join(".");
const pathOf = (name: string): Path => name.split(".").map((part) => (/^\d+$/.test(part) ? +part : part));

function filePickers({ type, components = [], ...field }: Component): Component[] {
  return [...(type === "filepicker" ? [field] : []), ...components.flatMap(filePickers)];
}

function put(data: Record<string, unknown>, [first, ...rest]: Path, value: unknown): void {
  if (first === undefined) return;
  const [next] = rest;
  if (next === undefined) data[first] = value;
  else {
    data[first] ??= typeof next === "number" ? [] : {};
    put(data[first] as Record<string, unknown>, rest, value);
  }
}
