/** Variables in the forms that clients of an engine, tasklist and reports, and the conditions of a model need. */
import type { EngineVariables, ReadVariables } from "../../generated/schemas.ts";
import { attachmentIdIn } from "./attachments.ts";
import type { ShownVariable, ShownVariables } from "./variable.ts";

/** As the REST interface of Camunda 7: Json as its text, a File without its bytes, a number with all its digits. */
export function engineView(variables: ShownVariables): EngineVariables {
  const view = ([name, { type, value, file }]: [string, ShownVariable]) => {
    const valueInfo = file ? { filename: file.name, mimeType: file.mimeType } : {};
    return [name, { type, value: exact(value), valueInfo }] as const;
  };
  return Object.fromEntries([...variables].map(view));
}

export interface InstanceRef {
  readonly processKey: string;
  readonly processInstanceId: string;
}

/** As tasklist and reports: the value of a file is the path of its download. */
export function readView(variables: ShownVariables, instance: InstanceRef): ReadVariables {
  const view = ([name, variable]: [string, ShownVariable]) =>
    [name, readOne(name, variable, instance)] as const;
  return Object.fromEntries([...variables].map(view));
}

function readOne(name: string, variable: ShownVariable, instance: InstanceRef): ReadVariables[string] {
  const { type, value, file } = variable;
  if (file) {
    const path = [instance.processKey, "download", instance.processInstanceId, name].map(encodeURIComponent);
    return { type, value: `/${path.join("/")}`, filename: file.name, size: file.size };
  }
  const id = attachmentIdIn(variable);
  return id === undefined
    ? { type, value: exact(value) }
    : attachment(type, id, JSON.parse(JSON.parse(value)));
}

/** The members of the metadata that are there and valid. */
function attachment(type: string, id: string, metadata: Record<string, unknown>): ReadVariables[string] {
  const { file_name, size, mime_type } = metadata;
  return {
    type,
    value: `/api/v1/probis/form-attachments/${id}/download`,
    filename: String(file_name),
    ...(Number.isSafeInteger(size) ? { size: size as number } : {}),
    ...(typeof mime_type === "string" ? { mime_type } : {}),
  };
}

/** A number keeps the digits of its stored text, also those that a double would lose. */
const exact = (value: string): unknown => (/^-?\d/.test(value) ? JSON.rawJSON(value) : JSON.parse(value));

/**
 * Plain values for conditions. Json is parsed, whole numbers beyond 2^53 are bigints, and a Date is a moment. An
 * attachment is the text of its metadata, and a File is null.
 */
export function plainValues(variables: ShownVariables): Record<string, unknown> {
  const plain = ([name, { type, value }]: [string, ShownVariable]) => {
    const parsed = JSON.parse(value) as unknown;
    if (type === "Json" && typeof parsed === "string") return [name, JSON.parse(parsed)];
    if (type === "Date" && typeof parsed === "string") return [name, momentOf(parsed)];
    const beyond = type === "Long" && typeof parsed === "number" && !Number.isSafeInteger(parsed);
    return [name, beyond ? BigInt(value) : parsed];
  };
  return Object.fromEntries([...variables].map(plain));
}

/** The offset may be `+0200`, as engines of the Camunda 7 family write it. Digits beyond milliseconds are cut. */
const momentOf = (text: string) => new Date(text.replace(/([+-]\d{2})(\d{2})$/, "$1:$2"));
