/** Values between the engine's REST interface and Waybill, without a change of their digits. */
import Type from "typebox";
import { numberText } from "../../../infrastructure/json.ts";
import type {
  ShownVariable,
  StoredVariable,
  TypedValue,
  TypedValues,
  VariableType,
} from "../../variables/variable.ts";
import { nullable, text, textOrNull } from "./answerShape.ts";
import { engineTime, isEngineTime, parseEngineTime } from "./engineTime.ts";

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

/** Stored variables as a request has them. A file has its content. */
export const toEngine = (variables: ReadonlyMap<string, StoredVariable>): Record<string, EngineVariable> =>
  Object.fromEntries([...variables].map(([name, variable]) => [name, storedTo(variable)]));

function storedTo({ type, value, file }: StoredVariable): EngineVariable {
  if (file) {
    const valueInfo = { filename: file.name, mimeType: file.mimeType };
    return { type: "File", value: Buffer.from(file.content).toString("base64"), valueInfo };
  }
  return typedTo({ type, value: /^-?\d/.test(value) ? JSON.rawJSON(value) : JSON.parse(value) });
}

/** Values of service tasks as a request has them. */
export const engineValues = (variables: TypedValues): Record<string, TypedValue> =>
  Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, typedTo(value)]));

/** A text that does not fit into a String of the engine becomes Json, which has room for it. */
function typedTo({ type, value }: TypedValue): TypedValue {
  if (type === "Null") return { type, value: null };
  if (typeof value !== "string") return { type, value };
  if (type === "Date" && isEngineTime(value)) return { type, value: engineTime(parseEngineTime(value)) };
  const fits = type !== "String" || (value.length <= longestString && !value.includes("\0"));
  return fits ? { type, value } : { type: "Json", value: JSON.stringify(value) };
}

/** The engine's time in the form of RFC 3339. */
export const utcText = (time: string): string => parseEngineTime(time).toISOString();

/** Types of the engine that have another name here. */
const otherNames: Readonly<Record<string, VariableType>> = { Short: "Integer", Xml: "String", Bytes: "File" };
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

/** An Object that is kept as JSON is Json. Undefined for a type that Waybill does not have. */
function typeOf({ type, valueInfo }: EngineValue): VariableType | undefined {
  if (type === "Object" && valueInfo?.serializationDataFormat?.startsWith("application/json")) return "Json";
  return sameNames.includes(type) ? (type as VariableType) : otherNames[type];
}

export const isFile = (variable: EngineValue) => typeOf(variable) === "File";

/** Undefined for a type that Waybill does not have, such as a serialized Java object. A file has no content here. */
export function typedValueOf(variable: EngineValue): TypedValue | undefined {
  const type = typeOf(variable);
  if (type === undefined || type === "File") return type && { type, value: null };
  const { value } = variable;
  const text = type === "Json" ? longTextIn(value) : undefined;
  return text === undefined ? { type, value } : { type: "String", value: text };
}

/**
 * A variable of an answer, as it is shown. One of a type that Waybill does not have is the text that the engine keeps.
 * The size of a File is not in the answer: pass it.
 */
export function fromEngine(name: string, variable: EngineValue, size = 0): ShownVariable {
  const { type, value } = typedValueOf(variable) ?? ({ type: "String", value: variable.value } as const);
  if (type === "File") {
    const { filename, mimeType } = variable.valueInfo ?? {};
    const file = { name: filename ?? name, mimeType: mimeType ?? "application/octet-stream", size };
    return { type, value: "null", file };
  }
  if (value === null || value === undefined) return { type, value: "null" };
  return { type, value: numberText(value) ?? JSON.stringify(value) };
}

/**
 * The text that was too long for a String, and so was stored as Json. The engine takes a Json that is no JSON: that is
 * no such text.
 */
function longTextIn(json: unknown): string | undefined {
  if (typeof json !== "string" || json.length <= longestString || !json.startsWith('"')) return undefined;
  try {
    const text: unknown = JSON.parse(json);
    return typeof text === "string" && text.length > longestString ? text : undefined;
  } catch {
    return undefined;
  }
}
