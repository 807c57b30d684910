/** Variables of a request → variables to store, or all their faults. */
import type { Logger } from "pino";
import type { Variable, Variables } from "../../generated/schemas.ts";
import { numberText, pointerToken } from "../../infrastructure/json.ts";
import { type Fault, Problem } from "../../infrastructure/problem.ts";
import { textOfType } from "./types.ts";
import {
  type StoredVariable,
  secretPrefix,
  type TypedValue,
  type TypedValues,
  type VariableType,
} from "./variable.ts";

/** Characters of a String. The column of engines of the Camunda 7 family has room for so many. */
const usualStringLength = 4_000;
/** Variables of one request, and of one instance. */
export const maxVariables = 1_000;
/** Characters of a name in the pointer of a fault. */
const longestPointer = 300;

export interface ParseOptions {
  /** The faults that the schema found. They are reported together with those found here. */
  readonly faults?: readonly Fault[];
  readonly log?: Logger;
}

/**
 * The `variables` of a body. The body may violate its schema in the places that `faults` names. Throws `invalid_body`
 * and `invalid_variable`. A String that other engines would refuse is accepted, and its name is logged.
 */
export function parseVariables(
  body: unknown,
  { faults: known = [], log }: ParseOptions = {},
): ReadonlyMap<string, StoredVariable> {
  refuseTooMany(body, known);
  const faults: Fault[] = [];
  const parsed = new Map<string, StoredVariable>();
  for (const [name, variable] of Object.entries(wellShaped(body, known))) {
    const pointer = `/variables/${pointerToken(name.slice(0, longestPointer))}`;
    const nameFault = faultOfName(name);
    if (nameFault) faults.push({ pointer, detail: nameFault });
    const read = parseVariable(variable);
    if (typeof read === "string") faults.push({ pointer: `${pointer}/value`, detail: read });
    else parsed.set(name, read);
    if (typeof variable.value === "string" && typeof read === "object" && read.type === "String")
      warnIfLong(name, variable.value, log);
  }
  const errors = [...known, ...faults];
  if (errors.length > 0)
    throw new Problem(known.length > 0 ? "invalid_body" : "invalid_variable", { errors });
  return parsed;
}

/** Counts before the variables are checked: checking 29 MiB of them took twelve seconds. */
function refuseTooMany(body: unknown, known: readonly Fault[]): void {
  const count = Object.keys(variablesIn(body)).length;
  if (count <= maxVariables) return;
  const detail = `A request has at most ${maxVariables} variables. This one has ${count}.`;
  const isKnown = known.some(({ pointer }) => pointer === "/variables");
  const errors = isKnown ? known : [...known, { pointer: "/variables", detail }];
  throw new Problem(known.length > 0 ? "invalid_body" : "invalid_variable", { errors });
}

function variablesIn(body: unknown): object {
  const input = (body as { readonly variables?: unknown } | null)?.variables;
  return typeof input !== "object" || input === null || Array.isArray(input) ? {} : input;
}

/** The variables without a fault of the schema. */
function wellShaped(body: unknown, faults: readonly Fault[]): Variables {
  const input = variablesIn(body);
  const faulty = new Set(faults.map(({ pointer }) => pointer.split("/", 3).join("/")));
  const isWell = ([name]: [string, unknown]) => !faulty.has(`/variables/${pointerToken(name)}`);
  return Object.fromEntries(Object.entries(input).filter(isWell));
}

function warnIfLong(variable: string, { length }: string, log: Logger | undefined): void {
  if (length > usualStringLength)
    log?.warn({ variable, length }, "String variable is longer than engines of the Camunda 7 family accept");
}

export function faultOfName(name: string): string | undefined {
  if (name === "") return "The name of a variable cannot be empty.";
  if (name.length > 255) return "The name of a variable has at most 255 characters.";
  if (name.startsWith(secretPrefix))
    return `The name of a variable cannot begin with "${secretPrefix}", which is for secrets.`;
  return /\p{Cc}/u.test(name) ? "The name of a variable cannot contain control characters." : undefined;
}

/** The variable, or the reason why it is not valid. */
function parseVariable({ value, type, valueInfo }: Variable): StoredVariable | string {
  const given = type ?? typeOf(value);
  if (given === "File") return parseFile(value, valueInfo);
  // An empty one is accepted: reads show it with every value that is not a File.
  if (Object.keys(valueInfo ?? {}).length > 0) return "Only a variable of type File has a valueInfo.";
  const text = value === null ? "null" : textOfType(given, value);
  if (text === undefined) return `The value does not have the type ${given}: ${meanings[given]}.`;
  return { type: given, value: text };
}

const meanings: Readonly<Record<Exclude<VariableType, "File">, string>> = {
  String: "text",
  Integer: "a whole number of 32 bits",
  Long: "a whole number of 64 bits",
  Double: "a number",
  Boolean: "true or false",
  Date: "a moment with its offset, such as 2026-01-23T14:30:00Z or 2026-01-23T14:30:00.000+0200",
  Json: "JSON, or its text",
  Null: "null",
};

function typeOf(value: unknown): VariableType {
  if (value === null) return "Null";
  if (typeof value === "string") return "String";
  if (typeof value === "boolean") return "Boolean";
  const number = numberText(value);
  if (number === undefined) return "Json";
  return (["Integer", "Long"] as const).find((type) => textOfType(type, value) !== undefined) ?? "Double";
}

function parseFile(value: unknown, valueInfo: Variable["valueInfo"]): StoredVariable | string {
  const { filename: name, mimetype, mimeType = mimetype ?? "application/octet-stream" } = valueInfo ?? {};
  if (name === undefined) return "A File has a valueInfo with its filename.";
  const content = value === null ? new Uint8Array() : decodeBase64(value);
  if (content === undefined) return "The content of a File is base64.";
  return { type: "File", value: "null", file: { name, mimeType, size: content.byteLength, content } };
}

/** Decodes standard base64 with padding. Refuses white space, which the decoder would skip. */
function decodeBase64(value: unknown): Uint8Array | undefined {
  if (typeof value !== "string" || /\s/.test(value)) return undefined;
  try {
    return Uint8Array.fromBase64(value, { lastChunkHandling: "strict" });
  } catch {
    return undefined;
  }
}

/** The variables that an integration returned, as they are stored. */
export function storedVariables(variables: TypedValues): ReadonlyMap<string, StoredVariable> {
  const stored = ([name, { type, value }]: [string, TypedValue]) => {
    const text = value === null ? "null" : textOfType(type, value);
    if (text === undefined) throw new TypeError(`the value of "${name}" does not have its type, ${type}`);
    return [name, { type, value: text }] as const;
  };
  return new Map(Object.entries(variables).map(stored));
}

/** The variables of a request as service tasks take them, without a detour through the database. */
export function sampleValues(variables: ReadonlyMap<string, StoredVariable>): TypedValues {
  const typed = ([name, { type, value, file }]: [string, StoredVariable]): [string, TypedValue] => {
    if (file) return [name, { type, value: file.content.toBase64() }];
    // The text keeps digits that a number would lose.
    const isNumber = type === "Integer" || type === "Long" || type === "Double";
    return [name, { type, value: isNumber && value !== "null" ? value : JSON.parse(value) }];
  };
  return Object.fromEntries([...variables].map(typed));
}
