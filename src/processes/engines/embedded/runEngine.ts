/**
 * Decides where a step runs. Nearly all steps are short and run in the main thread. A step with a large model, state or
 * values, and one that exceeds its budget, runs in another thread with a time limit, so that it does not block other
 * work. See docs/decisions/fairness.md.
 */
import { Problem } from "../../../infrastructure/problem.ts";
import { WorkTimeout, workIn } from "../../../infrastructure/workers/workers.ts";
import { findBpmn } from "./definitionQueries.ts";
import type { EngineContext } from "./engineContext.ts";
import { findKnownStep, keepStep } from "./knownSteps.ts";
import type { Model } from "./models.ts";
import { ProcessFailure } from "./processFailure.ts";
import { StaleEvent } from "./run.ts";
import { longestStepMs, OverBudget, tooLongMessage } from "./stepWatch.ts";
import { type StepDone, type StepGiven, stepOn } from "./storedStep.ts";

const file = new URL("./stepWork.ts", import.meta.url);
const work = workIn<typeof import("./stepWork.ts")>();
// A step ends itself at its limit, unless one expression takes longer.
const step = work(file, "step", longestStepMs + 500);
const stepOnNewModel = work(file, "step", longestStepMs + 10_000);

/** Events of a step in the main thread: about 20 ms. */
const budgetHere = 400;
/** Bytes of a compressed state, which has about twenty times as many characters. */
const largestStateHere = 8 * 1024;
/** Characters of the values that conditions and timers read. */
const largestValuesHere = 64 * 1024;

/** Models with a step that was too long for the main thread. Their next steps start in another thread. */
const long = new WeakSet<Model>();

/** Undefined if the step must run in another thread. Throws `StaleEvent` and `process_failed`. */
export function runHere(model: Model, given: StepGiven): StepDone | undefined {
  if (!model.here || long.has(model) || !isSmall(given)) return undefined;
  try {
    const known = findKnownStep(model, given);
    if (known) return known;
    const done = stepOn(model.here, given, budgetHere);
    keepStep(model, given, done);
    return done;
  } catch (error) {
    if (!(error instanceof OverBudget)) throw processProblem(error);
    long.add(model);
    return undefined;
  }
}

function isSmall({ engineState, values }: StepGiven): boolean {
  const size = [...values.values()].reduce((sum, { value }) => sum + value.length, 0);
  return (engineState?.byteLength ?? 0) <= largestStateHere && size <= largestValuesHere;
}

/** Runs in another thread. Throws `StaleEvent`, `process_failed` and `busy`. Do not call it within a transaction. */
export async function runElsewhere(
  { sql, workers }: EngineContext,
  { model, tenantId }: { readonly model: Model; readonly tenantId: number },
  given: StepGiven,
): Promise<StepDone> {
  const { key } = model;
  const group = String(tenantId);
  // Copied, because the database client's array may be part of a larger buffer, and all of it would be sent.
  const input = { ...given, engineState: given.engineState && new Uint8Array(given.engineState) };
  try {
    let answer = await workers.run(step, { model: { key }, given: input }, group);
    if (answer.kind === "unknownModel") {
      const { bpmn } = await findBpmn(sql, model.definitionId);
      answer = await workers.run(stepOnNewModel, { model: { key, bpmn }, given: input }, group);
    }
    if (answer.kind === "done") return answer.done;
    if (answer.kind === "staleEvent") throw new StaleEvent();
    if (answer.kind === "unknownModel") throw new Error("a worker thread did not accept a model");
    const { message, timer, isFinal = false } = answer;
    throw Object.assign(new ProcessFailure(message), { isFinal }, timer ? { timer } : {});
  } catch (error) {
    throw processProblem(error);
  }
}

/** Turns a failure of the model into `process_failed`. */
function processProblem(error: unknown): unknown {
  const failure =
    error instanceof WorkTimeout ? new ProcessFailure(tooLongMessage, { cause: error }) : (error as Error);
  if (!(failure instanceof ProcessFailure)) return failure;
  const advice = failure.isFinal ? " Correct the model and deploy it." : "";
  return new Problem("process_failed", { message: failure.message + advice, cause: failure });
}
