/** Values between the engine's REST interface and Waybill. */
import type { TypedValue, TypedValues, VariableType } from "../../../variables/variable.ts";
import { type EngineValue, longTextIn } from "../engineVariables.ts";

const sameTypes: ReadonlySet<string> = new Set([
  "String",
  "Integer",
  "Long",
  "Double",
  "Boolean",
  "Date",
  "Json",
  "Null",
  "File",
] satisfies VariableType[]);

/** Undefined for a type that Waybill does not have, such as a serialized Java object. A file has no content here. */
export function typedValueOf({ type, value, valueInfo }: EngineValue): TypedValue | undefined {
  if (type === "File" || type === "Bytes") return { type: "File", value: null };
  const text = type === "Json" ? longTextIn(value) : undefined;
  if (text !== undefined) return { type: "String", value: text };
  if (type === "Short") return { type: "Integer", value };
  if (type === "Xml") return { type: "String", value };
  if (type === "Object" && valueInfo?.serializationDataFormat?.startsWith("application/json"))
    return { type: "Json", value };
  return sameTypes.has(type) ? { type: type as VariableType, value } : undefined;
}

/** Characters of a String that the engine's database can store. */
const longestString = 4_000;

/** Values as the engine takes them. */
export const engineValues = (variables: TypedValues): Record<string, TypedValue> =>
  Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, engineValue(value)]));

/** A text that does not fit into a String of the engine becomes a Json, which may be longer. */
function engineValue({ type, value }: TypedValue): TypedValue {
  if (type !== "String" || typeof value !== "string") return { type, value };
  const fits = value.length <= longestString && !value.includes("\0");
  return fits ? { type, value } : { type: "Json", value: JSON.stringify(value) };
}
