/** Values as UTF-8 and percent-encoded text. */
import { DeliveryFailure } from "../../infrastructure/outbound/failure.ts";
import { type Fill, textOf } from "./fill.ts";
import type { Template } from "./template.ts";

/** The value's text. Throws `value_does_not_fit` for half of a surrogate pair, which only JSON can write. */
export function wellFormedTextOf(fill: Fill): string {
  const text = textOf(fill);
  if (text.isWellFormed()) return text;
  throw doesNotFit(fill.name, "contains half of a surrogate pair, which is not valid text");
}

/** For a path segment, a query or a fragment. Letters, digits and `- _ . ! ~ * ' ( )` are not encoded. */
export const percentEncoded = (fill: Fill) => encodeURIComponent(wellFormedTextOf(fill));

/** A value after `%` or `%4` would become part of an escape. */
export function refuseOpenEscapes({ texts, names }: Template): void {
  const at = names.findIndex((_, index) => /%[0-9a-f]?$/i.test(texts[index] ?? ""));
  if (at !== -1) throw misplaced(names[at], "directly after a percent sign");
}

export const misplaced = (name: string | undefined, where: string) =>
  new DeliveryFailure("invalid_template", `The placeholder \${${name}} cannot be ${where}.`);

export const doesNotFit = (name: string, why: string) =>
  new DeliveryFailure("value_does_not_fit", `The value of \${${name}} ${why}.`);
