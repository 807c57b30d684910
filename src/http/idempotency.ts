/** Requests with an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): what makes two of them equal. */
import { createHash } from "node:crypto";
import type { IdempotentRequest } from "../tenants/idempotency/keys.ts";
import type { Operation, RequestContext } from "./requestContext.ts";

const name = "idempotency-key";

export const hasIdempotencyKey = (request: Request) => request.headers.has(name);

/** Undefined if the operation takes no key, or the request has none. */
export function idempotentRequest(
  operation: Operation,
  { method, url }: Request,
  { caller, declared, bodyDigest = new Uint8Array() }: RequestContext,
): IdempotentRequest | undefined {
  const key = declared?.[name];
  if (key === undefined || !caller || !("subject" in caller)) return undefined;
  const { pathname, search } = new URL(url);
  const fingerprint = createHash("sha256")
    .update(JSON.stringify([method, pathname, search]))
    .update(bodyDigest)
    .digest();
  return { tenant: caller.tenant, subject: caller.subject, key, operation: operation.id, fingerprint };
}
