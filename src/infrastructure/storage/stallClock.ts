import { untilAborted } from "../withTimeout.ts";

/** Ends work with a storage that has stopped moving, however slowly it may move. */
export interface StallClock {
  /** Aborted once `stallMs` have passed since the last `expect` without a `rest`. */
  readonly signal: AbortSignal;
  /** From now on the storage is waited for: to connect, to take a chunk, to give one, to answer. */
  expect(): void;
  /** It is no longer the storage that is waited for. */
  rest(): void;
  /** Ends the work now. */
  abort(reason?: unknown): void;
  /** `work`, or the reason of the abort if that comes first: not every stream says that it was destroyed. */
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
