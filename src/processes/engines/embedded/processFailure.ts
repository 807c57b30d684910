/** Failures of a model while it runs, as sentences for users. */
import { modelIdOf } from "../../bpmn/copies.ts";
import { ExpressionError } from "../../bpmn/expressions.ts";

/** The model fails: no condition holds, an expression fails, or nothing catches an error. */
export class ProcessFailure extends Error {
  override readonly name = "ProcessFailure";
  /** The event of the timer that the step fired, if any. */
  timer?: { readonly activityId: string; readonly executionId: string };
  /** Every rerun of the step fails in the same way: the model is the cause, and no variable decided anything. */
  isFinal?: boolean;
  /** The model is the cause, if no variable decided otherwise. */
  readonly ofModel: boolean;

  constructor(message: string, { ofModel = false, cause }: { ofModel?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.ofModel = ofModel;
  }
}

const finalAdvice = "A rerun fails again: terminate this instance, and start a new one.";

/** What a person can do about an incident that no rerun changes. Undefined if a rerun can help. */
export const finalAdviceFor = (error: Error): string | undefined =>
  error.cause instanceof ProcessFailure && error.cause.isFinal ? finalAdvice : undefined;

/** The engine's error as a sentence for any member of the tenant: it contains no value of a variable. */
export function processFailureOf(cause: unknown): ProcessFailure {
  const chain = chainOf(cause);
  const own = chain.find((error) => error instanceof ProcessFailure);
  if (own) return own;
  const found = chain.find((error) => error instanceof ExpressionError);
  const stuck = modelId(/^<(.+)> no conditional flow taken$/.exec((cause as Error).message)?.[1]);
  const uncaught = chain.find(({ code }) => code !== undefined)?.code;
  if (found instanceof ExpressionError) return new ProcessFailure(found.message, { cause });
  if (stuck)
    return new ProcessFailure(`No condition behind "${stuck}" holds, and it has no default flow.`, { cause });
  if (uncaught)
    return new ProcessFailure(`Nothing catches the BPMN error ${uncaught}.`, { cause, ofModel: true });
  const activity = modelId(chain.map(({ source }) => source?.content?.id).find((id) => id !== undefined));
  const where = activity === undefined ? "this step" : `"${activity}"`;
  if (chain.some(({ message }) => /ISO 8601|Invalid (Date|time value)/i.test(message)))
    return new ProcessFailure(`The time of ${where} is not a date or duration in ISO 8601.`, { cause });
  return new ProcessFailure(
    `The process could not continue after ${where}. See the server log for details.`,
    { cause },
  );
}

const modelId = (id: string | undefined) => id && modelIdOf(id);

interface EngineError extends Error {
  readonly code?: string;
  readonly inner?: EngineError;
  /** The message of the activity in which it happened. */
  readonly source?: { readonly content?: { readonly id?: string } };
}

/** The error and its causes. The engine wraps errors and keeps the original as `inner`. */
function chainOf(error: unknown): EngineError[] {
  const chain: EngineError[] = [];
  let at = error as EngineError | undefined;
  while (at instanceof Error && chain.length < 5) {
    chain.push(at);
    at = at.inner ?? (at.cause as EngineError | undefined);
  }
  return chain;
}
