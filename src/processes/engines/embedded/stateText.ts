/** The state of an instance as text, and what has to be known before it is recovered. */
import type { Definition } from "bpmn-elements";
import { type Copies, copiesIn } from "../../bpmn/copies.ts";
import { ProcessFailure } from "./processFailure.ts";

interface RecordedState {
  readonly copies: Copies;
  readonly state: object;
}

/** Characters. A thousand timers take half of them. */
const largestState = 8 * 1024 ** 2;

/**
 * A state with copies of activities begins with a line that lists them. A version that does not know copies would lose
 * their tokens. It cannot read this line, so its step fails and changes nothing.
 */
const heading = "copies ";

export function stateTextOf(definition: Definition): string {
  const state = definition.getState();
  const copies = copiesIn(state as never);
  const head = Object.keys(copies).length === 0 ? "" : `${heading}${JSON.stringify(copies)}\n`;
  const text = head + JSON.stringify(state);
  if (text.length <= largestState) return text;
  throw new ProcessFailure("The state of the process is larger than 8 MiB: too much waits at the same time.");
}

export function readState(text: string): RecordedState {
  const end = text.startsWith(heading) ? text.indexOf("\n") : 0;
  const copies = end === 0 ? {} : JSON.parse(text.slice(heading.length, end));
  return { copies, state: JSON.parse(text.slice(end)) };
}
