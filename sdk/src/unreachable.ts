/**
 * Tells whether the connection failed. What `fetch` throws is thrown unchanged, and it differs between runtimes:
 * browsers throw a plain TypeError, like for a bug. So the errors that came from `fetch` are remembered.
 */
const thrown = new WeakSet<object>();

export const isUnreachable = (error: unknown): boolean =>
  typeof error === "object" && error !== null && thrown.has(error);

/** An abort is not a failure of the connection, whatever its reason is. */
export async function overNetwork(
  answer: Promise<Response>,
  signal: AbortSignal | null | undefined,
): Promise<Response> {
  return answer.catch((error: unknown) => {
    if (!signal?.aborted && typeof error === "object" && error !== null) thrown.add(error);
    throw error;
  });
}
