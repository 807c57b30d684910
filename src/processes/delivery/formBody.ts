/** Placeholders in an `application/x-www-form-urlencoded` body, in names and in values. */
import { percentEncoded, refuseOpenEscapes } from "./encoding.ts";
import type { Fill } from "./fill.ts";
import { assemble, type Template } from "./template.ts";

export function renderForm(template: Template, fills: readonly Fill[]): string {
  refuseOpenEscapes(template);
  return assemble(template, fills.map(percentEncoded));
}
