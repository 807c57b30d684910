import type { Logger } from "pino";
import type { Caches } from "../../../infrastructure/caches.ts";
import type { Config } from "../../../infrastructure/config.ts";
import type { Sql } from "../../../infrastructure/database/connect.ts";
import type { Workers } from "../../../infrastructure/workers/workers.ts";
import type { EngineRest } from "./rest.ts";

/** What the files of this driver share. A tenant's slug is its tenant id at the engine. */
export interface OperatonContext {
  readonly rest: EngineRest;
  readonly sql: Sql;
  readonly log: Logger;
  readonly config: Config;
  readonly workers: Workers;
  /** Keep a cache by its description, as everywhere. Models never change: `models.ts` keeps them. */
  readonly caches: Caches;
}
