/**
 * Every difference between the engines that the conformance suite allows, with its reason. docs/engines.md has the same
 * list for users. An expectation that consults this list says what holds on each side; nothing else may differ.
 */
import { type EngineName, engineName } from "./engine.ts";

interface Difference {
  /** Where it is not as with the embedded engine. */
  readonly on: readonly EngineName[];
  readonly reason: string;
}

const remote: readonly EngineName[] = ["operaton", "camunda7"];

const list = {
  "idempotency key": {
    on: remote,
    reason:
      "The key has the external task's id instead of the activity: in a multi-instance activity, instance, activity and " +
      "attempt are the same for all of its tasks.",
  },
  "offset of a date": {
    on: remote,
    reason:
      "A remote engine keeps the moment of a Date, not the offset in which it was written, and shows it in UTC.",
  },
  "empty assignee": {
    on: remote,
    reason:
      "A remote engine assigns a task to the empty text that its expression has, so its candidates cannot claim it. An " +
      "administrator can assign it.",
  },
  "Json list of candidates": {
    on: remote,
    reason: "A remote engine takes a list of Java as candidates, and refuses a Json variable.",
  },
} satisfies Readonly<Record<string, Difference>>;

export type DifferenceName = keyof typeof list;
export const differences: Readonly<Record<DifferenceName, Difference>> = list;

/** Whether the engine under test differs from the embedded one in this. */
export const differs = (name: DifferenceName) => differences[name].on.includes(engineName);

/** The expected value on the engine under test. */
export const expected = <T>(name: DifferenceName, values: { usual: T; different: T }): T =>
  differs(name) ? values.different : values.usual;
