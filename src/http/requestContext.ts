/** What the server knows about one request so far. */
import type { OperationId, operations } from "../generated/operations.ts";
import type { AuditAction } from "../tenants/audit.ts";
import type { Caller, Visitor } from "../tenants/caller.ts";

export type Operation = (typeof operations)[OperationId];

export interface RequestContext {
  /** Always created here, because it is a key of the audit trail. An id that the caller sends is ignored. */
  readonly requestId: string;
  /** `performance.now()` when the request arrived. */
  readonly startedAt: number;
  /** Header fields of the response, whether it succeeds or fails. */
  readonly headers: Record<string, string>;
  operation?: Operation;
  caller?: Caller | Visitor;
  /** The key under which rate limits count the client's address. Only if the operation has a limit per address. */
  address?: string;
  /** The header fields that the contract declares, by their names in lower case. */
  declared?: Readonly<Record<string, string>>;
  /** SHA-256 of the body. Only if the request has an `Idempotency-Key`. */
  bodyDigest?: Uint8Array | undefined;
  /** Status of the response. */
  status?: number;
  /** The table that the request names, once it is known. For the audit trail. */
  table?: string;
  /** Other things that the path names, such as an addon's key or an embed. For the audit record of a failure. */
  subject?: string;
  /** What the audit trail calls a failure, if it is not the operation's own action. */
  audit?: AuditAction;
  /** Deletes the request's temporary files and gives back its room in memory. */
  dispose?: () => Promise<void>;
}

const contexts = new WeakMap<Request, RequestContext>();

/** The context of a request. Created by the first call. */
export function contextOf(request: Request): RequestContext {
  const known = contexts.get(request);
  if (known) return known;
  const requestId = Bun.randomUUIDv7();
  const context = { requestId, startedAt: performance.now(), headers: { "X-Request-Id": requestId } };
  contexts.set(request, context);
  return context;
}
