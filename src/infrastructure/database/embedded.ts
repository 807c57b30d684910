/**
 * A real PostgreSQL for a Waybill without DATABASE_URL. Its cluster is in the data folder and has a separate password,
 * and only this machine can reach it.
 *
 * The server that owns the folder keeps PostgreSQL running, and starts it again on the same port if it ends
 * unexpectedly. The next start ends or removes what a killed server has left.
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
  /** Contains the password, so never log it. */
  readonly url: string;
  /** Ends open sessions. Resolves once PostgreSQL has ended and the folder is free. */
  stop(): Promise<void>;
}

interface Running extends Installation {
  readonly cluster: string;
  readonly logFile: string;
  readonly log: DatabaseLog;
}

/**
 * Starts PostgreSQL in `<dataDir>/postgres`, and creates the cluster if it is missing. The log is
 * `<dataDir>/postgres.log`, that of the last run `postgres.log.1`. Throws a one-line ConfigError if another server owns
 * the folder, or if it cannot be used.
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
  if (await endOrphan(cluster)) log.warn("Stopped a PostgreSQL that was left running by a killed server");
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
    // Without a delay after a long run. With growing delays if it keeps ending.
    delay = Date.now() - since > 10_000 ? 0 : Math.min(2 * delay + 100, 5_000);
    const stop = await Promise.race([Bun.sleep(delay).then(() => false), stopping.then(() => true)]);
    if (stop) return;
    current = await startPostmaster(running, running, first.port).catch(failed);
  }
}

/** A failed start counts as a run that ended at once. */
function failed(error: Error): Postmaster {
  return { port: 0, exited: Promise.resolve(error.message), stop: async () => {} };
}
