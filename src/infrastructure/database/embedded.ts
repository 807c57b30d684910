/**
 * A real PostgreSQL for a Waybill that was given none (design 4): its own cluster under the data folder, reachable
 * from this machine alone, with a password of its own.
 *
 * The server that owns the folder keeps it running: a PostgreSQL that ends by itself is started again on the same
 * port. What a killed server left behind, running or half made, the next start cleans up.
 */
import { mkdir, realpath, rename } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "pino";
import { chooseAccount } from "./account.ts";
import { findBinaries } from "./binaries.ts";
import { type Installation, prepareCluster, superuser } from "./cluster.ts";
import { takeOwnership } from "./ownerLock.ts";
import { endOrphan, type Postmaster, startPostmaster } from "./postmaster.ts";

export type DatabaseLog = Pick<Logger, "info" | "warn" | "error">;

export interface EmbeddedPostgres {
  /** Holds the password: never to be logged. */
  readonly url: string;
  /** Ends sessions that are still open. Resolves once PostgreSQL is down and the folder is free. */
  stop(): Promise<void>;
}

interface Running extends Installation {
  readonly cluster: string;
  readonly logFile: string;
  readonly log: DatabaseLog;
}

/**
 * Starts PostgreSQL in `<dataDir>/postgres`, making it first if need be; its log is `<dataDir>/postgres.log`, the
 * last run's `postgres.log.1`. Throws a one-line ConfigError when the folder has another owner or cannot be used.
 */
export async function startEmbeddedPostgres(options: {
  dataDir: string;
  log: DatabaseLog;
}): Promise<EmbeddedPostgres> {
  await mkdir(options.dataDir, { recursive: true });
  const dataDir = await realpath(options.dataDir);
  const release = takeOwnership(dataDir);
  try {
    return await start(dataDir, { log: options.log, release });
  } catch (error) {
    release();
    throw error;
  }
}

async function start(
  dataDir: string,
  { log, release }: { log: DatabaseLog; release: () => void },
): Promise<EmbeddedPostgres> {
  const [cluster, logFile] = [join(dataDir, "postgres"), join(dataDir, "postgres.log")];
  const binaries = await findBinaries();
  const account = await chooseAccount({ folder: dataDir, cluster, postgres: binaries.postgres });
  const running = { binaries, account, cluster, logFile, log };
  if (await endOrphan(cluster)) log.warn("stopped the PostgreSQL that an ended server had left running");
  const password = await prepareCluster(cluster, dataDir, running);
  await rename(logFile, `${logFile}.1`).catch(() => {});
  const first = await startPostmaster(running, running);
  const stop = supervise(first, running);
  return {
    url: `postgres://${superuser}:${password}@127.0.0.1:${first.port}/postgres`,
    stop: () => stop().finally(release),
  };
}

/** Starts PostgreSQL again whenever it ends, until the returned function is called. */
function supervise(first: Postmaster, running: Running): () => Promise<void> {
  const stopping = Promise.withResolvers<undefined>();
  const stopped = keepRunning(first, { running, stopping: stopping.promise });
  return () => {
    stopping.resolve(undefined);
    return stopped;
  };
}

async function keepRunning(
  first: Postmaster,
  { running, stopping }: { running: Running; stopping: Promise<undefined> },
): Promise<void> {
  let current: Postmaster = first;
  for (let delay = 0; ; ) {
    const since = Date.now();
    const how = await Promise.race([current.exited, stopping]);
    if (how === undefined) return current.stop();
    running.log.error({ how }, "PostgreSQL ended by itself: starting it again");
    // At once after a long run; ever later where it keeps ending.
    delay = Date.now() - since > 10_000 ? 0 : Math.min(2 * delay + 100, 5_000);
    const stop = await Promise.race([Bun.sleep(delay).then(() => false), stopping.then(() => true)]);
    if (stop) return;
    current = await startPostmaster(running, running, first.port).catch(failed);
  }
}

/** A start that failed counts as a run that ended at once. */
function failed(error: Error): Postmaster {
  return { port: 0, exited: Promise.resolve(error.message), stop: async () => {} };
}
