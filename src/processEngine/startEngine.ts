/** The engine, and the work behind it: service tasks and timers, in as many processes as there are. */
import type { Deps, Parts } from "../deps.ts";
import type { Jobs } from "../jobs/jobs.ts";
import { createEmbeddedEngine } from "./embedded/embeddedEngine.ts";
import { carryOut } from "./serviceTaskWorker.ts";

/** Service tasks that one process carries out at once, a tenant 64 of them. They wait for outside systems most of their time. */
const serviceTasksAtOnce = 256;

/** Everything that operations may use, with the engine at work. It ends with the jobs. */
export async function startEngine(
  parts: Parts,
  jobs: Jobs,
  { workers = true }: { readonly workers?: boolean } = {},
): Promise<Deps> {
  const embedded = await createEmbeddedEngine(parts.sql, { log: parts.log, jobs });
  const deps: Deps = { ...parts, engine: embedded.engine };
  if (!workers) return deps;
  embedded.work();
  embedded.jobs.work(serviceTasksAtOnce, (job, { retries }) =>
    carryOut(job, embedded.serviceTasks, { ...deps, retries }),
  );
  return deps;
}
