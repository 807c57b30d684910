/** Process variables for the tests of placeholders. */
import type { Variable, Variables } from "../../../src/processes/delivery/variable.ts";

export const text = (value: string): Variable => ({ type: "String", value });

export const attachment = (id: string): Variable => text(JSON.stringify({ id, file_name: "a.pdf" }));

export const texts = (values: Readonly<Record<string, string>>): Variables =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, text(value)]));
