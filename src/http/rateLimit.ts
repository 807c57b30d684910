/** Enforces the contract's `x-rate-limit` before a body is read, and reports it in the IETF draft's header fields. */
import type { Deps } from "../deps.ts";
import { Problem } from "../infrastructure/problem.ts";
import { countRequest } from "../infrastructure/rateLimits.ts";

export interface RateLimit {
  readonly name: string;
  readonly requests: number;
  readonly seconds: number;
  readonly per: "user" | "address";
}

/**
 * Counts the request against `who` and returns the header fields for its response
 * (draft-ietf-httpapi-ratelimit-headers-10). Throws `rate_limited` with `Retry-After`.
 */
export async function enforceRateLimit(
  { sql }: Deps,
  limit: RateLimit,
  who: string,
): Promise<Record<string, string>> {
  const { accepted, remaining, resetSeconds } = await countRequest(sql, `${limit.name}:${who}`, limit);
  const headers = {
    "RateLimit-Policy": `"${limit.name}";q=${limit.requests};w=${limit.seconds}`,
    RateLimit: `"${limit.name}";r=${remaining};t=${resetSeconds}`,
  };
  if (accepted) return headers;
  throw new Problem("rate_limited", {
    message: `At most ${limit.requests} of these requests are allowed in ${limit.seconds} seconds. Try again later.`,
    headers: { ...headers, "Retry-After": String(resetSeconds) },
  });
}
