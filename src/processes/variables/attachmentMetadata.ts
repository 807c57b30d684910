/** Recognises the metadata of an attachment in the value of a process variable. */
import { isUuid } from "../../infrastructure/uuid.ts";

/**
 * The attachment's id in lower case, or undefined if the value is not the metadata of an attachment. Metadata is a JSON
 * object, or its text, with a `file_name` and a valid UUID in `attachment_id`, or else in `id`. Other members, such as
 * `type`, do not count.
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

/** Parses only what may be an object with the member: a variable may have 25 MB. A key can contain escapes. */
function parsedObject(text: string): unknown {
  if (!/^\s*\{/.test(text) || !/file_name|\\u/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
