/**
 * Runs work outside of the main thread that a caller's bytes can make expensive, such as checking a file, reading a
 * model or running a step of a process.
 *
 * Work has a time limit. It counts from when a thread begins the work, without the time in which the process is
 * paused. Past the limit the thread is ended, whatever it does (a loop, a pattern, a parse), and replaced by a new
 * one. A tenant uses at most half of the threads, and tenants that wait take turns.
 *
 * A file with work exports functions that take one value and return one, both of which are copied between threads:
 * plain objects, strings and bytes. What a function throws arrives as a plain `Error`, so results that the caller must
 * tell apart are returned.
 */
import { Piscina } from "piscina";
import { createFairShare, NoRoom } from "../fairShare.ts";
import { Problem } from "../problem.ts";

/** A function that another thread runs. Make it with `workIn`. */
export interface Work<Input, Output> {
  /** URL of the module that exports it. */
  readonly file: string;
  /** The name of the exported function. */
  readonly name: string;
  /** Milliseconds. */
  readonly limitMs: number;
  /** For the type check only. */
  readonly types?: (input: Input) => Output;
}

export interface Workers {
  /**
   * Throws `WorkTimeout` past the work's time limit, and the problem `busy` if no thread becomes free in ten seconds.
   * `group` is usually the tenant's id.
   */
  run<Input, Output>(work: Work<Input, Output>, input: Input, group: string): Promise<Output>;
  /** Ends all threads. */
  end(): Promise<void>;
}

/** The work did not end within its limit. Its thread was ended. */
export class WorkTimeout extends Error {
  override readonly name = "WorkTimeout";
}

const maxWaitMs = 10_000;
const maxWaiting = 64;

/** `workIn<typeof import("./work.ts")>()(url, "check", 5_000)`: typed by the module that exports the function. */
export const workIn =
  <Module extends object>() =>
  <Name extends keyof Module & string>(file: URL, name: Name, limitMs: number): WorkOf<Module[Name]> => {
    const work: Work<never, unknown> = { file: file.href, name, limitMs };
    return work as WorkOf<Module[Name]>;
  };

type WorkOf<F> = F extends (input: infer Input) => infer Output ? Work<Input, Awaited<Output>> : never;

/** Threads start when they are first needed. */
export function createWorkers({ threads }: { readonly threads: number }): Workers {
  // Idle threads are kept, because a new one would have to load its modules again.
  const pool = new Piscina({ minThreads: 0, maxThreads: threads, idleTimeout: Number.POSITIVE_INFINITY });
  const share = createFairShare({
    capacity: threads,
    groupCapacity: Math.ceil(threads / 2),
    maxWaitMs,
    maxWaiting,
  });
  return {
    run: async (work, input, group) => {
      const release = await share.take(group).catch(refuse);
      try {
        return await runWithin(pool, work, input);
      } finally {
        release();
      }
    },
    end: () => pool.destroy(),
  };
}

async function runWithin<Input, Output>(
  pool: Piscina,
  { file: filename, name, limitMs }: Work<Input, Output>,
  input: Input,
): Promise<Output> {
  const controller = new AbortController();
  const stopClock = afterRunning(limitMs, () => controller.abort());
  try {
    return await pool.run(input, { filename, name, signal: controller.signal });
  } catch (cause) {
    if (!controller.signal.aborted) throw cause;
    throw new WorkTimeout(`${name} took longer than ${limitMs} ms`, { cause });
  } finally {
    stopClock();
  }
}

const ticks = 10;

/**
 * Calls `end` once this process has run for so many milliseconds, and returns what stops the clock. Time in which the
 * process was paused counts as one tick at most: its threads were paused as well.
 */
function afterRunning(ms: number, end: () => void): () => void {
  let left = ticks;
  const timer = setInterval(() => {
    left--;
    if (left === 0) end();
  }, ms / ticks);
  return () => clearInterval(timer);
}

function refuse(cause: unknown): never {
  if (!(cause instanceof NoRoom)) throw cause;
  throw new Problem("busy", {
    message: "The server is busy with other work of this tenant. Try again later.",
    headers: { "Retry-After": "2" },
    cause,
  });
}
