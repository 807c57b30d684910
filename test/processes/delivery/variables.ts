/** Process variables for the tests of placeholders. */
import type { TypedValue, TypedValues } from "../../../src/processes/variables/variable.ts";

export const text = (value: string): TypedValue => ({ type: "String", value });

export const attachment = (id: string): TypedValue => text(JSON.stringify({ id, file_name: "a.pdf" }));

export const texts = (values: Readonly<Record<string, string>>): TypedValues =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, text(value)]));
