/** The orderly end of a process, in an order in which a proxy in front of it loses no request. */
import type { Jobs } from "./infrastructure/jobs/jobs.ts";
import type { Server } from "./server.ts";

export interface Ending {
  /** The first signal. */
  readonly signal: Promise<string>;
  /** A second signal: somebody does not want to wait. */
  readonly hurry: Promise<void>;
}

export interface ShutdownTimes {
  /** For a proxy to notice that readiness is gone. Milliseconds; 0 skips the step. */
  readonly graceMs: number;
  /** For requests and jobs under way. Milliseconds. */
  readonly drainMs: number;
}

/**
 * First the process leaves: readiness is refused, answers ask for their connections to be closed, and requests are
 * still served, because a proxy sends them until its next check. Then the listener closes, and what is under way is
 * finished. Jobs drain from the beginning: other processes take new ones. `hurry` ends every wait.
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
 * Listens to SIGTERM and SIGINT for good. A second signal within a second is the first one again: a terminal's Ctrl-C
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
