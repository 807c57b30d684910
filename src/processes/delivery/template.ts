/**
 * `${name}` in a text (reference 2). A name is letters, marks, digits and `_ - . $`, looked up as it is written: it is no
 * path and no expression.
 *
 * There is no escape. `$${name}` is a dollar sign and a placeholder, as an amount of money needs it; `${` that begins no
 * placeholder (`${}`, `${a b}`, `${a${b}}`, one that is never closed) is a mistake that would reach the receiver, so it
 * is refused. Whoever has to send `${` itself puts it in a variable: a value is never read as a template.
 */
import { DeliveryFailure } from "../../infrastructure/outbound/failure.ts";

/** `texts` stand around the `names`: there is always one more of them. */
export interface Template {
  readonly texts: readonly string[];
  readonly names: readonly string[];
}

/** A template has at most so many placeholders. Whoever has more values to send puts them into one Json variable. */
export const mostPlaceholders = 100;

/** Stands for a value while a template is looked at without its values: the last private-use character. */
export const mark = "\u{10FFFD}";

const placeholder = /\$\{([\p{L}\p{M}\p{N}_$.-]+)\}/u;
const noPlaceholder = /\$\{(?![\p{L}\p{M}\p{N}_$.-]+\})/u;

/**
 * Throws `invalid_template` for too many placeholders, and with the place of the first `${` that begins none, in
 * characters from 1.
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

/** Split by a pattern with one group: texts at the even places, names at the odd ones. */
export const namesIn = (source: string): string[] =>
  source.split(placeholder).filter((_, index) => index % 2 === 1);

/** The template with one text in the place of each placeholder. */
export function assemble({ texts }: Template, written: readonly string[]): string {
  return texts.map((text, index) => text + (written[index] ?? "")).join("");
}

const tooMany = (count: number) =>
  new DeliveryFailure(
    "invalid_template",
    `The template has ${count} placeholders. It takes at most ${mostPlaceholders}.`,
  );

const malformed = (character: number) =>
  new DeliveryFailure(
    "invalid_template",
    `The "\${" at character ${character} does not begin a placeholder: that is \${name}, with a name of letters, digits and _ - . $ alone.`,
  );
