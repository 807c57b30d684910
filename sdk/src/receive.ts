/** For receivers: turns a value from a request's body into a file, or throws a typed error. */
import { type DownloadOptions, download } from "./download.ts";
import { isDownloadUrl } from "./fileValue.ts";
import { ReceiveError } from "./receiveError.ts";

export interface ReceiveOptions extends DownloadOptions {
  /** The file's name if the value is base64, which contains no name. */
  readonly fileName?: string | undefined;
}

/**
 * Returns a web `File` from a download URL or base64; `isDownloadUrl` has the rule. Holds the whole file in memory,
 * while `receiveFileTo` of `@waybill/sdk/disk` streams. Fetches a URL immediately and only once, and compares length
 * and SHA-256 with what the server promised.
 *
 * Throws `ReceiveError`:
 * - for the value: `no_file` (an optional file that was left empty), `not_base64`, `bad_url`
 * - for the GET: `used_or_expired`, `not_found`, `not_configured`, `refused`, `redirected`, `unreachable`
 * - for the bytes: `truncated`, `digest_mismatch`, `too_large`
 *
 * An abort throws the signal's reason.
 */
export async function receiveFile(value: string, options: ReceiveOptions = {}): Promise<File> {
  if (!isDownloadUrl(value)) return new File([decodeBase64(value, options)], options.fileName ?? "file");
  const { name, type, sha256, chunks } = await download(value, options);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  const file = new File(parts, name, { type });
  if (sha256 !== undefined && sha256 !== (await digestOf(file))) throw new ReceiveError("digest_mismatch");
  return file;
}

async function digestOf(file: File): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", await file.arrayBuffer());
  return btoa(String.fromCharCode(...new Uint8Array(digest)));
}

/**
 * Throws `no_file` for an empty or blank value: forms accept no files of zero bytes, which would look the same. Throws
 * `too_large` before decoding, and `not_base64` for everything that is not standard base64.
 */
export function decodeBase64(
  value: unknown,
  { maxBytes = Number.POSITIVE_INFINITY }: DownloadOptions,
): Uint8Array<ArrayBuffer> {
  if (value === undefined || value === null) throw new ReceiveError("no_file");
  if (typeof value !== "string") throw new ReceiveError("not_base64");
  const base64 = value.replaceAll(/\s/g, "");
  if (base64 === "") throw new ReceiveError("no_file");
  if (Math.floor((base64.replace(/=+$/, "").length * 3) / 4) > maxBytes) throw new ReceiveError("too_large");
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch (cause) {
    throw new ReceiveError("not_base64", { cause });
  }
}
