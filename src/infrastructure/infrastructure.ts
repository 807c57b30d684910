import type { Logger } from "pino";
import type { Caches } from "./caches.ts";
import type { Config } from "./config.ts";
import type { Sql } from "./database/connect.ts";
import type { DiskSpace } from "./diskSpace.ts";
import type { FairShare } from "./fairShare.ts";
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
  /** A few separate connections, for readiness and the heartbeats of jobs. */
  readonly control: Sql;
  /** What this process remembers between requests. */
  readonly caches: Caches;
  readonly storage: Storage;
  /** How much uploads and downloads may write to DATA_DIR. */
  readonly disk: DiskSpace;
  readonly accessTokens: AccessTokens;
  /** Undefined if the instance has no public forms. */
  readonly formTokens: FormTokens | undefined;
  /** Calls to external systems, under the outbound policy. */
  readonly outboundFetch: OutboundFetch;
  /** Encrypts tenants' secrets. Undefined if the instance has no key for them. */
  readonly sealing: Sealing | undefined;
  /** The exports and imports that may run at the same time. */
  readonly transfers: FairShare;
  /** Threads for work that a request's bytes can make expensive. */
  readonly workers: Workers;
  readonly log: Logger;
  readonly now: () => Date;
  /** True once the process drains: it finishes its work and takes no more. */
  readonly draining: () => boolean;
}
