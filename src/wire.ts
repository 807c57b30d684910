/** Makes the infrastructure from the configuration, for the server, for commands and for tests. */
import { join } from "node:path";
import type { Logger } from "pino";
import { createCaches } from "./infrastructure/caches.ts";
import type { Config } from "./infrastructure/config.ts";
import type { Sql } from "./infrastructure/database/connect.ts";
import { createDiskSpace } from "./infrastructure/diskSpace.ts";
import { createAccessTokens } from "./infrastructure/identity/accessTokens.ts";
import { createFormTokens } from "./infrastructure/identity/formTokens.ts";
import { storedSecret } from "./infrastructure/identity/secrets.ts";
import type { Infrastructure } from "./infrastructure/infrastructure.ts";
import { createOutboundFetch } from "./infrastructure/outbound/fetch.ts";
import { createSealing } from "./infrastructure/sealing.ts";
import { filesystemStorage } from "./infrastructure/storage/filesystem.ts";
import { s3Storage } from "./infrastructure/storage/s3.ts";
import { createTransfers } from "./infrastructure/transfers.ts";
import { createWorkers, type Workers } from "./infrastructure/workers/workers.ts";

/** Whether the instance has only DATA_DIR, as on a developer's machine. It creates its own secrets then. */
export const isSelfContained = ({ databaseUrl, s3 }: Config) => databaseUrl === undefined && s3 === undefined;

/**
 * Adds to the configuration what a self-contained instance creates for itself. A variable that is set to an empty text
 * turns its feature off: an instance with `DOWNLOAD_TOKEN_SECRET=` issues no download URLs.
 */
export async function completeConfig(config: Config): Promise<Config> {
  if (!isSelfContained(config)) return withoutEmpty(config);
  const { host, port, dataDir } = config;
  return withoutEmpty({
    ...config,
    accessTokens: config.accessTokens ?? { kind: "secret", secret: await storedSecret(dataDir, "jwt") },
    publicBaseUrl: config.publicBaseUrl ?? `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    downloadTokenSecret: config.downloadTokenSecret ?? (await storedSecret(dataDir, "download-token")),
    formTokenSecret: config.formTokenSecret ?? (await storedSecret(dataDir, "form-token")),
    secretsKeys: config.secretsKeys ?? [await storedSecret(dataDir, "secrets-key")],
  });
}

const withoutEmpty = (config: Config): Config => ({
  ...config,
  publicBaseUrl: config.publicBaseUrl || undefined,
  downloadTokenSecret: config.downloadTokenSecret || undefined,
  formTokenSecret: config.formTokenSecret || undefined,
  secretsKeys: config.secretsKeys?.length ? config.secretsKeys : undefined,
});

export interface Resources {
  readonly sql: Sql;
  /** By default `sql`. */
  readonly control?: Sql;
  readonly log: Logger;
  /** By default made from the configuration. */
  readonly workers?: Workers;
  readonly now?: () => Date;
  readonly draining?: () => boolean;
}

/** Takes the result of `completeConfig`. Opens no connection yet. */
export function wire(config: Config, resources: Resources): Infrastructure {
  const { now = () => new Date(), draining = () => false } = resources;
  const { accessTokens: keys, formTokenSecret, jwtIssuer: issuer, jwtAudience: audience, s3 } = config;
  if (!keys)
    throw new Error("The configuration is not complete: it does not say how access tokens are verified");
  return {
    config,
    sql: resources.sql,
    control: resources.control ?? resources.sql,
    caches: createCaches(),
    log: resources.log,
    transfers: createTransfers(config.databasePoolSize),
    workers: resources.workers ?? createWorkers({ threads: config.workerThreads }),
    sealing: config.secretsKeys && createSealing(config.secretsKeys, "tenant secrets"),
    now,
    draining,
    outboundFetch: createOutboundFetch({ allow: config.outboundAllow }),
    disk: createDiskSpace({ path: config.dataDir, reserveBytes: config.diskReserveBytes }),
    storage: s3 ? s3Storage(s3) : filesystemStorage({ folder: join(config.dataDir, "objects") }),
    accessTokens: createAccessTokens({ keys, issuer, audience, fetch, now }),
    formTokens:
      formTokenSecret === undefined ? undefined : createFormTokens({ secret: formTokenSecret, now }),
  };
}
