/**
 * Converts the strings of path and query to the types of the contract, before they are checked.
 *
 * Only the canonical spelling is converted: `7`, not `7.0`, ` 7` or `0x7`; `true`, not `1`. Anything else stays a
 * string and fails the check. A parameter that appears twice is refused, because it is not clear which one was meant.
 */
import type Type from "typebox";
import { type Fault, Problem } from "../infrastructure/problem.ts";

type Properties = Readonly<Record<string, { readonly type?: string }>>;

/** The values by name, converted to the types of the schema's properties. */
export function convert(
  values: Readonly<Record<string, string>>,
  schema: Type.TObject,
): Record<string, unknown> {
  const properties = schema.properties as Properties;
  return Object.fromEntries(
    Object.entries(values).map(([name, text]) => [
      name,
      convertOne(text, Object.hasOwn(properties, name) ? properties[name]?.type : "string"),
    ]),
  );
}

function convertOne(text: string, type: string | undefined): unknown {
  if (type === "integer" && /^(0|-?[1-9]\d{0,15})$/.test(text)) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

/**
 * Returns the path's decoded parameters. Throws `invalid_parameter` for broken percent-encoding, which cannot be
 * decoded, and for U+0000, which no name contains and the database does not accept.
 */
export function readPath(values: Readonly<Record<string, string | null>> = {}): Record<string, string> {
  const errors = Object.entries(values).flatMap(([name, text]): Fault[] => {
    const pointer = `/path/${name}`;
    if (typeof text !== "string") return [{ pointer, detail: "It is not properly percent-encoded." }];
    return text.includes("\0") ? [{ pointer, detail: "It contains U+0000." }] : [];
  });
  if (errors.length > 0) throw new Problem("invalid_parameter", { errors });
  return values as Record<string, string>;
}

/** Returns the query's parameters. Throws `invalid_parameter` for broken percent-encoding and for repeated names. */
export function readQuery(url: string): Record<string, string> {
  const start = url.indexOf("?");
  if (start === -1) return {};
  const query = url.slice(start + 1).split("#", 1)[0] ?? "";
  const values = new Map<string, string>();
  const faults: Fault[] = [];
  for (const part of query.split("&")) {
    if (part === "") continue;
    const [name, value] = split(part);
    if (values.has(name)) faults.push({ pointer: `/query/${name}`, detail: "It appears twice." });
    values.set(name, value);
  }
  if (faults.length > 0) throw new Problem("invalid_parameter", { errors: faults });
  return Object.fromEntries(values);
}

function split(part: string): [name: string, value: string] {
  const at = part.indexOf("=");
  return at === -1 ? [decode(part), ""] : [decode(part.slice(0, at)), decode(part.slice(at + 1))];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch (cause) {
    throw new Problem("invalid_parameter", { message: "The query is not properly percent-encoded.", cause });
  }
}
