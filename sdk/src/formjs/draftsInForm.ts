/** Puts drafts from before a reload back into the form's data. */
import type { AttachmentMetadata } from "../generated/index.ts";
import { attachedFiles, fieldValue, filesIn } from "./attachedFiles.ts";
import { lacksRow, pathOf, put, valueAt } from "./paths.ts";
import { type Component, filePickers } from "./schema.ts";

export interface Draft {
  /** The path of the field's value when the upload began, joined by dots. */
  readonly field_name: string;
  readonly metadata: AttachmentMetadata;
}

/**
 * A copy of `data` with the drafts in it. A draft that is already in the data stays in its place, because its row may
 * have moved since the upload. The other drafts go to the fields that they were uploaded for. A field for one file gets
 * the last draft if it is empty, a field for several files gets all of them, and a row that no longer exists gets none.
 */
export function dataWithDrafts(
  data: Readonly<Record<string, unknown>>,
  drafts: readonly Draft[],
  schema: Component,
): Record<string, unknown> {
  const copy = structuredClone(data) as Record<string, unknown>;
  const named = new Set(filesIn(data).map(({ attachmentId }) => attachmentId));
  const others = drafts.filter(({ metadata }) => !named.has(metadata.attachment_id));
  const fields = filePickers(schema);
  for (const name of new Set(others.map(({ field_name }) => field_name))) {
    const path = pathOf(name);
    const field = fields.find(({ key }) => key === name || key?.split(".").at(-1) === path.at(-1));
    if (!field || lacksRow(data, path)) continue;
    const existing = attachedFiles(valueAt(copy, path));
    const files = others.filter(({ field_name }) => field_name === name);
    if (field.multiple) put(copy, path, fieldValue([...existing, ...files]));
    else if (existing.length === 0) put(copy, path, fieldValue(files.slice(-1)));
  }
  return copy;
}
