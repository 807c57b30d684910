/** The engine, and the work behind it: service tasks and timers, in as many processes as there are. */
import { join } from "node:path";
import type { Config } from "../infrastructure/config.ts";
import type { Infrastructure } from "../infrastructure/infrastructure.ts";
import type { Jobs } from "../infrastructure/jobs/jobs.ts";
import { createSealing } from "../infrastructure/sealing.ts";
import { resealAll } from "../tenants/secrets/secrets.ts";
import type { ProcessEngine } from "./engine.ts";
import { createEmbeddedEngine } from "./engines/embedded/embeddedEngine.ts";
import { createOutcomes } from "./serviceTaskOutcomes.ts";
import { carryOut, storeLate } from "./serviceTaskWorker.ts";

/** Service tasks that one process carries out at once, a tenant 64 of them. They wait for outside systems most of their time. */
const serviceTasksAtOnce = 256;

/** How often a process looks for outcomes that others left in its folder, twice an interval. */
const leftOverSeconds = 60;

/** The engine, at work. It ends with the jobs. */
export async function startEngine(
  infrastructure: Infrastructure,
  jobs: Jobs,
  { workers = true }: { readonly workers?: boolean } = {},
): Promise<ProcessEngine> {
  const embedded = await createEmbeddedEngine(infrastructure.sql, {
    log: infrastructure.log,
    workers: infrastructure.workers,
    jobs,
  });
  const { engine } = embedded;
  if (!workers) return engine;
  const { config, log } = infrastructure;
  const outcomes = createOutcomes({
    folder: join(config.dataDir, "outcomes"),
    sealing: sealingOf(config),
    log,
  });
  embedded.work();
  embedded.jobs.work(serviceTasksAtOnce, (job, run) =>
    carryOut(job, embedded.serviceTasks, { ...infrastructure, run, outcomes }),
  );
  await jobs.recur({
    name: "reseal-secrets",
    everySeconds: 3_600,
    run: () => reseal(infrastructure),
  });
  await jobs.recur({
    name: "left-over-outcomes",
    everySeconds: leftOverSeconds,
    run: async () => {},
    runHere: () => outcomes.storeLeftOver((kept) => storeLate(kept, embedded.serviceTasks, log)),
  });
  return engine;
}

/** Of files on this machine. Any secret of the instance will do, for it is of use only where the file is. */
function sealingOf({ secretsKeys, downloadTokenSecret }: Config) {
  const secrets = [...(secretsKeys ?? []), ...(downloadTokenSecret ? [downloadTokenSecret] : [])];
  return secrets.length === 0 ? undefined : createSealing(secrets, "outcomes on disk");
}

async function reseal({ sql, sealing, log }: Infrastructure): Promise<void> {
  const count = sealing ? await resealAll(sql, sealing) : 0;
  if (count > 0) log.info({ count }, "secrets are encrypted with the first key of SECRETS_KEY now");
}
