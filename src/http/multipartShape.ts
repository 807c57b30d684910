/** What a multipart/form-data body may hold, as the contract's schema of it says: which fields are files, and how many. */
import type Type from "typebox";

export interface FileField {
  /** Arrives as an array of files, also where there is one. */
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

/** Throws where a field may hold any number of files: a body has to have a largest size. */
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

/** All else in such a body is text: an object can only be a received file. */
const isFile = (type: string | undefined) => type === "object";
