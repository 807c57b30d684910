/** How the values that replace placeholders are written as text and as JSON. */
import { isJson, numberText } from "../../infrastructure/json.ts";
import { DeliveryFailure } from "../../infrastructure/outbound/failure.ts";
import type { TypedValue, VariableType } from "../variables/variable.ts";

/** The value that replaces a placeholder. */
export interface Fill {
  /** Of the placeholder. */
  readonly name: string;
  readonly variable: TypedValue;
}

const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** The value as text. Null is the empty text. Throws `value_does_not_fit` if the value is not of its type. */
export function textOf({ name, variable }: Fill): string {
  const { type, value } = variable;
  if (isNull(variable)) return "";
  if (type === "String" && typeof value === "string") return value;
  if (type === "Date" && value instanceof Date) return value.toISOString();
  if (type === "Date" && typeof value === "string") return value;
  return jsonOf({ name, variable });
}

/** The value as JSON. Throws `value_does_not_fit` if the value is not of its type. */
export function jsonOf({ name, variable }: Fill): string {
  const written = isNull(variable) ? "null" : writers[variable.type](variable.value);
  if (written !== undefined) return written;
  throw new DeliveryFailure(
    "value_does_not_fit",
    `The value of \${${name}} does not have its type, ${variable.type}.`,
  );
}

const isNull = ({ type, value }: TypedValue) => type === "Null" || value === null || value === undefined;

/** Undefined if the value is not of the type. Numbers and Json keep their own text, so that no digit is lost. */
const writers: Readonly<Record<VariableType, (value: unknown) => string | undefined>> = {
  String: stringJson,
  Date: (value) => stringJson(value instanceof Date ? value.toISOString() : value),
  Boolean: (value) => (typeof value === "boolean" ? String(value) : undefined),
  Integer: numberJson,
  Long: numberJson,
  Double: numberJson,
  Json: (value) => (typeof value === "string" ? (isJson(value) ? value : undefined) : JSON.stringify(value)),
  Null: () => "null",
  File: stringJson,
};

function stringJson(value: unknown): string | undefined {
  return typeof value === "string" ? JSON.stringify(value) : undefined;
}

function numberJson(value: unknown): string | undefined {
  const text = typeof value === "string" ? value : numberText(value);
  return text !== undefined && jsonNumber.test(text) ? text : undefined;
}
