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
