/** An answer's body as text: JSON in which the parts that the database wrote stand as they are. */
import type { JsonText } from "../infrastructure/jsonText.ts";

export function writeJson(value: unknown): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return JSON.stringify(value);
  if (isJsonText(value)) return value.jsonText;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeJson(member)}`).join(",")}}`;
}

const isJsonText = (value: object): value is JsonText<unknown> =>
  "jsonText" in value && typeof value.jsonText === "string";
