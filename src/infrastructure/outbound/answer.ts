/** What an outside system answered. */
import type { IncomingMessage } from "node:http";
import { DeliveryFailure } from "./failure.ts";

export interface OutboundAnswer {
  /** Never a redirect. */
  readonly status: number;
  /** Names in lower case; of several headers with one name the values, joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text by the charset of `content-type`, else UTF-8. */
  readonly body: string;
  /** The body was longer than what is kept, and ends where that does. */
  readonly truncated: boolean;
}

/** The body for a result variable. Throws `response_too_large` where only its beginning was kept. */
export function wholeBodyOf({ body, truncated }: OutboundAnswer): string {
  if (!truncated) return body;
  throw new DeliveryFailure(
    "response_too_large",
    "The integration took the request, but its answer is too large for a result variable. A rerun sends the request again.",
    { requestSent: "yes" },
  );
}

/** Throws `redirected`: a redirect that was taken for success would lose the file, and none is followed. */
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

/** Pieces of a body, each of which costs the thread some work and memory, also one of a single byte. */
const mostPieces = 64 * 1024;

/** An answer that is longer, or in more pieces, is hung up on. */
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

/** A character that the limit cut in two is left out. */
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
    `${origin} redirects${elsewhere ? ` to ${to.origin}` : ""}. Redirects are not followed: put the final URL into the service task.`,
    { requestSent: "yes" },
  );
}
