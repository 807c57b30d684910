/**
 * Download tokens: `v1.<256 random bits>.<HMAC-SHA-256>` (design 8).
 *
 * The HMAC covers version, purpose, random part, attachment, tenant and expiry, so a token is good for nothing else,
 * and a row that somebody wrote into the database does not make one. At rest there is only a SHA-256 of it.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

export interface TokenScope {
  readonly attachmentId: string;
  readonly tenantId: number;
  readonly expiresAt: Date;
}

export interface IssuedToken {
  readonly token: string;
  /** What the database keeps. Hexadecimal. */
  readonly digest: string;
}

export function issueToken(secret: string, scope: TokenScope): IssuedToken {
  const random = randomBytes(32).toString("base64url");
  const token = `v1.${random}.${signature(secret, random, scope)}`;
  return { token, digest: digestOf(token) };
}

/** Of any text: what is no token has a digest that no row has. */
export const digestOf = (token: string) => sha256(token).toString("hex");

/** Whether this secret signed this token for this scope; in constant time. */
export function isSigned(secret: string, token: string, scope: TokenScope): boolean {
  const [, random = "", given = ""] = token.split(".");
  // Digests, since only what is equally long can be compared.
  return timingSafeEqual(sha256(given), sha256(signature(secret, random, scope)));
}

/** A text that somebody else wrote, and in which our tokens may stand. */
export const withoutTokens = (text: string) => text.replace(/v1\.[\w-]{43}\.[\w-]{43}/g, "[token]");

const sha256 = (text: string) => createHash("sha256").update(text).digest();

function signature(
  secret: string,
  random: string,
  { attachmentId, tenantId, expiresAt }: TokenScope,
): string {
  const scope = ["v1", "download", random, attachmentId.toLowerCase(), tenantId, expiresAt.getTime()];
  return createHmac("sha256", secret).update(scope.join("\n")).digest("base64url");
}
