/** Makes a change once for each `Idempotency-Key`, and keeps its answer in the transaction of the change. */
import type { Sql, Tx } from "../../infrastructure/database/connect.ts";
import {
  type Answer,
  claimKey,
  findAnswer,
  type IdempotentRequest,
  type KeptAnswer,
  keepAnswer,
} from "./keys.ts";

/** A request with a key, for code that knows the result of its change and not the answer. */
export interface Once<Result> {
  readonly request: IdempotentRequest;
  readonly answerOf: (result: Result) => Answer;
}

/**
 * Makes the change in this transaction, and keeps its answer if the request has a key. Throws `idempotency_key_in_use`.
 */
export async function keepingAnswer<Result>(
  tx: Tx,
  once: Once<Result> | undefined,
  change: () => Promise<Result>,
): Promise<Result> {
  if (!once) return change();
  await claimKey(tx, once.request);
  const result = await change();
  await keepAnswer(tx, once.request, once.answerOf(result));
  return result;
}

/** Makes the change in a transaction of its own. Its result is the answer. Throws `idempotency_key_in_use`. */
export const changeOnce = <A extends Answer>(
  sql: Sql,
  request: IdempotentRequest | undefined,
  change: (tx: Tx) => Promise<A>,
): Promise<A> =>
  sql.begin((tx) =>
    keepingAnswer(tx, request && { request, answerOf: (answer) => answer }, () => change(tx)),
  ) as Promise<A>;

/**
 * The answer that was kept for an equal request, or else that of the handler. What the handler throws may come from the
 * change of the first request, which has just committed: then the answer is that of the first.
 */
export async function answerOnce<A extends Answer>(
  sql: Sql,
  request: IdempotentRequest,
  handle: () => Promise<A>,
): Promise<A | KeptAnswer> {
  const kept = await findAnswer(sql, request);
  if (kept) return replayed(kept);
  try {
    return await handle();
  } catch (error) {
    const first = await findAnswer(sql, request).catch(() => undefined);
    if (first) return replayed(first);
    throw error;
  }
}

const replayed = (answer: KeptAnswer): KeptAnswer => ({
  ...answer,
  headers: { ...answer.headers, "Idempotency-Replayed": "true" },
});
