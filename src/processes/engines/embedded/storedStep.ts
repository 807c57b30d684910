/** A step on what the database keeps of an instance. The same in the main thread and in others. */

import type { ModelFacts, ProcessModel } from "../../bpmn/readModel.ts";
import { plainValues } from "../../variables/show.ts";
import type { ShownVariable } from "../../variables/variable.ts";
import { type EngineEvent, runStep, type Snapshot } from "./run.ts";

type Value = Pick<ShownVariable, "type" | "value">;

/** Plain data, which can be sent to another thread. */
export interface StepGiven {
  /** Compressed; null for an instance that starts. */
  readonly engineState: Uint8Array | null;
  readonly event: EngineEvent;
  /** The variables that the model reads, by name. */
  readonly values: ReadonlyMap<string, Value>;
  /** By the database's clock. */
  readonly now: Date;
}

export interface StepDone extends Omit<Snapshot, "state"> {
  /** Compressed; null where the instance has ended. */
  readonly engineState: Uint8Array | null;
}

/** What the step needs of the variables. */
export function valuesFor({ reads }: ModelFacts, variables: ReadonlyMap<string, Value>): StepGiven["values"] {
  const needed = [...variables].filter(([name]) => reads.has(name));
  return new Map(needed.map(([name, { type, value }]) => [name, { type, value }]));
}

/** As `runStep`, with its errors. */
export function stepOn(
  model: ProcessModel,
  { engineState, event, values, now }: StepGiven,
  budget?: number,
): StepDone {
  const state = engineState === null ? undefined : Bun.zstdDecompressSync(engineState).toString();
  const limit = budget === undefined ? {} : { budget };
  const { state: next, ...snapshot } = runStep({
    model,
    state,
    event,
    values: plainValues(values),
    now,
    ...limit,
  });
  return { ...snapshot, engineState: next === undefined ? null : Bun.zstdCompressSync(next) };
}
