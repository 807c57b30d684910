/**
 * Turns numbers whose type the contract gives into JavaScript numbers.
 *
 * If a double would not return a number as it was written, such as 7.0, json.ts keeps its text. That is right for
 * values of free form. Where the contract says `integer`, 7.0 is 7 (JSON Schema 2020-12, 6.1.1), and some clients write
 * all their numbers this way.
 */
import type Type from "typebox";

interface Shape {
  readonly type?: string;
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
}

/** Returns `value`, changed in place: each number that `schema` gives a type becomes a JavaScript number. */
export function plainNumbers(value: unknown, schema: Type.TSchema): unknown {
  return plain(value, schema as Shape);
}

function plain(value: unknown, { type, items, properties }: Shape): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (JSON.isRawJSON(value)) return isTyped(type, value.rawJSON) ? Number(value.rawJSON) : value;
  if (Array.isArray(value)) return items && isShaped(items) ? value.map((item) => plain(item, items)) : value;
  const members = value as Record<string, unknown>;
  for (const [name, shape] of Object.entries(properties ?? {}))
    if (Object.hasOwn(members, name)) members[name] = plain(members[name], shape);
  return value;
}

/** A fraction that a double would round away must not turn into an integer. */
const isTyped = (type: string | undefined, text: string) =>
  type === "number" || (type === "integer" && /^-?\d+(\.0+)?([eE]\+?\d+)?$/.test(text));

const isShaped = ({ type, items, properties }: Shape) =>
  type === "integer" || type === "number" || items !== undefined || properties !== undefined;
