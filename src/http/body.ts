/** A request's JSON body: read within bounds of size and time, decoded strictly, parsed without loss. */
import { parseJson } from "../json.ts";
import { Problem } from "../problem.ts";

export interface BodyLimits {
  readonly maxBytes: number;
  /** From the first look at the body to its last byte. */
  readonly timeoutMs: number;
}

/**
 * The parsed body. Throws `unsupported_media_type`, `payload_too_large` (as soon as it is known, not after all has
 * arrived), `request_timeout`, and `invalid_json`, also for bytes that are not UTF-8.
 */
export async function readJsonBody(request: Request, limits: BodyLimits): Promise<unknown> {
  requireJson(request.headers.get("content-type"));
  const encoding = request.headers.get("content-encoding");
  if (encoding !== null && encoding !== "identity")
    throw new Problem("unsupported_media_type", { message: "The body must not be compressed." });
  return parseJson(decode(await readBytes(request, limits)));
}

function requireJson(contentType: string | null): void {
  const [type = "", ...parameters] = (contentType ?? "").toLowerCase().split(";");
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith("charset="));
  if (type.trim() === "application/json" && /^(charset="?utf-?8"?)?$/.test(charset ?? "")) return;
  throw new Problem("unsupported_media_type", { message: "The body must be application/json in UTF-8." });
}

async function readBytes(request: Request, { maxBytes, timeoutMs }: BodyLimits): Promise<Uint8Array> {
  const announced = request.headers.get("content-length");
  if (Number(announced ?? 0) > maxBytes) throw tooLarge(maxBytes);
  // An announced body is read in one piece: the server holds it to its length, and a stream's reader would set
  // 256 KiB aside for it, however small it is.
  const reader = announced === null ? request.body?.getReader() : undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Problem("request_timeout")), timeoutMs);
  });
  try {
    return await Promise.race([reader ? collect(reader, maxBytes) : request.bytes(), deadline]);
  } catch (error) {
    reader?.cancel().catch(() => {});
    throw error instanceof Problem ? error : new Problem("bad_request", { message: brokenOff, cause: error });
  } finally {
    clearTimeout(timer);
  }
}

async function collect(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size);
    size += value.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(value);
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new Problem("invalid_json", { message: "The body is not valid UTF-8.", cause });
  }
}

const brokenOff = "The body broke off before its end.";

const tooLarge = (maxBytes: number) =>
  new Problem("payload_too_large", {
    message: `The body is larger than ${maxBytes} bytes, the most that this operation takes.`,
  });
