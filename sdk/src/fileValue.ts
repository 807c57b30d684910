/** The values that mean a file, in the body of a request or in a process variable. */

/** A value that begins with `http://` or `https://` is a URL. Any other value is base64. There is no other rule. */
export const isDownloadUrl = (value: string): boolean =>
  typeof value === "string" && /^https?:\/\//.test(value);

export interface AttachmentVariable {
  readonly kind: "attachment";
  readonly attachmentId: string;
  readonly fileName: string;
  readonly mimeType?: string;
  /** Bytes. */
  readonly size?: number;
}

export interface NotMetadata {
  readonly kind: "not_metadata";
  /** One plain sentence. */
  readonly reason: string;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const not = (reason: string): NotMetadata => ({ kind: "not_metadata", reason });

/**
 * Reads the value of a process variable, as a JSON string or parsed. Attachment metadata is a JSON object with
 * `file_name` and a valid UUID in `attachment_id`, or else in `id`. Never throws.
 */
export function readAttachmentVariable(value: unknown): AttachmentVariable | NotMetadata {
  const object = typeof value === "string" ? parsed(value) : value;
  if (typeof object !== "object" || object === null || Array.isArray(object))
    return not("The value is not a JSON object.");
  const { attachment_id, id, file_name, mime_type, size } = object as Record<string, unknown>;
  const attachmentId = [attachment_id, id].find((key) => typeof key === "string" && uuid.test(key));
  if (typeof file_name !== "string") return not("The object has no file_name.");
  if (typeof attachmentId !== "string") return not("The object has no valid UUID in attachment_id or id.");
  return {
    kind: "attachment",
    attachmentId,
    fileName: file_name,
    ...(typeof mime_type === "string" ? { mimeType: mime_type } : {}),
    ...(typeof size === "number" ? { size } : {}),
  };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/**
 * The URL of a file variable whose `value` comes from tasklist or reports. The download needs a login. A value that
 * starts with `/api/v1/` is absolute from the gateway's root. Any other value is relative to the tasklist's base.
 */
export function resolveFileValue(value: string, gateway: string | URL): URL {
  const root = String(gateway).replace(/\/+$/, "");
  if (value.startsWith("/api/v1/")) return new URL(root + value);
  return new URL(`${root}/api/v1/tasklist/${value.replace(/^\/+/, "")}`);
}
