/** Rate limits, shared by all processes. Each key has a sliding window with the times of its accepted requests. */
import type { Sql } from "./database/connect.ts";

export interface RateWindow {
  /** How many requests a window takes. */
  readonly requests: number;
  /** The length of the window. */
  readonly seconds: number;
}

export interface RateLimitResult {
  readonly accepted: boolean;
  /** Requests left in the window that ends now. */
  readonly remaining: number;
  /** Seconds until the oldest request leaves the window. */
  readonly resetSeconds: number;
}

/** Counts a request if the window has room for it. It is one statement, so simultaneous requests queue for the row. */
export async function countRequest(
  sql: Sql,
  key: string,
  { requests, seconds }: RateWindow,
): Promise<RateLimitResult> {
  const [row] = await sql<{ accepted: boolean; hits: number; reset: number }[]>`
    insert into waybill.rate_limits as r (key, hits, accepted)
    values (${key}, array[clock_timestamp()], true)
        on conflict (key) do update
       set (hits, accepted, last_at) = (
             select case
                      when count(*) < ${requests} then array_agg(hit order by hit) || clock_timestamp()
                      else array_agg(hit order by hit)
                    end,
                    count(*) < ${requests},
                    clock_timestamp()
               from unnest(r.hits) hit
              where hit > clock_timestamp() - make_interval(secs => ${seconds})
           )
    returning accepted,
              cardinality(hits) as hits,
              extract(epoch from hits[1] + make_interval(secs => ${seconds}) - clock_timestamp())::float8 as reset`;
  const { accepted, hits, reset } = row ?? { accepted: false, hits: requests, reset: seconds };
  return {
    accepted,
    remaining: Math.max(0, requests - hits),
    resetSeconds: Math.min(seconds, Math.max(1, Math.ceil(reset))),
  };
}

/** Deletes keys without a request for longer than any window. */
export const deleteStale = (sql: Sql) =>
  sql`delete from waybill.rate_limits where last_at < now() - interval '10 minutes'`;
