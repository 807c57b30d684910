/**
 * `${name}` in a text. A name has letters, marks, digits and `_ - . $`. It is looked up as it is written: it is not a
 * path and not an expression.
 *
 * There is no escape. `$${name}` is a dollar sign and a placeholder, as in an amount of money. A `${` that does not
 * begin a placeholder (`${}`, `${a b}`, `${a${b}}`, one without its brace) is a mistake that would reach the receiver,
 * so it is refused. To send `${` itself, put it into a variable: a value is never read as a template.
 */
import { DeliveryFailure } from "../../infrastructure/outbound/failure.ts";

/** The `texts` are around the `names`, so there is always one more of them. */
export interface Template {
  readonly texts: readonly string[];
  readonly names: readonly string[];
}

/** Placeholders of one template. To send more values, put them into one Json variable. */
export const mostPlaceholders = 100;

/** Takes the place of a value while a template is checked without values: the last private-use character. */
export const mark = "\u{10FFFD}";

const placeholder = /\$\{([\p{L}\p{M}\p{N}_$.-]+)\}/u;
const noPlaceholder = /\$\{(?![\p{L}\p{M}\p{N}_$.-]+\})/u;

/**
 * Throws `invalid_template` for too many placeholders and for a `${` that does not begin one. The message says at which
 * character it is, from 1.
 */
export function parseTemplate(source: string): Template {
  const mistake = source.search(noPlaceholder);
  if (mistake !== -1) throw malformed(mistake + 1);
  const pieces = source.split(placeholder);
  const count = (pieces.length - 1) / 2;
  if (count > mostPlaceholders) throw tooMany(count);
  return {
    texts: pieces.filter((_, index) => index % 2 === 0),
    names: pieces.filter((_, index) => index % 2 === 1),
  };
}

/** The names of the placeholders. A split by a pattern with one group has them at the odd indices. */
export const namesIn = (source: string): string[] =>
  source.split(placeholder).filter((_, index) => index % 2 === 1);

/** The template with one text in place of each placeholder. */
export function assemble({ texts }: Template, written: readonly string[]): string {
  return texts.map((text, index) => text + (written[index] ?? "")).join("");
}

const tooMany = (count: number) =>
  new DeliveryFailure(
    "invalid_template",
    `The template has ${count} placeholders. It can have at most ${mostPlaceholders}.`,
  );

const malformed = (character: number) =>
  new DeliveryFailure(
    "invalid_template",
    `The "\${" at character ${character} does not begin a placeholder. ` +
      "A placeholder is ${name}, with only letters, digits and _ - . $ in its name.",
  );
