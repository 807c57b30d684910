/** Values as UTF-8 and percent-encoded text. */
import { DeliveryFailure } from "../../infrastructure/outbound/failure.ts";
import { type Fill, textOf } from "./fill.ts";
import type { Template } from "./template.ts";

/** The value's text. Half of a surrogate pair, which only JSON can write, is refused. */
export function wellFormedTextOf(fill: Fill): string {
  const text = textOf(fill);
  if (text.isWellFormed()) return text;
  throw doesNotFit(fill.name, "holds half of a surrogate pair, which is not text");
}

/** For a path segment, a query or a fragment: only letters, digits and `- _ . ! ~ * ' ( )` stay as they are. */
export const percentEncoded = (fill: Fill) => encodeURIComponent(wellFormedTextOf(fill));

/** A value behind `%` or `%4` would become part of an escape. */
export function refuseOpenEscapes({ texts, names }: Template): void {
  const at = names.findIndex((_, index) => /%[0-9a-f]?$/i.test(texts[index] ?? ""));
  if (at !== -1) throw cannotStand(names[at], "directly behind a percent sign");
}

export const cannotStand = (name: string | undefined, where: string) =>
  new DeliveryFailure("invalid_template", `The placeholder \${${name}} cannot stand ${where}.`);

export const doesNotFit = (name: string, why: string) =>
  new DeliveryFailure("value_does_not_fit", `The value of \${${name}} ${why}.`);
