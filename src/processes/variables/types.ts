/** Writes the values of Camunda 7's types as JSON text. */
import { daysInMonth } from "../../infrastructure/calendar.ts";
import { integerOf, parseDecimal } from "../../infrastructure/decimal.ts";
import { isJson, numberText } from "../../infrastructure/json.ts";
import type { VariableType } from "./variable.ts";

/** The value as JSON text with all its digits. Undefined if the value does not have the type. */
export const textOfType = (type: VariableType, value: unknown) => writers[type](value);

const writers: Readonly<Record<VariableType, (value: unknown) => string | undefined>> = {
  String: (value) => (typeof value === "string" ? JSON.stringify(value) : undefined),
  Boolean: (value) => (typeof value === "boolean" ? String(value) : undefined),
  Integer: (value) => whole(value, 32),
  Long: (value) => whole(value, 64),
  Double: double,
  Date: date,
  Json: json,
  Null: () => undefined,
  File: () => undefined,
};

/** A number or its text. `1.0` and `1e3` are whole. */
function whole(value: unknown, bits: number): string | undefined {
  const text = typeof value === "string" ? value : numberText(value);
  const number = text === undefined ? undefined : integerOf(text);
  return number !== undefined && BigInt.asIntN(bits, number) === number ? String(number) : undefined;
}

function double(value: unknown): string | undefined {
  const text = typeof value === "string" ? value : numberText(value);
  if (text === undefined || !parseDecimal(text)) return undefined;
  return Number.isFinite(Number(text)) ? text : undefined;
}

/** In the form of RFC 3339, or of Camunda 7: 2026-01-23T14:30:00.000+0200. The text is not changed. */
function date(value: unknown): string | undefined {
  const shape = /^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:?\d{2})$/;
  if (typeof value !== "string" || !shape.test(value)) return undefined;
  const standard = value.replace(/([+-]\d{2})(\d{2})$/, "$1:$2");
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})/.exec(value) ?? [];
  const exists = Number(day) >= 1 && Number(day) <= daysInMonth(Number(year), Number(month));
  return exists && !Number.isNaN(Date.parse(standard)) ? JSON.stringify(value) : undefined;
}

/** A text has to be JSON. Any other value is written as JSON. Stored as the text that engines show. */
function json(value: unknown): string | undefined {
  // Another value was parsed from a body, so it is valid. Only a text has to be checked.
  if (typeof value !== "string")
    return value === undefined ? undefined : JSON.stringify(JSON.stringify(value));
  return isJson(value) ? JSON.stringify(value) : undefined;
}
