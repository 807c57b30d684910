/**
 * Placeholders in JSON: inside a string the value's text, escaped; outside one the value as JSON.
 *
 * Before any value is looked at, the template is parsed with a stand-in for each placeholder: `null` outside of strings,
 * inside them `$` and a mark. A template that is JSON then has every placeholder where a whole value, or a piece of a
 * string, can stand: not in a number, and not in an escape, for `\$` and `\u00$` are none.
 */
import { DeliveryFailure } from "../../infrastructure/outbound/failure.ts";
import { type Fill, jsonOf, textOf } from "./fill.ts";
import { assemble, mark, type Template } from "./template.ts";

export function renderJson(template: Template, fills: readonly Fill[]): string {
  const inString = insideStrings(template);
  const keys = keysOfTemplate(template, inString);
  const written = fills.map((fill, index) => (inString[index] ? escapedText(fill) : jsonOf(fill)));
  const inKeys = placeholdersIn(keys);
  if (inKeys.size > 0) {
    // What stands in no key makes no two keys equal, however long it is.
    const filled = written.map((text, index) => (inKeys.has(index) ? text : inString[index] ? "" : "null"));
    if (keysOf(JSON.parse(assemble(template, filled))).length < keys.length)
      throw equalKeys(template, inKeys);
  }
  return assemble(template, written);
}

/** By their indices in the template. */
function placeholdersIn(keys: readonly string[]): Set<number> {
  const found = keys.flatMap((key) => [...key.matchAll(standInPattern)].map(([, index]) => Number(index)));
  return new Set(found);
}

const standInPattern = new RegExp(`\\$${mark}(\\d+)${mark}`, "gu");

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

/** Of every object in the value, however deep it nests. */
function keysOf(value: unknown): string[] {
  const keys: string[] = [];
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== "object" || next === null) continue;
    if (!Array.isArray(next)) for (const key of Object.keys(next)) keys.push(key);
    for (const item of Object.values(next)) left.push(item);
  }
  return keys;
}

/** A key that a value makes equal to another would take that one's place at the receiver. */
function equalKeys({ names }: Template, inKeys: ReadonlySet<number>): DeliveryFailure {
  const shown = [...new Set(names.filter((_, index) => inKeys.has(index)))]
    .map((name) => `\${${name}}`)
    .join(", ");
  return new DeliveryFailure("value_does_not_fit", `Two keys of one object become equal by ${shown}.`);
}
