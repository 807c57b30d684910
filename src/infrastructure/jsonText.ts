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
