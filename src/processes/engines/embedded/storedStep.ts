/** Runs a step on the stored state of an instance: the same in the main thread and in other threads. */

import type { ModelFacts, ProcessModel } from "../../bpmn/readModel.ts";
import { plainValues } from "../../variables/show.ts";
import type { ShownVariable } from "../../variables/variable.ts";
import { type EngineEvent, runStep, type Snapshot } from "./run.ts";

type Value = Pick<ShownVariable, "type" | "value">;

/** Plain data, which can be sent to another thread. */
export interface StepGiven {
  /** Compressed. Null to start an instance. */
  readonly engineState: Uint8Array | null;
  readonly event: EngineEvent;
  /** The variables that the model reads, by name. */
  readonly values: ReadonlyMap<string, Value>;
  /** The executions of the user tasks that are open already. */
  readonly openTasks: readonly string[];
  /** The database's time. */
  readonly now: Date;
}

export interface StepDone extends Omit<Snapshot, "state"> {
  /** Compressed. Null if the instance has ended. */
  readonly engineState: Uint8Array | null;
}

/** The variables that the step needs. */
export function valuesFor({ reads }: ModelFacts, variables: ReadonlyMap<string, Value>): StepGiven["values"] {
  const needed = [...variables].filter(([name]) => reads.has(name));
  return new Map(needed.map(([name, { type, value }]) => [name, { type, value }]));
}

/** Runs the step. Throws as `runStep` does. */
export function stepOn(
  model: ProcessModel,
  { engineState, event, values, openTasks, now }: StepGiven,
  budget?: number,
): StepDone {
  const state = engineState === null ? undefined : Bun.zstdDecompressSync(engineState).toString();
  const limit = budget === undefined ? {} : { budget };
  const { state: next, ...snapshot } = runStep({
    model,
    state,
    event,
    values: plainValues(values),
    openTasks: new Set(openTasks),
    now,
    ...limit,
  });
  return { ...snapshot, engineState: next === undefined ? null : Bun.zstdCompressSync(next) };
}
