/** Limits on how long something is waited for. What is waited for goes on by itself: end it where it must not. */

export interface Timeout<T> {
  /** Milliseconds. */
  readonly ms: number;
  /** Called once the time is over. What it returns or throws is the result. */
  readonly onTimeout: () => T | PromiseLike<T>;
}

/** The result of `work`, or of `onTimeout` if that comes first. */
export async function withTimeout<T>(work: PromiseLike<T>, { ms, onTimeout }: Timeout<T>): Promise<T> {
  const late = Promise.withResolvers<T>();
  const timer = setTimeout(() => void Promise.try(onTimeout).then(late.resolve, late.reject), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for any number of promises, each until the signal is aborted: then it throws the signal's reason. */
export function untilAborted(signal: AbortSignal): <T>(work: Promise<T>) => Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  // It may be aborted while nobody waits.
  aborted.catch(() => {});
  return (work) => Promise.race([work, aborted]);
}
