/** Placeholders in the values of request headers. */
import { controlCharacter } from "../../infrastructure/outbound/headers.ts";
import { doesNotFit, wellFormedTextOf } from "./encoding.ts";
import type { Fill } from "./fill.ts";
import { assemble, type Template } from "./template.ts";

export function renderHeader(template: Template, fills: readonly Fill[]): string {
  return assemble(template, fills.map(singleLine));
}

function singleLine(fill: Fill): string {
  const text = wellFormedTextOf(fill);
  if (!controlCharacter.test(text)) return text;
  throw doesNotFit(fill.name, "holds a line break or another control character, which no header can");
}
