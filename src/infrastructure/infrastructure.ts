import type { Logger } from "pino";
import type { Caches } from "./caches.ts";
import type { Config } from "./config.ts";
import type { Sql } from "./database/connect.ts";
import type { DiskSpace } from "./diskSpace.ts";
import type { AccessTokens } from "./identity/accessTokens.ts";
import type { FormTokens } from "./identity/formTokens.ts";
import type { OutboundFetch } from "./outbound/fetch.ts";
import type { Sealing } from "./sealing.ts";
import type { Storage } from "./storage/storage.ts";
import type { Workers } from "./workers/workers.ts";

/** The shared services of one Waybill process. Made once, by `wire`. */
export interface Infrastructure {
  readonly config: Config;
  readonly sql: Sql;
  /** A few connections apart from `sql`, for readiness and the signs of life of jobs. */
  readonly control: Sql;
  /** What this process remembers between requests. */
  readonly caches: Caches;
  readonly storage: Storage;
  /** Room for what uploads and downloads write to DATA_DIR. */
  readonly disk: DiskSpace;
  readonly accessTokens: AccessTokens;
  /** Undefined where the instance has no public forms. */
  readonly formTokens: FormTokens | undefined;
  /** Calls to outside systems, within the outbound policy. */
  readonly outboundFetch: OutboundFetch;
  /** What tenants' secrets are encrypted with. Undefined where the instance has none. */
  readonly sealing: Sealing | undefined;
  /** Threads for work that a request's bytes can make expensive. */
  readonly workers: Workers;
  readonly log: Logger;
  readonly now: () => Date;
  /** Turns true when the process begins to drain: it finishes what it has and takes no more. */
  readonly draining: () => boolean;
}
