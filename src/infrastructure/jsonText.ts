/** JSON that the database has written, and that goes into an answer without parsing. */

/** A JSON text from the database, which is sent as it is. `T` is the type of its value, only for the type check. */
export interface JsonText<T> {
  readonly jsonText: string;
  readonly saying?: T;
}

/** A value of which any part may be a JSON text from the database. */
export type Written<T> =
  | T
  | JsonText<T>
  | (T extends readonly unknown[]
      ? never
      : T extends object
        ? { readonly [Key in keyof T]: Written<T[Key]> }
        : never);

/** JSON in which the parts that the database wrote keep their text. */
export function writeJson(value: unknown): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return JSON.stringify(value);
  if (isJsonText(value)) return value.jsonText;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeJson(member)}`).join(",")}}`;
}

const isJsonText = (value: object): value is JsonText<unknown> =>
  "jsonText" in value && typeof value.jsonText === "string";
