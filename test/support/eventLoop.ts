/** How long work blocks the server's thread, which is also the test's thread. */
export interface Stops {
  /** The longest time in which the thread did nothing else, in milliseconds. */
  readonly longest: number;
  /** The time of the work in all. */
  readonly total: number;
}

export async function stopsDuring(work: () => Promise<unknown>): Promise<Stops> {
  const begun = performance.now();
  let [last, longest] = [begun, 0];
  const tick = () => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  };
  const timer = setInterval(tick, 5);
  await work();
  tick();
  clearInterval(timer);
  return { longest, total: performance.now() - begun };
}
