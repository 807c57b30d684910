/** Which request headers may be sent. */
import { DeliveryFailure } from "./failure.ts";

/**
 * Any character that RFC 9110 does not allow in a value. It allows tab, and every character from space on except DEL.
 */
export const controlCharacter = /[^\t\u0020-\u007e\u0080-\u{10ffff}]/u;
/** Characters of all headers together. Most servers take fewer. */
const mostBytes = 64 * 1024;
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Headers that the connection sets, not a service task. */
const reserved = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * The headers as node:http takes them: one character for each byte of UTF-8. Throws `invalid_header` for a name that is
 * not valid, appears twice or is set by the connection, and for control characters in a value.
 */
export function wireHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const names = new Set<string>();
  let length = 0;
  for (const [name, value] of Object.entries(headers)) length += name.length + value.length;
  if (length > mostBytes) throw tooMany();
  const entries = Object.entries(headers).map(([name, value]): [string, string] => {
    const lower = name.toLowerCase();
    if (!token.test(name)) throw invalid(name, "is not a header's name");
    if (reserved.has(lower))
      throw invalid(name, "is set by the connection and cannot be set by a service task");
    if (names.has(lower)) throw invalid(name, "appears twice");
    if (controlCharacter.test(value)) throw invalid(name, "holds a line break or another control character");
    names.add(lower);
    return [name, Buffer.from(value.trim()).toString("latin1")];
  });
  return Object.fromEntries(entries);
}

const tooMany = () =>
  new DeliveryFailure("invalid_header", `The headers have more than ${mostBytes} characters in all.`);

const invalid = (name: string, why: string) =>
  new DeliveryFailure("invalid_header", `The header ${JSON.stringify(name.slice(0, 100))} ${why}.`);
