/** `bun run server`: the only place for the environment, signals and exit. Wires the parts and listens. */
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
import { welcome } from "./welcome.ts";
import { completeConfig, isSelfContained, wire } from "./wire.ts";

/** Past this the event loop counts as late. Nobody waits for so long for a request that costs little. */
const maxLagMs = 250;

/** Serves until the first signal; one that comes while it starts ends it as soon as it has started. */
async function run(config: Config, ending: Ending): Promise<void> {
  const log = createLog(config.logLevel);
  logStrayErrors(log);
  const { databaseUrl, dataDir } = config;
  const database = databaseUrl === undefined ? await startEmbeddedPostgres({ dataDir, log }) : undefined;
  const url = database?.url ?? (databaseUrl as string);
  try {
    await migrate(url, { log }).catch(refuseDatabase);
    const serviceUrl = database ? await prepareServiceRole(url) : url;
    const { sql, control } = connectServer(serviceUrl, config.databasePoolSize);
    let draining = false;
    const infrastructure = wire(config, { sql, control, log, draining: () => draining });
    await warnOfClock(infrastructure);
    await infrastructure.storage.prepare().catch(refuseStorage);
    await makePrivate(join(dataDir, "uploads"));
    await agreeOnIdentity(infrastructure).catch(refuseMismatch);
    const jobs = await startJobs(sql, { log, control });
    const engine = await startEngine(infrastructure, jobs);
    await jobs.recur(sweepJob(infrastructure));
    const pressure = watchPressure({ maxLagMs, maxBytes: config.memoryLimitBytes, log });
    const checkAnswers = process.env.NODE_ENV === "test";
    const server = listen(createApp({ ...infrastructure, engine }, { checkAnswers, pressure }), config);
    log.info({ address: server.url.href }, "listening");
    if (isSelfContained(config)) await welcome(server.url, config, infrastructure.accessTokens);

    const signal = await ending.signal;
    log.info({ signal }, "draining");
    draining = true;
    await shutDown({ server, jobs }, { ...timesFor(signal, config), hurry: ending.hurry });
    pressure.stop();
    await jobs.stop();
    await infrastructure.workers.end();
    await Promise.all([sql.end({ timeout: 5 }), control.end({ timeout: 5 })]);
  } finally {
    await database?.stop();
  }
}

/** A database that cannot be reached, or lets nobody in, is a matter of configuration at the start. */
function refuseDatabase(cause: Error): never {
  if (!databaseProblem(cause) && !(cause instanceof postgres.PostgresError)) throw cause;
  throw new ConfigError(`DATABASE_URL names a database that cannot be used: ${cause.message}`, { cause });
}

function refuseStorage(cause: Error): never {
  const reason = cause.cause instanceof Error ? cause.cause.message : cause.message;
  throw new ConfigError(`S3_ENDPOINT names a storage that cannot be used: ${reason}`, { cause });
}

function refuseMismatch(cause: Error): never {
  if (cause instanceof StorageMismatch) throw new ConfigError(cause.message, { cause });
  throw cause instanceof Problem && cause.code === "storage_unavailable" ? refuseStorage(cause) : cause;
}

/** Uploads pass through it, whatever else is elsewhere. */
async function requireDataDir(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true });
    await access(dataDir, constants.W_OK);
  } catch (cause) {
    const takes = "a folder that can be made and written to";
    throw new ConfigError(`DATA_DIR is ${JSON.stringify(dataDir)}; it takes ${takes}`, { cause });
  }
}

const sweepJob = (infrastructure: Infrastructure): Recurring => ({
  name: "sweep",
  everySeconds: infrastructure.config.draftSweepIntervalSeconds,
  run: async () => void (await sweepOnce(infrastructure)),
  runHere: () => removeLeftoverUploads(infrastructure.config.dataDir),
});

/** Ctrl-C comes from a person at a terminal, where no proxy has to notice anything first. */
const timesFor = (signal: string, { shutdownGraceSeconds, shutdownDrainSeconds }: Config) => ({
  graceMs: signal === "SIGINT" ? 0 : shutdownGraceSeconds * 1_000,
  drainMs: shutdownDrainSeconds * 1_000,
});

/** An error that no request owns is our fault, but not a reason to drop the requests that are under way. */
function logStrayErrors(log: Logger): void {
  for (const event of ["uncaughtException", "unhandledRejection"])
    process.on(event, (err: unknown) => log.fatal({ err }, event));
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
