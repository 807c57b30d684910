/** The engine, and the work behind it: service tasks and timers, in as many processes as there are. */
import { join } from "node:path";
import type { Config } from "../config.ts";
import type { Deps, Parts } from "../deps.ts";
import type { Jobs } from "../jobs/jobs.ts";
import { createSealing } from "../secrets/sealing.ts";
import { resealAll } from "../secrets/secrets.ts";
import { createEmbeddedEngine } from "./embedded/embeddedEngine.ts";
import { createOutcomes } from "./serviceTaskOutcomes.ts";
import { carryOut, storeLate } from "./serviceTaskWorker.ts";

/** Service tasks that one process carries out at once, a tenant 64 of them. They wait for outside systems most of their time. */
const serviceTasksAtOnce = 256;

/** How often a process looks for outcomes that others left in its folder, twice an interval. */
const leftOverSeconds = 60;

/** Everything that operations may use, with the engine at work. It ends with the jobs. */
export async function startEngine(
  parts: Parts,
  jobs: Jobs,
  { workers = true }: { readonly workers?: boolean } = {},
): Promise<Deps> {
  const embedded = await createEmbeddedEngine(parts.sql, {
    log: parts.log,
    workers: parts.workers,
    jobs,
  });
  const deps: Deps = { ...parts, engine: embedded.engine };
  if (!workers) return deps;
  const { config, log } = parts;
  const outcomes = createOutcomes({
    folder: join(config.dataDir, "outcomes"),
    sealing: sealingOf(config),
    log,
  });
  embedded.work();
  embedded.jobs.work(serviceTasksAtOnce, (job, run) =>
    carryOut(job, embedded.serviceTasks, { ...deps, run, outcomes }),
  );
  await jobs.recur({
    name: "reseal-secrets",
    everySeconds: 3_600,
    run: () => reseal(parts),
  });
  await jobs.recur({
    name: "left-over-outcomes",
    everySeconds: leftOverSeconds,
    run: async () => {},
    runHere: () => outcomes.storeLeftOver((kept) => storeLate(kept, embedded.serviceTasks, log)),
  });
  return deps;
}

/** Of files on this machine. Any secret of the instance will do, for it is of use only where the file is. */
function sealingOf({ secretsKeys, downloadTokenSecret }: Config) {
  const secrets = [...(secretsKeys ?? []), ...(downloadTokenSecret ? [downloadTokenSecret] : [])];
  return secrets.length === 0 ? undefined : createSealing(secrets, "outcomes on disk");
}

async function reseal({ sql, sealing, log }: Parts): Promise<void> {
  const count = sealing ? await resealAll(sql, sealing) : 0;
  if (count > 0) log.info({ count }, "secrets are encrypted with the first key of SECRETS_KEY now");
}
