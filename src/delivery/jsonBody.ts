/**
 * Placeholders in JSON: inside a string the value's text, escaped; outside one the value as JSON.
 *
 * Before any value is looked at, the template is parsed with a stand-in for each placeholder: `null` outside of strings,
 * inside them `$` and a mark. A template that is JSON then has every placeholder where a whole value, or a piece of a
 * string, can stand: not in a number, and not in an escape, for `\$` and `\u00$` are none.
 */
import { DeliveryFailure } from "../outbound/failure.ts";
import { assemble, mark, type Template } from "./template.ts";
import { type Fill, jsonOf, textOf } from "./variable.ts";

export function renderJson(template: Template, fills: readonly Fill[]): string {
  const inString = insideStrings(template);
  const keys = keysOfTemplate(template, inString);
  const written = fills.map((fill, index) => (inString[index] ? escapedText(fill) : jsonOf(fill)));
  if (keys.some((key) => key.includes(mark))) {
    const strings = written.map((text, index) => (inString[index] ? text : "null"));
    if (keysOf(JSON.parse(assemble(template, strings))).length < keys.length) throw equalKeys(template, keys);
  }
  return assemble(template, written);
}

/** JSON.stringify also escapes what is not text, half of a surrogate pair. */
const escapedText = (fill: Fill) => JSON.stringify(textOf(fill)).slice(1, -1);

/** For each placeholder, whether it stands inside a string. */
function insideStrings({ texts, names }: Template): boolean[] {
  let inside = false;
  return names.map((_, index) => {
    for (const [token] of (texts[index] ?? "").matchAll(/\\.|"/gs)) if (token === '"') inside = !inside;
    return inside;
  });
}

/** Every key of the template, a placeholder in one told apart from every other. */
function keysOfTemplate(template: Template, inString: readonly boolean[]): string[] {
  const standIns = inString.map((inside, index) => (inside ? `$${mark}${index}${mark}` : "null"));
  try {
    return keysOf(JSON.parse(assemble(template, standIns)));
  } catch (cause) {
    throw new DeliveryFailure(
      "invalid_template",
      "The template is not JSON. A placeholder can stand in it where a whole value can, or inside a string.",
      { cause },
    );
  }
}

function keysOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const items = Object.values(value).flatMap(keysOf);
  return Array.isArray(value) ? items : [...Object.keys(value), ...items];
}

/** A key that a value makes equal to another would take that one's place at the receiver. */
function equalKeys({ names }: Template, keys: readonly string[]): DeliveryFailure {
  const inKeys = names.filter((_, index) => keys.some((key) => key.includes(`$${mark}${index}${mark}`)));
  const shown = [...new Set(inKeys)].map((name) => `\${${name}}`).join(", ");
  return new DeliveryFailure("value_does_not_fit", `Two keys of one object become equal by ${shown}.`);
}
