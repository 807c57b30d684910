/** What can go wrong with a call to the engine, and the Problem that a caller of Waybill gets for it. */
import { Problem } from "../../../infrastructure/problem.ts";

export interface EngineAnswer {
  /** Of HTTP. */
  readonly status: number;
  /** The engine's class of exception, such as `RestException`. Empty if the answer had none. */
  readonly type: string;
  /** The engine's message: at most 4,000 characters. */
  readonly message: string;
  /** The engine's code of the exception. */
  readonly code?: number;
}

/** The engine answered with an error, or with something that cannot be read. */
export class EngineError extends Error implements EngineAnswer {
  override readonly name = "EngineError";
  readonly status: number;
  readonly type: string;
  readonly code: number | undefined;

  constructor({ status, type, message, code }: EngineAnswer, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
    this.type = type;
    this.code = code;
  }

  /** A transaction lost against another one that changed the same row. Repeating it may work. */
  get isOptimisticLocking(): boolean {
    return (
      this.type === "OptimisticLockingException" ||
      /OptimisticLockingException|ENGINE-03005/.test(this.message)
    );
  }
}

/** No answer: the engine is away, too slow, or the connection broke. The engine may have done what it was asked. */
export class EngineUnreachable extends Error {
  override readonly name = "EngineUnreachable";

  /** Whether the call may have reached the engine: not if there was no connection. */
  get mayHaveArrived(): boolean {
    return !noConnection.has((this.cause as { code?: string } | undefined)?.code ?? "");
  }
}

const noConnection = new Set(["ConnectionRefused", "ECONNREFUSED", "FailedToOpenSocket", "ENOTFOUND"]);

/** The type of an answer that is larger than Waybill reads. */
export const answerTooLarge = "AnswerTooLarge";

/** The type of an answer that is not what the engine says to such a call: no JSON, or JSON of another shape. */
export const unreadableAnswer = "UnreadableAnswer";

/** Statuses of a proxy whose engine is away, and of an engine that does not accept Waybill's credentials. */
const away = new Set([401, 403, 429, 502, 503, 504]);

/** Whether the engine itself judged the call. Its credentials, a proxy and a redirect are the operator's affair. */
export const isJudgement = (error: unknown): error is EngineError =>
  error instanceof EngineError && error.status >= 400 && !away.has(error.status);

/** Statuses of a proxy that has passed the call on and waits no longer. */
const lost = new Set([502, 503, 504]);

/** Whether there is no engine to be asked at the moment: no answer, or that of a proxy that finds none. */
export const isAway = (error: unknown): boolean =>
  error instanceof EngineUnreachable ||
  (error instanceof EngineError && (lost.has(error.status) || error.status === 429));

/** Whether something answered that is not the engine, such as the page of a proxy. */
export const isUnreadable = (error: unknown): boolean =>
  error instanceof EngineError && error.type === unreadableAnswer;

export const isTooLarge = (error: unknown): boolean =>
  error instanceof EngineError && error.type === answerTooLarge;

/** Whether the engine has certainly not done what it was asked: it judged against it, or was never asked. */
export function wasNotDone(error: unknown): boolean {
  if (error instanceof EngineError) return error.status >= 300 && !lost.has(error.status);
  return error instanceof EngineUnreachable ? !error.mayHaveArrived : true;
}

/**
 * The Problem for an error of the engine. Any other error stays as it is.
 *
 * - `engine_rejected`, with the engine's message, if the engine judged a change.
 * - `engine_unavailable` if there was no usable answer. A read is not judged: there is nothing in it to correct.
 * - `answer_too_large`.
 */
export function problemOf(error: unknown, { isRead = false }: { readonly isRead?: boolean } = {}): unknown {
  if (!(error instanceof EngineError || error instanceof EngineUnreachable)) return error;
  if (isTooLarge(error)) {
    const message = `${error.message}. Ask for fewer entries.`;
    return new Problem("answer_too_large", { message, cause: error });
  }
  if (isJudgement(error) && !isRead) {
    const message = `The process engine refused this: ${error.message}`;
    return new Problem("engine_rejected", { message, cause: error });
  }
  const message = "The process engine gives no usable answer at the moment. Try again later.";
  return new Problem("engine_unavailable", { message, cause: error });
}
