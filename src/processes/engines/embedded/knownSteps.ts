/**
 * The steps that this process has run, to run none twice: most instances of a process take the same few steps.
 *
 * The result of a step is decided by the model, the instance's state, the event and the conditions that it evaluates.
 * Steps that depend on the time are not kept. The conditions are evaluated again for each instance, and so are the
 * owners of its new tasks.
 *
 * Instances that take the same step have the same executions, which have to be unique within an instance only. They
 * are: an event ends the execution that it names, and no other step begins that execution again. So an instance never
 * takes a step twice. See docs/decisions/processes.md.
 */
import { LRUCache } from "lru-cache";
import { evaluateCondition } from "../../bpmn/expressions.ts";
import { plainValues } from "../../variables/show.ts";
import type { Model } from "./models.ts";
import { withOwners } from "./run.ts";
import type { StepDone, StepGiven } from "./storedStep.ts";

type Values = Readonly<Record<string, unknown>>;

/** What a step does next: it evaluates a condition, or it is done. */
type Known = { readonly condition: string } | { readonly done: StepDone };

/** By the step, and the values of the conditions that it has evaluated before. */
const known = new LRUCache<string, Known>({
  maxSize: 32 * 1024 ** 2,
  sizeCalculation: sizeOf,
});

/** About the bytes that it takes. */
function sizeOf(next: Known): number {
  if ("condition" in next) return 500 + 2 * next.condition.length;
  const { engineState, userTasks, serviceTasks } = next.done;
  return 1_000 + (engineState?.byteLength ?? 0) + 500 * (userTasks.length + serviceTasks.length);
}

/** The result of the step, if it is known. Throws `ProcessFailure` if an owner of a new task is not known. */
export function findKnownStep(model: Model, given: StepGiven): StepDone | undefined {
  let values: Values | undefined;
  const valuesNow = () => {
    values ??= plainValues(given.values);
    return values;
  };
  for (let key = keyOf(model, given); ; ) {
    const next = known.get(key);
    if (!next) return undefined;
    if ("done" in next) return ownedBy(next.done, { model, given, valuesNow });
    const holds = outcomeOf(next.condition, valuesNow());
    if (holds === undefined) return undefined;
    key += holds;
  }
}

export function keepStep(model: Model, given: StepGiven, { userTasks, ...done }: StepDone): void {
  if (!done.decisions) return;
  let key = keyOf(model, given);
  for (const { condition, holds } of done.decisions) {
    known.set(key, { condition });
    key += holds;
  }
  const unowned = userTasks.map(({ owners: _, ...task }) => task);
  known.set(key, { done: { ...done, userTasks: unowned } });
}

/** Models with the same text are the same. */
function keyOf({ key }: Model, { engineState, event }: StepGiven): string {
  const hash = new Bun.CryptoHasher("sha256").update(`${key} ${JSON.stringify(event)} `);
  return hash.update(engineState ?? "").digest("base64");
}

/** Undefined if it fails. Then the step fails as well, and says why. */
function outcomeOf(condition: string, values: Values): boolean | undefined {
  try {
    return evaluateCondition(condition, values);
  } catch {
    return undefined;
  }
}

interface Asked {
  readonly model: Model;
  readonly given: StepGiven;
  readonly valuesNow: () => Values;
}

function ownedBy(done: StepDone, { model, given, valuesNow }: Asked): StepDone {
  if (done.userTasks.length === 0) return done;
  return withOwners(done, { model, values: valuesNow(), openTasks: new Set(given.openTasks) });
}
