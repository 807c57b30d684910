/** Variables as the engine's REST interface takes and gives them, without a change of their digits. */
import Type from "typebox";
import { numberText } from "../../../infrastructure/json.ts";
import type { ShownVariable, StoredVariable, VariableType } from "../../variables/variable.ts";
import { nullable, text, textOrNull } from "./answerShape.ts";
import { engineTime, parseEngineTime } from "./engineTime.ts";

/** A variable of a request. */
export interface EngineVariable {
  readonly type: string;
  readonly value: unknown;
  readonly valueInfo?: Readonly<Record<string, unknown>>;
}

/** A variable of an answer, read with `deserializeValues=false`. */
export const engineValue = {
  type: text,
  value: Type.Unknown(),
  valueInfo: Type.Optional(
    nullable(
      Type.Object({
        filename: Type.Optional(textOrNull),
        mimeType: Type.Optional(textOrNull),
        serializationDataFormat: Type.Optional(textOrNull),
      }),
    ),
  ),
};
export type EngineValue = Readonly<Type.Static<Type.TObject<typeof engineValue>>>;

/** Characters. The engine's column for texts has no room for more, and answers 500. */
const longestString = 4_000;

type Stored = ReadonlyMap<string, StoredVariable>;

/**
 * The variables of a request. A String of more than 4,000 characters becomes Json, which has room for it, and
 * `fromEngine` reads it as a String again.
 */
export const toEngine = (variables: Stored): Record<string, EngineVariable> =>
  Object.fromEntries([...variables].map(([name, variable]) => [name, variableTo(variable)]));

function variableTo({ type, value, file }: StoredVariable): EngineVariable {
  if (file) {
    const valueInfo = { filename: file.name, mimeType: file.mimeType };
    return { type: "File", value: Buffer.from(file.content).toString("base64"), valueInfo };
  }
  if (value === "null" || type === "Null") return { type, value: null };
  if (/^-?\d/.test(value)) return { type, value: JSON.rawJSON(value) };
  const parsed: unknown = JSON.parse(value);
  if (type === "Date") return { type, value: engineTime(parseEngineTime(String(parsed))) };
  if (type === "String" && String(parsed).length > longestString) return { type: "Json", value };
  return { type, value: parsed };
}

/** The engine's time in the form of RFC 3339. */
export const utcText = (time: string): string => parseEngineTime(time).toISOString();

/** Types of the engine that have another name here. */
const otherNames: Readonly<Record<string, VariableType>> = {
  Short: "Integer",
  Xml: "String",
  Object: "String",
  Bytes: "File",
};
const sameNames: readonly string[] = [
  "String",
  "Integer",
  "Long",
  "Double",
  "Boolean",
  "Date",
  "Json",
  "Null",
  "File",
] satisfies VariableType[];

/**
 * A variable of an answer. Bytes are a File. An Object that is kept as JSON is Json. Another Object, and a type that
 * Waybill does not know, is the text that the engine keeps. The size of a File is not in the answer: pass it.
 */
export function fromEngine(name: string, variable: EngineValue, size = 0): ShownVariable {
  const type = typeOf(variable);
  const { value, valueInfo } = variable;
  if (type === "File") {
    const { filename, mimeType } = valueInfo ?? {};
    return {
      type,
      value: "null",
      file: { name: filename ?? name, mimeType: mimeType ?? "application/octet-stream", size },
    };
  }
  if (value === null || value === undefined) return { type, value: "null" };
  if (type === "Json" && longTextIn(value) !== undefined) return { type: "String", value: String(value) };
  return { type, value: numberText(value) ?? JSON.stringify(value) };
}

export const isFile = ({ type }: EngineValue) => type === "File" || type === "Bytes";

function typeOf({ type, valueInfo }: EngineValue): VariableType {
  if (type === "Object" && valueInfo?.serializationDataFormat?.startsWith("application/json")) return "Json";
  return sameNames.includes(type) ? (type as VariableType) : (otherNames[type] ?? "String");
}

/**
 * The text that was too long for a String, and so was stored as Json. The engine takes a Json that is no JSON: that is
 * no such text.
 */
export function longTextIn(json: unknown): string | undefined {
  if (typeof json !== "string" || json.length <= longestString || !json.startsWith('"')) return undefined;
  try {
    const text: unknown = JSON.parse(json);
    return typeof text === "string" && text.length > longestString ? text : undefined;
  } catch {
    return undefined;
  }
}
