/**
 * Where a step runs. Nearly all are short and run in the main thread at once. A step whose model, state or values are
 * large, or that turns out to be long, runs in another thread within a time limit, so that it stops nobody else.
 */
import { Problem } from "../../../infrastructure/problem.ts";
import { WorkTimeout, workIn } from "../../../infrastructure/workers/workers.ts";
import { findBpmn } from "./definitionQueries.ts";
import type { EngineContext } from "./engineContext.ts";
import type { Model } from "./models.ts";
import { longestStepMs, OverBudget, ProcessFailure, StaleEvent, tooLongMessage } from "./run.ts";
import { type StepDone, type StepGiven, stepOn } from "./storedStep.ts";

const file = new URL("./stepWork.ts", import.meta.url);
const work = workIn<typeof import("./stepWork.ts")>();
// A step ends by itself at its limit, unless a single expression takes longer.
const step = work(file, "step", longestStepMs + 500);
const stepOnNewModel = work(file, "step", longestStepMs + 10_000);

/** Of a step in the main thread: some 20 ms. */
const budgetHere = 400;
/** Bytes of a compressed state; it has some twenty times as many characters. */
const largestStateHere = 8 * 1024;
/** Characters of the values that conditions and timers read. */
const largestValuesHere = 64 * 1024;

/** Models with a step that was too long for the main thread: the next one does not begin there. */
const long = new WeakSet<Model>();

/** Undefined where the step is for another thread. Throws `StaleEvent` and `process_failed`. */
export function runHere(model: Model, given: StepGiven): StepDone | undefined {
  if (!model.here || long.has(model) || !isSmall(given)) return undefined;
  try {
    return stepOn(model.here, given, budgetHere);
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

/** In another thread. Throws `StaleEvent`, `process_failed` and `busy`. Not to be called within a transaction. */
export async function runElsewhere(
  { sql, workers }: EngineContext,
  { model, tenantId }: { readonly model: Model; readonly tenantId: number },
  given: StepGiven,
): Promise<StepDone> {
  const { key } = model;
  const group = String(tenantId);
  // A copy: what the database's client hands out may be part of a larger buffer, which would be sent as a whole.
  const input = { ...given, engineState: given.engineState && new Uint8Array(given.engineState) };
  try {
    let answer = await workers.run(step, { model: { key }, given: input }, group);
    if (answer.kind === "unknownModel") {
      const { bpmn } = await findBpmn(sql, model.definitionId);
      answer = await workers.run(stepOnNewModel, { model: { key, bpmn }, given: input }, group);
    }
    if (answer.kind === "done") return answer.done;
    if (answer.kind === "staleEvent") throw new StaleEvent();
    if (answer.kind === "unknownModel") throw new Error("a thread does not take a model");
    const { message, timer } = answer;
    throw Object.assign(new ProcessFailure(message), timer ? { timer } : {});
  } catch (error) {
    throw processProblem(error);
  }
}

/** `process_failed` for what the model itself is to blame for. */
function processProblem(error: unknown): unknown {
  const failure =
    error instanceof WorkTimeout ? new ProcessFailure(tooLongMessage, { cause: error }) : (error as Error);
  if (!(failure instanceof ProcessFailure)) return failure;
  return new Problem("process_failed", { message: failure.message, cause: failure });
}
