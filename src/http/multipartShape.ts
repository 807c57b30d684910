/** Reads from a multipart body's schema which fields are files, and how many files each takes. */
import type Type from "typebox";

export interface FileField {
  /** Arrives as an array of files, even if there is only one. */
  readonly many: boolean;
  readonly maxFiles: number;
}

export interface MultipartShape {
  readonly fileFields: ReadonlyMap<string, FileField>;
  /** In the whole body. */
  readonly maxFiles: number;
}

interface Schema {
  readonly type?: string;
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** Throws if a field may hold any number of files, because a body needs a size limit. */
export function multipartShape(schema: Type.TSchema): MultipartShape {
  const fileFields = new Map<string, FileField>();
  for (const [name, property] of Object.entries((schema as Schema).properties ?? {})) {
    const field = fileField(name, property);
    if (field) fileFields.set(name, field);
  }
  const maxFiles = [...fileFields.values()].reduce((sum, field) => sum + field.maxFiles, 0);
  return { fileFields, maxFiles };
}

function fileField(name: string, { type, items, maxItems }: Schema): FileField | undefined {
  if (isFile(type)) return { many: false, maxFiles: 1 };
  if (type !== "array" || !isFile(items?.type)) return undefined;
  if (maxItems === undefined) throw new Error(`the contract must say how many files "${name}" takes`);
  return { many: true, maxFiles: maxItems };
}

/** Everything else in such a body is text, so an object can only be a received file. */
const isFile = (type: string | undefined) => type === "object";
