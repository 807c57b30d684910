/** One request on its way through the server: what is known of it so far. */
import type { OperationId, operations } from "../generated/operations.ts";
import type { Caller, Visitor } from "../tenants/caller.ts";

export type Operation = (typeof operations)[OperationId];

export interface RequestContext {
  /** Made here for each request, never taken from the caller: it keys the audit trail. */
  readonly requestId: string;
  /** `performance.now()` at arrival. */
  readonly startedAt: number;
  /** Goes out with whatever is answered. */
  readonly headers: Record<string, string>;
  operation?: Operation;
  caller?: Caller | Visitor;
  /** The client's address as limits count by it, where the operation has a limit by address. */
  address?: string;
  /** What was answered. */
  status?: number;
  /** The table that the request names, once that is known. For the audit trail. */
  table?: string;
  /** What else the path names: an addon's key, an embed, a process instance. For the audit trail of a failure. */
  subject?: string;
  /** Removes what the request has left on disk, and gives back its room in memory. */
  dispose?: () => Promise<void>;
}

const contexts = new WeakMap<Request, RequestContext>();

/** The context of a request; begins it on first sight. */
export function contextOf(request: Request): RequestContext {
  const known = contexts.get(request);
  if (known) return known;
  const requestId = Bun.randomUUIDv7();
  const context = { requestId, startedAt: performance.now(), headers: { "X-Request-Id": requestId } };
  contexts.set(request, context);
  return context;
}
