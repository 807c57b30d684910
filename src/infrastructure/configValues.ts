/** Reads single values from the environment. A wrong one throws a `ConfigError` with one line for the operator. */
import { parseByteSize, type SizeRule } from "./byteSize.ts";

export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** `""` if the variable is set to an empty text. Then a self-contained instance does not generate a value. */
export const emptyIfOff = (environment: Environment, name: string) =>
  environment[name] === "" ? "" : undefined;

export const refusal = (name: string, got: string, expected: string) =>
  new ConfigError(`${name} is ${JSON.stringify(got)}; it must be ${expected}`);

export type NumberRule = { readonly least: number; readonly most: number; readonly otherwise: number };

export const wholeOf = (env: Environment, name: string, rule: NumberRule) =>
  numberOf(env, name, { ...rule, whole: true });

export function numberOf(
  env: Environment,
  name: string,
  rule: NumberRule & { readonly whole?: boolean },
): number {
  const text = env[name];
  if (text === undefined) return rule.otherwise;
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= rule.least && value <= rule.most && (!rule.whole || Number.isInteger(value))) return value;
  throw refusal(name, text, `a ${rule.whole ? "whole " : ""}number from ${rule.least} to ${rule.most}`);
}

export function sizeOf(env: Environment, name: string, rule: SizeRule): number | undefined {
  const text = env[name];
  if (text === undefined) return undefined;
  const bytes = parseByteSize(text, rule);
  if (bytes === undefined) throw refusal(name, text, rule.expected);
  return bytes;
}

export const isOn = (env: Environment, name: string) =>
  oneOf(env, name, { values: ["on", "off"], otherwise: "on" }) === "on";

export function listOf(env: Environment, name: string): string[] {
  return (env[name] ?? "")
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

export function oneOf<T extends string>(
  env: Environment,
  name: string,
  { values, otherwise }: { values: readonly T[]; otherwise: T },
): T {
  const text = env[name];
  if (text === undefined) return otherwise;
  const found = values.find((value) => value === text);
  if (found === undefined) throw refusal(name, text, `one of ${values.join(", ")}`);
  return found;
}
