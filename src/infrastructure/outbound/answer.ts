/** The answer of an external system. */
import type { IncomingMessage } from "node:http";
import { DeliveryFailure } from "./failure.ts";

export interface OutboundAnswer {
  /** Never a redirect. */
  readonly status: number;
  /** Names are in lower case. The values of several headers with one name are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded by the charset of `content-type`, or as UTF-8. */
  readonly body: string;
  /** Whether the body was too long and only its beginning was kept. */
  readonly truncated: boolean;
}

/** The body for a result variable. Throws `response_too_large` if only its beginning was kept. */
export function wholeBodyOf({ body, truncated }: OutboundAnswer): string {
  if (!truncated) return body;
  throw new DeliveryFailure(
    "response_too_large",
    "The integration took the request, but its answer is too large for a result variable. " +
      "A rerun sends the request again.",
    { requestSent: "yes" },
  );
}

/**
 * Throws `redirected` for a redirect. Redirects are not followed, and treating one as a success would lose the file.
 */
export async function readAnswer(
  message: IncomingMessage,
  { url, maxBytes }: { readonly url: URL; readonly maxBytes: number },
): Promise<OutboundAnswer> {
  const status = message.statusCode ?? 0;
  const headers = headersOf(message);
  if ([301, 302, 303, 307, 308].includes(status)) {
    message.destroy();
    throw redirected(url, headers.location);
  }
  const { bytes, truncated } = await readAtMost(message, maxBytes);
  return {
    status,
    headers,
    body: textOf(bytes, { contentType: headers["content-type"], truncated }),
    truncated,
  };
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name, [value ?? ""].flat().join(", ")]);
  return Object.fromEntries(entries);
}

/** Pieces of a body. Each one costs the thread work and memory, even a piece of one byte. */
const mostPieces = 64 * 1024;

/** Closes the connection if the answer is longer, or has more pieces. */
async function readAtMost(message: IncomingMessage, maxBytes: number) {
  const pieces: Uint8Array[] = [];
  let size = 0;
  let truncated = false;
  for await (const piece of message as AsyncIterable<Uint8Array>) {
    pieces.push(piece.subarray(0, maxBytes - size));
    size += piece.byteLength;
    truncated = size > maxBytes || pieces.length > mostPieces;
    if (truncated) break;
  }
  message.destroy();
  return { bytes: Buffer.concat(pieces), truncated };
}

/** Omits a character that the limit cut in two. */
function textOf(
  bytes: Uint8Array,
  { contentType = "", truncated }: { readonly contentType: string | undefined; readonly truncated: boolean },
): string {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1] ?? "utf-8";
  return decoderOf(charset).decode(bytes, { stream: truncated });
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset as Bun.Encoding);
  } catch {
    return new TextDecoder();
  }
}

function redirected({ origin, href }: URL, location: string | undefined): DeliveryFailure {
  const to = URL.parse(location ?? "", href);
  const elsewhere = to && /^https?:$/.test(to.protocol) && to.origin !== origin;
  return new DeliveryFailure(
    "redirected",
    `${origin} redirects${elsewhere ? ` to ${to.origin}` : ""}. ` +
      "Redirects are not followed: put the final URL into the service task.",
    { requestSent: "yes" },
  );
}
