/** One GET of a download link, without retry, credentials or redirect. Checks what the headers promise. */
import { fileNameOf } from "./fileName.ts";
import { ReceiveError, type ReceiveErrorCode } from "./receiveError.ts";

export interface DownloadOptions {
  /** Bytes. A larger file is refused as soon as its size is known. */
  readonly maxBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

export interface Download {
  readonly name: string;
  readonly type: string;
  /** SHA-256 in base64, if the server sent it. */
  readonly sha256: string | undefined;
  /** Throws `truncated` or `too_large` during reading. */
  readonly chunks: AsyncIterable<Uint8Array<ArrayBuffer>>;
}

export async function download(url: string, options: DownloadOptions = {}): Promise<Download> {
  const response = await get(url, options);
  const { headers, body } = response;
  // The length of a compressed body is not the length of the file.
  const coded = !["", "identity"].includes(headers.get("content-encoding") ?? "");
  const length = coded ? undefined : lengthOf(headers.get("content-length"));
  const { maxBytes = Number.POSITIVE_INFINITY } = options;
  if ((length ?? 0) > maxBytes) {
    await body?.cancel().catch(() => {});
    throw new ReceiveError("too_large", { status: response.status });
  }
  return {
    name: fileNameOf(headers.get("content-disposition")),
    type: headers.get("content-type") ?? "application/octet-stream",
    sha256: /(?:^|,)\s*sha-256=:([A-Za-z0-9+/=]+):/i.exec(headers.get("repr-digest") ?? "")?.[1],
    chunks: bounded(body, { length, maxBytes, signal: options.signal }),
  };
}

async function get(url: string, { fetch: send = fetch, signal }: DownloadOptions): Promise<Response> {
  if (!URL.canParse(url) || new URL(url).username !== "" || new URL(url).password !== "")
    throw new ReceiveError("bad_url");
  const init: RequestInit = {
    method: "GET",
    // Browsers ignore this header and send their own.
    headers: { "Accept-Encoding": "identity" },
    redirect: "manual",
    credentials: "omit",
    cache: "no-store",
    referrerPolicy: "no-referrer",
    ...(signal ? { signal } : {}),
  };
  const response = await send(url, init).catch((cause: unknown) => {
    signal?.throwIfAborted();
    throw new ReceiveError("unreachable", { cause });
  });
  if (response.status === 200) return response;
  await response.body?.cancel().catch(() => {});
  throw new ReceiveError(refusalOf(response), { status: response.status });
}

function refusalOf({ status, type }: Response): ReceiveErrorCode {
  if (type === "opaqueredirect" || (status >= 300 && status < 400)) return "redirected";
  if (status === 401) return "used_or_expired";
  if (status === 404) return "not_found";
  return status === 501 ? "not_configured" : "refused";
}

const lengthOf = (header: string | null) =>
  header !== null && /^\d+$/.test(header) ? Number(header) : undefined;

interface Bounds {
  readonly length: number | undefined;
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
}

/** Throws `too_large` above `maxBytes`, and `truncated` if the body ends before `length`. */
async function* bounded(body: Response["body"], { length, maxBytes, signal }: Bounds) {
  let received = 0;
  for await (const chunk of read(body, signal)) {
    received += chunk.byteLength;
    if (received > maxBytes) throw new ReceiveError("too_large");
    yield chunk;
  }
  if (length !== undefined && received !== length) throw new ReceiveError("truncated");
}

/** Uses a reader, because not every browser can iterate over streams. */
async function* read(body: Response["body"], signal: AbortSignal | undefined) {
  const reader = body?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        signal?.throwIfAborted();
        throw new ReceiveError("truncated", { cause });
      });
      if (done) return;
      yield value as Uint8Array<ArrayBuffer>;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
