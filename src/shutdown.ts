/** The orderly shutdown of a process. Its order lets a proxy in front of the process lose no request. */
import type { Jobs } from "./infrastructure/jobs/jobs.ts";
import type { Server } from "./server.ts";

export interface Ending {
  /** Resolves with the name of the first signal. */
  readonly signal: Promise<string>;
  /** Resolves at a second signal: somebody does not want to wait. */
  readonly hurry: Promise<void>;
}

export interface ShutdownTimes {
  /** Time for a proxy to notice that the process is not ready. 0 skips this step. */
  readonly graceMs: number;
  /** Time for running requests and jobs to finish. */
  readonly drainMs: number;
}

/**
 * Shuts down in two steps. For `graceMs` the process is not ready and its answers ask for the connection to be closed,
 * but it still serves, because a proxy sends requests until its next check. Then it stops listening and finishes the
 * running requests. It takes no new jobs from the beginning, because other processes take them. `hurry` ends every
 * wait.
 */
export async function shutDown(
  { server, jobs }: { readonly server: Server; readonly jobs: Jobs },
  { graceMs, drainMs, hurry }: ShutdownTimes & Pick<Ending, "hurry">,
): Promise<void> {
  server.leave();
  const jobsDrained = jobs.drain(graceMs + drainMs);
  await Promise.race([Bun.sleep(graceMs), hurry]);
  const drained = Promise.all([server.stop(drainMs), jobsDrained]);
  await Promise.race([drained, hurry.then(() => server.stop(0))]);
}

/**
 * Listens to SIGTERM and SIGINT. A second signal within one second counts as the first one: Ctrl-C in a terminal
 * arrives twice, from the terminal and from `bun run`.
 */
export function listenToSignals(): Ending {
  const signal = Promise.withResolvers<string>();
  const hurry = Promise.withResolvers<void>();
  let firstAt: number | undefined;
  for (const name of ["SIGTERM", "SIGINT"] as const)
    process.on(name, () => {
      firstAt ??= performance.now();
      signal.resolve(name);
      if (performance.now() - firstAt > 1_000) hurry.resolve();
    });
  return { signal: signal.promise, hurry: hurry.promise };
}
