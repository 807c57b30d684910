/**
 * The most expensive JSON bodies that a schema accepts or refuses late. Each place of the operation's example is filled
 * with as much of one thing as the body may have.
 */

export interface Schema {
  readonly type?: string | readonly string[];
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: unknown;
}

/** Returns raw JSON of about so many bytes. */
type Filler = (bytes: number) => string;

const list = (item: string): Filler => {
  return (bytes) => `[${`${item},`.repeat(Math.max(1, Math.floor(bytes / (item.length + 1)))).slice(0, -1)}]`;
};
const text = (unit: string): Filler => {
  return (bytes) => `"${unit.repeat(Math.max(1, Math.floor(bytes / unit.length)))}"`;
};
const keys: Filler = (bytes) =>
  `{${Array.from({ length: Math.max(1, Math.floor(bytes / 14)) }, (_, index) => `"k${index}":1`).join(",")}}`;

const fillers: Readonly<Record<string, Filler>> = {
  "many empty objects": list("{}"),
  "many exact numbers": list("1.10"),
  "many small objects": list('{"a":1}'),
  "many short texts": list('"ab"'),
  deep: list(`${"[".repeat(110)}${"]".repeat(110)}`),
  "many keys": keys,
  digits: (bytes) => "7".repeat(Math.min(bytes, 150_000)),
  "a text of digits": text("7"),
  "a text of blanks": text(" "),
  "a text of slashes": text("/"),
  "a text of placeholders": text("${a}"),
  "a text of escapes": text("\\u0041"),
};

const marker = "\u0001filler\u0001";

export interface Body {
  readonly what: string;
  readonly text: () => string;
}

/** Bodies of up to `maxBytes`, made from an example that fits the schema. */
export function expensiveBodies(schema: Schema, example: unknown, maxBytes: number): Body[] {
  const places = ["", ...placesOf(schema, "")];
  return places.flatMap((place) =>
    Object.entries(fillers).map(([name, fill]) => ({
      what: `${place || "the body"}: ${name}`,
      text: () => filled(example, place, { fill, maxBytes }),
    })),
  );
}

/** Pointers to everything that the schema names. The first item represents an array. */
function placesOf({ properties = {}, items }: Schema, pointer: string): string[] {
  const members = Object.entries(properties).flatMap(([name, member]) => [
    `${pointer}/${name}`,
    ...placesOf(member, `${pointer}/${name}`),
  ]);
  return items ? [...members, `${pointer}/0`, ...placesOf(items, `${pointer}/0`)] : members;
}

function filled(
  example: unknown,
  place: string,
  { fill, maxBytes }: { fill: Filler; maxBytes: number },
): string {
  const shell = JSON.stringify(withMarker(example, place.split("/").slice(1)));
  const room = maxBytes - shell.length - 16;
  return shell.replace(JSON.stringify(marker), () => fill(room));
}

function withMarker(value: unknown, [first, ...rest]: readonly string[]): unknown {
  if (first === undefined) return marker;
  if (Array.isArray(value) || (value === undefined && first === "0"))
    return [withMarker((value as unknown[] | undefined)?.[0], rest)];
  const members = typeof value === "object" && value !== null ? value : {};
  return { ...members, [first]: withMarker((members as Record<string, unknown>)[first], rest) };
}
