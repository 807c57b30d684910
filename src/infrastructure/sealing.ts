/**
 * Encryption at rest: AES-256-GCM with keys that are derived from configured secrets.
 *
 * A sealed value is bound to a context, such as the tenant and the name of its row. In another context it does not
 * open. Every sealed value names its key, so that keys can be rotated: the first key seals, each of the keys opens.
 *
 * Format: version 1 · 4 bytes of the key's id · 12 random bytes · ciphertext · 16 bytes of tag.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";

export interface Sealing {
  seal(text: string, context: string): Uint8Array;
  /** Throws `CannotOpen`. */
  open(sealed: Uint8Array, context: string): string;
  /** Whether it was sealed with a key other than the first. */
  isOld(sealed: Uint8Array): boolean;
}

/** No key has this id, or the bytes were changed or sealed in another context. */
export class CannotOpen extends Error {
  override readonly name = "CannotOpen";
}

interface Key {
  readonly id: Buffer;
  readonly bytes: Uint8Array;
}

const version = 1;
const idBytes = 4;
const nonceBytes = 12;
const tagBytes = 16;
const headBytes = 1 + idBytes + nonceBytes;

/** Takes at least one secret, of 32 characters or more each. `purpose` separates two uses of one secret. */
export function createSealing(secrets: readonly string[], purpose: string): Sealing {
  const keys = secrets.map((secret) => keyOf(secret, purpose));
  const [first] = keys;
  if (!first) throw new Error("createSealing needs at least one secret");
  const idOf = (sealed: Uint8Array) => Buffer.from(sealed).subarray(1, 1 + idBytes);
  return {
    seal: (text, context) => seal(first, text, context),
    open: (sealed, context) => {
      const id = idOf(sealed);
      const key = keys.find((candidate) => candidate.id.equals(id));
      if (sealed[0] !== version || !key)
        throw new CannotOpen("The value was sealed with a key that is not configured");
      return open(key, Buffer.from(sealed), context);
    },
    isOld: (sealed) => !first.id.equals(idOf(sealed)),
  };
}

function keyOf(secret: string, purpose: string): Key {
  const bytes = new Uint8Array(hkdfSync("sha256", secret, "waybill", purpose, 32));
  return { bytes, id: createHash("sha256").update("id").update(bytes).digest().subarray(0, idBytes) };
}

function seal({ id, bytes }: Key, text: string, context: string): Uint8Array {
  const nonce = randomBytes(nonceBytes);
  const head = Buffer.concat([Buffer.of(version), id, nonce]);
  const cipher = createCipheriv("aes-256-gcm", bytes, nonce, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.concat([head.subarray(0, 1 + idBytes), Buffer.from(context)]));
  return Buffer.concat([head, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
}

function open({ bytes }: Key, sealed: Buffer, context: string): string {
  try {
    const nonce = sealed.subarray(1 + idBytes, headBytes);
    const decipher = createDecipheriv("aes-256-gcm", bytes, nonce, { authTagLength: tagBytes });
    decipher.setAAD(Buffer.concat([sealed.subarray(0, 1 + idBytes), Buffer.from(context)]));
    decipher.setAuthTag(sealed.subarray(-tagBytes));
    const text = decipher.update(sealed.subarray(headBytes, -tagBytes));
    return Buffer.concat([text, decipher.final()]).toString();
  } catch (cause) {
    throw new CannotOpen("The value was changed, or was sealed in another context", { cause });
  }
}
