/** `bun run server`. Only this file reads the server's environment, listens to signals and ends the process. */
import { constants } from "node:fs";
import { access, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "pino";
import postgres from "postgres";
import { createApp } from "./app.ts";
import { agreeOnIdentity, StorageMismatch } from "./files/maintenance/storageIdentity.ts";
import { removeLeftoverUploads, sweepOnce } from "./files/maintenance/sweep.ts";
import { type Config, ConfigError, parseConfig } from "./infrastructure/config.ts";
import { warnOfClock } from "./infrastructure/database/clock.ts";
import { connectServer } from "./infrastructure/database/connect.ts";
import { databaseProblem } from "./infrastructure/database/databaseProblem.ts";
import { startEmbeddedPostgres } from "./infrastructure/database/embedded.ts";
import { migrate } from "./infrastructure/database/migrate.ts";
import { prepareServiceRole } from "./infrastructure/database/serviceRole.ts";
import type { Infrastructure } from "./infrastructure/infrastructure.ts";
import { startJobs } from "./infrastructure/jobs/jobs.ts";
import type { Recurring } from "./infrastructure/jobs/recurring.ts";
import { createLog } from "./infrastructure/log.ts";
import { watchPressure } from "./infrastructure/pressure.ts";
import { makePrivate } from "./infrastructure/privateFolder.ts";
import { Problem } from "./infrastructure/problem.ts";
import { startEngine } from "./processes/startEngine.ts";
import { listen } from "./server.ts";
import { type Ending, listenToSignals, shutDown } from "./shutdown.ts";
import { tableTasksJob } from "./tables/changing/background.ts";
import { auditJobs } from "./tenants/auditTrail/jobs.ts";
import { welcome } from "./welcome.ts";
import { completeConfig, isSelfContained, wire } from "./wire.ts";

/** By how much the event loop may be late. Nobody waits that long for a request that costs little. */
const maxLagMs = 250;

/** Serves until the first signal. A signal during the start takes effect when the start is complete. */
async function run(config: Config, ending: Ending): Promise<void> {
  const log = createLog(config.logLevel);
  logStrayErrors(log);
  const { databaseUrl, dataDir } = config;
  const embedded = databaseUrl === undefined ? await startEmbeddedPostgres({ dataDir, log }) : undefined;
  const url = embedded?.url ?? (databaseUrl as string);
  try {
    await migrate(url, { log }).catch(refuseDatabase);
    await serve(config, { url: embedded ? await prepareServiceRole(url) : url, log, ending });
  } finally {
    await embedded?.stop();
  }
}

interface Serving {
  /** The migrated database, with the role that the service connects as. */
  readonly url: string;
  readonly log: Logger;
  readonly ending: Ending;
}

async function serve(config: Config, { url, log, ending }: Serving): Promise<void> {
  const { sql, control } = connectServer(url, config.databasePoolSize);
  let draining = false;
  const infrastructure = wire(config, { sql, control, log, draining: () => draining });
  await warnOfClock(infrastructure);
  await prepareStorage(infrastructure);
  const jobs = await startJobs(sql, { log, control });
  const engine = await startEngine(infrastructure, jobs);
  await jobs.recur(sweepJob(infrastructure));
  for (const job of auditJobs(infrastructure)) await jobs.recur(job);
  await jobs.recur(tableTasksJob(infrastructure));
  const pressure = watchPressure({ maxLagMs, maxBytes: config.memoryLimitBytes, log });
  const checkAnswers = process.env.NODE_ENV === "test";
  const server = listen(createApp({ ...infrastructure, engine }, { checkAnswers, pressure }), config);
  log.info({ address: server.url.href }, "Server listening");
  if (isSelfContained(config)) await welcome(server.url, config, infrastructure.accessTokens);

  const signal = await ending.signal;
  log.info({ signal }, "Server shutting down");
  draining = true;
  await shutDown({ server, jobs }, { ...timesFor(signal, config), hurry: ending.hurry });
  pressure.stop();
  await jobs.stop();
  await infrastructure.workers.end();
  await Promise.all([sql.end({ timeout: 5 }), control.end({ timeout: 5 })]);
}

/** Prepares the storage and the folder for uploads, and checks that storage and database belong together. */
async function prepareStorage(infrastructure: Infrastructure): Promise<void> {
  const { config, storage } = infrastructure;
  const refuse = (cause: Error) => refuseStorage(config, cause);
  await storage.prepare().catch(refuse);
  await makePrivate(join(config.dataDir, "uploads"));
  await agreeOnIdentity(infrastructure).catch((cause: Error) => {
    if (cause instanceof StorageMismatch) throw new ConfigError(cause.message, { cause });
    throw cause instanceof Problem && cause.code === "storage_unavailable" ? refuse(cause) : cause;
  });
}

/** At the start, a database that cannot be reached or that refuses the connection is a configuration error. */
function refuseDatabase(cause: Error): never {
  if (!databaseProblem(cause) && !(cause instanceof postgres.PostgresError)) throw cause;
  throw new ConfigError(`DATABASE_URL names a database that cannot be used: ${cause.message}`, { cause });
}

function refuseStorage({ s3 }: Config, cause: Error): never {
  const reason = cause.cause instanceof Error ? cause.cause.message : cause.message;
  const named = s3 ? "S3_ENDPOINT names a storage" : "DATA_DIR names a folder";
  throw new ConfigError(`${named} that cannot be used: ${reason}`, { cause });
}

/** Every process needs DATA_DIR, because all uploads pass through it. */
async function requireDataDir(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true });
    await access(dataDir, constants.W_OK);
  } catch (cause) {
    const expected = "a folder that this account can create and write to";
    throw new ConfigError(`DATA_DIR is ${JSON.stringify(dataDir)}; it must be ${expected}`, { cause });
  }
}

const sweepJob = (infrastructure: Infrastructure): Recurring => ({
  name: "sweep",
  everySeconds: infrastructure.config.draftSweepIntervalSeconds,
  run: async () => void (await sweepOnce(infrastructure)),
  runHere: () => removeLeftoverUploads(infrastructure.config.dataDir),
});

/** Ctrl-C comes from a person at a terminal. There, no proxy has to notice the shutdown first. */
const timesFor = (signal: string, { shutdownGraceSeconds, shutdownDrainSeconds }: Config) => ({
  graceMs: signal === "SIGINT" ? 0 : shutdownGraceSeconds * 1_000,
  drainMs: shutdownDrainSeconds * 1_000,
});

/** Logs an error that belongs to no request. It is a defect, but no reason to drop the running requests. */
function logStrayErrors(log: Logger): void {
  process.on("uncaughtException", (err) => log.fatal({ err }, "Uncaught exception"));
  process.on("unhandledRejection", (err) => log.fatal({ err }, "Unhandled rejection of a promise"));
}

try {
  const ending = listenToSignals();
  const config = parseConfig(process.env, process.cwd());
  await requireDataDir(config.dataDir);
  await run(await completeConfig(config), ending);
  process.exit(0);
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(1);
}
