/**
 * Whether it was the connection that failed. What `fetch` throws passes through as it is, and no two runtimes throw
 * alike (a bare TypeError in browsers, as of a bug), so what came out of `fetch` is remembered instead of guessed at.
 */
const thrown = new WeakSet<object>();

export const isUnreachable = (error: unknown): boolean =>
  typeof error === "object" && error !== null && thrown.has(error);

/** An abort is the caller's wish and no failure of the connection, whatever reason it carries. */
export async function overNetwork(
  answer: Promise<Response>,
  signal: AbortSignal | null | undefined,
): Promise<Response> {
  return answer.catch((error: unknown) => {
    if (!signal?.aborted && typeof error === "object" && error !== null) thrown.add(error);
    throw error;
  });
}
