/**
 * Placeholders in JSON. Inside a string a placeholder becomes the value's text, escaped. Outside it becomes the value
 * as JSON.
 *
 * First, the template is parsed with a stand-in for each placeholder: `null` outside of strings, and `$` with a mark
 * inside. If the result is JSON, each placeholder is in the place of a whole value or of a part of a string. It cannot
 * be in a number, and not in an escape, because `\$` and `\u00$` are not valid escapes.
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
    // Values outside of keys cannot make two keys equal, and may be long. They are left out.
    const filled = written.map((text, index) => (inKeys.has(index) ? text : inString[index] ? "" : "null"));
    if (keysOf(JSON.parse(assemble(template, filled))).length < keys.length)
      throw equalKeys(template, inKeys);
  }
  return assemble(template, written);
}

/** The indices of the placeholders in the keys. */
function placeholdersIn(keys: readonly string[]): Set<number> {
  const found = keys.flatMap((key) => [...key.matchAll(standInPattern)].map(([, index]) => Number(index)));
  return new Set(found);
}

const standInPattern = new RegExp(`\\$${mark}(\\d+)${mark}`, "gu");

/** `JSON.stringify` also escapes half of a surrogate pair. */
const escapedText = (fill: Fill) => JSON.stringify(textOf(fill)).slice(1, -1);

/** For each placeholder, whether it is inside a string. */
function insideStrings({ texts, names }: Template): boolean[] {
  let inside = false;
  return names.map((_, index) => {
    for (const [token] of (texts[index] ?? "").matchAll(/\\.|"/gs)) if (token === '"') inside = !inside;
    return inside;
  });
}

/** Every key of the template. Each placeholder in a key is replaced by its own stand-in. */
function keysOfTemplate(template: Template, inString: readonly boolean[]): string[] {
  const standIns = inString.map((inside, index) => (inside ? `$${mark}${index}${mark}` : "null"));
  try {
    return keysOf(JSON.parse(assemble(template, standIns)));
  } catch (cause) {
    throw new DeliveryFailure(
      "invalid_template",
      "The template is not valid JSON. A placeholder can replace a whole value, or a part of a string.",
      { cause },
    );
  }
}

/** The keys of every object in the value, at any depth. */
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

/** The receiver would keep only one of two equal keys. */
function equalKeys({ names }: Template, inKeys: ReadonlySet<number>): DeliveryFailure {
  const shown = [...new Set(names.filter((_, index) => inKeys.has(index)))]
    .map((name) => `\${${name}}`)
    .join(", ");
  return new DeliveryFailure(
    "value_does_not_fit",
    `With the values of ${shown}, one JSON object would have the same key twice.`,
  );
}
