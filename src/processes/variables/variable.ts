/** Process variables as they are stored, and as they are read without the content of files. */
import type { StoredVariable } from "../engine.ts";

export type { StoredFile, StoredVariable, VariableType } from "../engine.ts";

/** What reads show: all but a file's bytes. */
export interface ShownVariable extends Pick<StoredVariable, "type" | "value"> {
  readonly file?: { readonly name: string; readonly mimeType: string; readonly size: number };
}

export type ShownVariables = ReadonlyMap<string, ShownVariable>;
