/** JSON that the database has written already, and that nobody needs to parse on its way out. */

/** A JSON text that the database wrote, sent as it is. `T` is what it says, for the type check only. */
export interface JsonText<T> {
  readonly jsonText: string;
  readonly saying?: T;
}

/** A value, any part of which the database may have written as JSON text already. */
export type Written<T> =
  | T
  | JsonText<T>
  | (T extends readonly unknown[]
      ? never
      : T extends object
        ? { readonly [Key in keyof T]: Written<T[Key]> }
        : never);
