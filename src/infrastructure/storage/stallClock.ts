import { untilAborted } from "../withTimeout.ts";

/** Ends work with a storage that makes no progress. Slow progress is allowed. */
export interface StallClock {
  /** Aborted when `stallMs` have passed since the last `expect` without a `rest`. */
  readonly signal: AbortSignal;
  /** Starts the stall timer. Call it before every wait on the storage. */
  expect(): void;
  /** Stops the stall timer. Call it when the wait on the storage is over. */
  rest(): void;
  /** Ends the work now. */
  abort(reason?: unknown): void;
  /** Resolves as `work`, or rejects when the work is aborted: not every stream reports that it was destroyed. */
  race<T>(work: Promise<T>): Promise<T>;
}

export function startStallClock(stallMs: number): StallClock {
  const controller = new AbortController();
  const { signal } = controller;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const rest = () => clearTimeout(timer);
  const abort = (reason?: unknown) => {
    rest();
    controller.abort(reason);
  };
  const stalled = () => abort(new Error(`The storage did nothing for ${stallMs} ms`));
  const expect = () => {
    rest();
    timer = setTimeout(stalled, stallMs);
  };
  expect();
  return { signal, expect, rest, abort, race: untilAborted(signal) };
}
