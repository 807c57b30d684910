/** Collects the fields of one multipart/form-data body as they arrive. */
import type { ReceivedFile } from "../generated/schemas.ts";
import { unstorable } from "../infrastructure/json.ts";
import type { MultipartShape } from "./multipartShape.ts";

type Incoming = string | Promise<ReceivedFile> | Promise<ReceivedFile>[];

/** A sentence that says what is wrong. Undefined if nothing is. */
type Fault = string | undefined;

export interface Fields {
  addText(name: string, text: string, options: { readonly truncated: boolean }): Fault;
  /** `file` may still be arriving. */
  addFile(name: string, file: Promise<ReceivedFile>): Fault;
  /** The fields by name: a string, a file, or the files of a field that takes many, in the order of the body. */
  complete(): Promise<Record<string, unknown>>;
}

export function collectFields({ fileFields }: MultipartShape): Fields {
  const fields = new Map<string, Incoming>();
  const addOnce = (name: string, value: Incoming): Fault => {
    if (fields.has(name)) return `The field ${shown(name)} appears twice.`;
    fields.set(name, value);
    return undefined;
  };
  return {
    addText: (name, text, { truncated }) => {
      const fault = nameless(name) ?? unstorable(name) ?? unstorable(text);
      if (fault === undefined && truncated) return `The field ${shown(name)} is too long.`;
      return fault ?? addOnce(name, text);
    },
    addFile: (name, file) => {
      const { many, maxFiles } = fileFields.get(name) ?? { many: false, maxFiles: 1 };
      const others = fields.get(name);
      if (!Array.isArray(others)) return nameless(name) ?? addOnce(name, many ? [file] : file);
      others.push(file);
      return others.length > maxFiles
        ? `The field ${shown(name)} takes at most ${maxFiles} files.`
        : undefined;
    },
    complete: async () => Object.fromEntries(await Promise.all([...fields].map(completed))),
  };
}

async function completed([name, value]: readonly [string, Incoming]): Promise<[string, unknown]> {
  return [name, Array.isArray(value) ? await Promise.all(value) : await value];
}

const nameless = (name: string): Fault => (name ? undefined : "A part has no name.");

const shown = (name: string) => `"${name.slice(0, 100)}"`;
