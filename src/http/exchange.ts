/** One request on its way through the server: what is known of it so far. */
import type { OperationId, operations } from "../generated/operations.ts";
import type { Caller } from "../handler.ts";

export type Operation = (typeof operations)[OperationId];

export interface Exchange {
  /** Made here for each request, never taken from the caller: it keys the audit trail. */
  readonly requestId: string;
  /** `performance.now()` at arrival. */
  readonly startedAt: number;
  operation?: Operation;
  caller?: Caller;
  /** What was answered. */
  status?: number;
  /** The table that the request names, once that is known. For the audit trail. */
  table?: string;
}

const exchanges = new WeakMap<Request, Exchange>();

/** The exchange of a request; begins it on first sight. */
export function exchangeOf(request: Request): Exchange {
  const known = exchanges.get(request);
  if (known) return known;
  const exchange = { requestId: Bun.randomUUIDv7(), startedAt: performance.now() };
  exchanges.set(request, exchange);
  return exchange;
}
