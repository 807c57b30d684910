/** Placeholders in an `application/x-www-form-urlencoded` body, in names and in values. */
import { percentEncoded, refuseOpenEscapes } from "./encoding.ts";
import { assemble, type Template } from "./template.ts";
import type { Fill } from "./variable.ts";

export function renderForm(template: Template, fills: readonly Fill[]): string {
  refuseOpenEscapes(template);
  return assemble(template, fills.map(percentEncoded));
}
