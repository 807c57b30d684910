/** Process variables as they are stored, and as they are read without the content of files. */

/** The types of Camunda 7. */
export type VariableType =
  | "String"
  | "Integer"
  | "Long"
  | "Double"
  | "Boolean"
  | "Date"
  | "Json"
  | "Null"
  | "File";

/** A process variable as it is stored. */
export interface StoredVariable {
  readonly type: VariableType;
  /** JSON text; `null` for a File, whose content is in `file`. */
  readonly value: string;
  readonly file?: FileValue;
}

/** The value of a variable of type File. */
export interface FileValue {
  readonly name: string;
  readonly mimeType: string;
  /** Bytes. */
  readonly size: number;
  readonly content: Uint8Array;
}

/** What reads show: all but a file's bytes. */
export interface ShownVariable extends Pick<StoredVariable, "type" | "value"> {
  readonly file?: { readonly name: string; readonly mimeType: string; readonly size: number };
}

export type ShownVariables = ReadonlyMap<string, ShownVariable>;

/**
 * A value with its type, as service tasks take and give it. `value` is what an engine's REST interface shows, and
 * `null` for no value of any type. It is the text of a Json or the value itself, a number or its text or its
 * `JSON.rawJSON`, and the content of a File in base64.
 */
export interface TypedValue {
  readonly type: VariableType;
  readonly value: unknown;
}

/** By name. Only own members are variables. */
export type TypedValues = Readonly<Record<string, TypedValue>>;

/** `${secret.NAME}` is a secret of the tenant. The names of variables do not begin with this. */
export const secretPrefix = "secret.";
