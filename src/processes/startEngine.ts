/** Starts the engine, and in each server process the work for it: service tasks and timers. */
import { join } from "node:path";
import type { Config } from "../infrastructure/config.ts";
import type { Infrastructure } from "../infrastructure/infrastructure.ts";
import type { Jobs } from "../infrastructure/jobs/jobs.ts";
import { createSealing } from "../infrastructure/sealing.ts";
import { resealAll } from "../tenants/secrets/secrets.ts";
import type { ProcessEngine } from "./engine.ts";
import type { EngineDriver } from "./engineDriver.ts";
import { createEmbeddedEngine } from "./engines/embedded/embeddedEngine.ts";
import { createOperatonEngine } from "./engines/operaton/operatonEngine.ts";
import { createOutcomes } from "./serviceTaskOutcomes.ts";
import { carryOut, storeLate } from "./serviceTaskWorker.ts";

/** A process stores the outcomes that were left in its folder twice in this interval. */
const leftOverSeconds = 60;

/** Starts the engine. It stops with the jobs. */
export async function startEngine(
  infrastructure: Infrastructure,
  jobs: Jobs,
  { workers = true }: { readonly workers?: boolean } = {},
): Promise<ProcessEngine> {
  const driver = await createDriver(infrastructure, jobs);
  const { engine, serviceTasks: tasks } = driver;
  if (!workers) return engine;
  const { config, log } = infrastructure;
  const outcomes = createOutcomes({
    folder: join(config.dataDir, "outcomes"),
    sealing: sealingOf(config),
    log,
  });
  await driver.work((task, hold) => carryOut(task, { ...infrastructure, tasks, hold, outcomes }));
  await jobs.recur({
    name: "reseal-secrets",
    everySeconds: 3_600,
    run: () => reseal(infrastructure),
  });
  await jobs.recur({
    name: "left-over-outcomes",
    everySeconds: leftOverSeconds,
    run: async () => {},
    runHere: () => outcomes.storeLeftOver((kept) => storeLate(kept, tasks, log)),
  });
  return engine;
}

/** ENGINE_URL names the engine to work with. Without it, Waybill runs processes itself. */
function createDriver(infrastructure: Infrastructure, jobs: Jobs): Promise<EngineDriver> {
  const { sql, log, workers, config } = infrastructure;
  return config.engine
    ? createOperatonEngine(infrastructure, { config: config.engine, jobs })
    : createEmbeddedEngine(sql, { log, workers, jobs });
}

/** Encrypts files on this machine. Any secret of this Waybill instance will do, because the files stay here. */
function sealingOf({ secretsKeys, downloadTokenSecret }: Config) {
  const secrets = [...(secretsKeys ?? []), ...(downloadTokenSecret ? [downloadTokenSecret] : [])];
  return secrets.length === 0 ? undefined : createSealing(secrets, "outcomes on disk");
}

async function reseal({ sql, sealing, log }: Infrastructure): Promise<void> {
  const count = sealing ? await resealAll(sql, sealing) : 0;
  if (count > 0) log.info({ count }, "Secrets re-encrypted with the first key of SECRETS_KEY");
}
