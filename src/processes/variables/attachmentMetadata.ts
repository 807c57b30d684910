/** Recognises the metadata of an attachment in a process variable's value (reference 2). */
import { isUuid } from "../../infrastructure/uuid.ts";

/**
 * The attachment's id, lower case, or undefined where the value is not attachment metadata: a JSON object, or its
 * text, with `file_name` and a valid UUID under `attachment_id` or else `id`. No other member counts, `type` neither.
 */
export function attachmentIdOf(value: unknown): string | undefined {
  const metadata = objectOf(value);
  if (typeof metadata?.file_name !== "string") return undefined;
  const { attachment_id, id } = metadata;
  return [attachment_id, id].find((key) => typeof key === "string" && isUuid(key))?.toLowerCase();
}

interface Metadata {
  readonly file_name?: unknown;
  readonly attachment_id?: string;
  readonly id?: string;
}

function objectOf(value: unknown): Metadata | undefined {
  const parsed = typeof value === "string" ? parsedObject(value) : value;
  return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed) ? parsed : undefined;
}

/** Only an object that could have the member is parsed: a variable may have 25 MB. A key can be written in escapes. */
function parsedObject(text: string): unknown {
  if (!/^\s*\{/.test(text) || !/file_name|\\u/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
