/**
 * Download tokens: `v1.<256 random bits>.<HMAC-SHA-256>` (docs/decisions/attachments.md).
 *
 * The HMAC covers version, purpose, random part, attachment, tenant and expiry. So a token is valid for nothing else,
 * and a row that somebody inserts into the database is not a token. The database has only the token's SHA-256.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

export interface TokenScope {
  readonly attachmentId: string;
  readonly tenantId: number;
  readonly expiresAt: Date;
}

export interface IssuedToken {
  readonly token: string;
  /** SHA-256 of the token, hexadecimal; the database keeps it. */
  readonly digest: string;
}

export function issueToken(secret: string, scope: TokenScope): IssuedToken {
  const random = randomBytes(32).toString("base64url");
  const token = `v1.${random}.${signature(secret, random, scope)}`;
  return { token, digest: digestOf(token) };
}

/** Accepts any text: if it is not a token, no row has its digest. */
export const digestOf = (token: string) => sha256(token).toString("hex");

/** Whether this secret signed this token for this scope. Takes constant time. */
export function isSigned(secret: string, token: string, scope: TokenScope): boolean {
  const [, random = "", given = ""] = token.split(".");
  // Digests, because only values of equal length can be compared.
  return timingSafeEqual(sha256(given), sha256(signature(secret, random, scope)));
}

/** Replaces tokens in a text from elsewhere that may contain them. */
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
