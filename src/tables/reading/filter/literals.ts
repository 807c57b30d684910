/** Values as OData writes them: 'text', 12.5, true, null, 2026-01-31 and 2026-01-31T08:30:00Z. */
import { parseDecimal } from "../../../infrastructure/decimal.ts";
import { columnTypes } from "../../columnTypes/index.ts";
import type { Reader, Token } from "../reader.ts";
import type { Kind, LiteralNode } from "./expression.ts";
import { takes } from "./kinds.ts";

/** Reads a value. Undefined if the next token is not one. */
export function readLiteral(reader: Reader): LiteralNode | undefined {
  const token = reader.peek();
  const kind = kindOf(token);
  if (!kind) return undefined;
  const value = normal[kind](token.text);
  if (value === undefined) reader.fail(detailed[kind] ?? takes[kind], token);
  reader.next();
  return { node: "literal", kind, value, at: token.at };
}

function kindOf({ type, text }: Token): keyof typeof normal | undefined {
  if (type === "string") return "text";
  if (type === "number" || type === "date" || type === "timestamp") return type;
  if (type !== "word") return undefined;
  if (/^(true|false)$/i.test(text)) return "boolean";
  return /^null$/i.test(text) ? "null" : undefined;
}

const detailed: Partial<Record<Kind, string>> = {
  number: columnTypes.numeric.takes,
  date: columnTypes.date.takes,
  timestamp: columnTypes.timestamp.takes,
};

/** The value as text that PostgreSQL casts to the kind's type. Undefined if there is no such value. */
const normal = {
  text: (text: string) => text,
  number: (text: string) => {
    const number = text.replace(/^\+/, "").replace(/^(-?)0+(?=\d)/, "$1");
    return parseDecimal(number) && columnTypes.numeric.accepts(number) ? number : undefined;
  },
  boolean: (text: string) => text.toLowerCase(),
  null: () => "null",
  date: (text: string) => (columnTypes.date.accepts(text) ? text : undefined),
  timestamp: (text: string) => {
    // OData allows a time without seconds.
    const full = text.replace(/^(.{11}\d{2}:\d{2})(?=[Zz+-])/, "$1:00");
    return columnTypes.timestamp.accepts(full) ? full : undefined;
  },
} as const satisfies Partial<Record<Kind, (text: string) => string | undefined>>;
