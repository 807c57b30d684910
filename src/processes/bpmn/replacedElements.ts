/**
 * Elements that replace those of bpmn-elements 17.3.0, each for a fault of the library's own. Those that concern
 * all elements are in the two files that this one exports. They override and call private methods.
 * test/processes/bpmn/replacedElements.test.ts fails when the library's version or one of those methods changes: then
 * compare each class with the new source before you update the test.
 */
import type { ContextInstance } from "bpmn-elements";
import {
  ErrorEventDefinition as LibraryError,
  TimerEventDefinition as LibraryTimer,
} from "bpmn-elements/eventDefinitions";
import { SequenceFlow as LibraryFlow } from "bpmn-elements/flows";
import { ParallelGatewayBehaviour } from "bpmn-elements/gateways";
import type { SerializableElement } from "moddle-context-serializer";
import { FlowNode } from "./flowNodes.ts";

export * from "./flowNodes.ts";
export * from "./waitingActivities.ts";

import { expiryOf } from "./timers.ts";

interface Timers {
  readonly timeout?: number;
}

interface Timer {
  readonly environment: { readonly timers: { readonly now: Date } };
  _getTimers(message: unknown): Timers;
  parse(type: string, text: string): { readonly expireAt: Date };
}

/**
 * A timer that is due waits until it is fired, like any other timer (engines/embedded/timers.ts). The library's own
 * timer fires while an instance recovers, before the activity that it interrupts exists again: two timers at one task
 * took both of their paths.
 *
 * A duration starts at the database's time. The clock of this process may be wrong.
 */
export class TimerEventDefinition extends (LibraryTimer as unknown as new (...given: unknown[]) => Timer) {
  override parse(type: string, text: string): { readonly expireAt: Date } {
    if (type === "timeCycle") return super.parse(type, text);
    return { expireAt: expiryOf(text, this.environment.timers.now) };
  }

  override _getTimers(message: unknown): Timers {
    const timers = super._getTimers(message);
    return { ...timers, timeout: Math.max(1, timers.timeout ?? 0) };
  }
}

interface ErrorMessage {
  readonly content: {
    /** The id of the error end event, or of the activity that failed. */
    readonly id: string;
    readonly error?: { readonly code?: unknown };
    readonly parent?: Parent & { readonly path?: readonly Parent[] };
  };
}

interface Parent {
  readonly executionId?: string;
}

const kExecuteMessage = Symbol.for("executeMessage");

interface ErrorCatcher {
  /** `inbound` has the execution of the activity that the event is attached to. */
  readonly [kExecuteMessage]: { readonly content: { readonly inbound?: readonly [Parent] } };
  _onErrorMessage(routingKey: string, message: ErrorMessage): unknown;
  _onThrowApiMessage(routingKey: string, message: ErrorMessage): unknown;
}

/** The errors that a boundary event catches. readModel.ts writes them into the event's definition. */
export interface Catches {
  /** The ids of the error end events whose error this event catches. */
  readonly throwers: readonly string[];
  /** The codes of failures that another event of the activity catches. */
  readonly leaves: readonly string[];
}

/**
 * An error is caught once: at the innermost activity that catches it, and by its code rather than by an event that
 * catches every error. With the library's own, every event that could catch an error did, also at activities that the
 * error did not come from.
 */
export class ErrorEventDefinition extends (LibraryError as unknown as new (
  ...given: unknown[]
) => ErrorCatcher) {
  readonly #catches: Partial<Catches>;

  constructor(activity: unknown, definition: { readonly behaviour?: Partial<Catches> }) {
    super(activity, definition);
    this.#catches = definition.behaviour ?? {};
  }

  override _onErrorMessage(routingKey: string, message: ErrorMessage): unknown {
    if (this.#catches.leaves?.some((code) => code === message.content.error?.code)) return undefined;
    return super._onErrorMessage(routingKey, message);
  }

  override _onThrowApiMessage(routingKey: string, message: ErrorMessage): unknown {
    if (!this.#catches.throwers?.includes(message.content.id)) return undefined;
    if (!this.#isAround(message)) return undefined;
    return super._onThrowApiMessage(routingKey, message);
  }

  /** Each token in the sub-process has an execution of its own. The error ends only the one that it comes from. */
  #isAround({ content: { parent } }: ErrorMessage): boolean {
    const [activity] = this[kExecuteMessage].content.inbound ?? [];
    const around = [parent, ...(parent?.path ?? [])];
    return around.some((scope) => scope?.executionId === activity?.executionId);
  }
}

interface Token {
  readonly content: { readonly id: string };
  ack(): void;
}

/**
 * A parallel gateway as BPMN defines it (2.0.2, 13.4.1): a join continues when each of its flows has brought a token,
 * and takes one token of each. Further tokens wait for the next time.
 *
 * The library counts sources, and counts a source whose path was not taken. Behind an exclusive merge, which reports
 * both paths, a join continued before the token of the other path came, and that token then waited without end.
 */
class Gateway extends FlowNode {
  /** Tokens that wait for those of the other flows. */
  readonly arrived: Token[] = [];

  /** The library binds this method in its constructor, so that a join calls ours. */
  _onJoinInbound(routingKey: string, token: Token): void {
    if (routingKey === "flow.discard") {
      token.ack();
      // As for a flow that is not followed further: the process stops waiting for what it brings.
      this.broker.publish("event", "flow.looped", token.content, { type: "looped" });
      return;
    }
    this.arrived.push(token);
    const firsts = [...Map.groupBy(this.arrived, ({ content }) => content.id).values()].map(
      ([first]) => first,
    );
    if (firsts.length < this.inbound.length) return;
    for (const first of firsts) first?.ack();
    // The other tokens return to the queue and wait for the next time.
    this.arrived.length = 0;
    this.broker.cancel("_run-on-inbound");
    this.run({ inbound: firsts.map((first) => ({ ...first?.content })) });
  }
}

export function ParallelGateway(definition: SerializableElement, context: ContextInstance): FlowNode {
  return new Gateway(ParallelGatewayBehaviour, { ...definition, isParallelGateway: true }, context);
}

type Content = Readonly<Record<string, unknown>>;

interface Flow {
  _publishEvent(action: "looped", content: Content): void;
  discard(content?: Content): void;
  shake(message: { readonly content: { readonly id: string } }): void;
}

/**
 * A sequence flow whose discard ends where it begins, and that is searched once.
 *
 * The library publishes a discard along every path that is not taken, because its joins count discards. Ours do not.
 * Every gateway doubles the number of paths: thirteen gateways in a row took 13 seconds. If nothing leads to an
 * element, the library also follows every path from it to find the end that it leads to ("shake").
 */
export class SequenceFlow extends (LibraryFlow as unknown as new (...given: unknown[]) => Flow) {
  /** The ids of the elements whose search has passed here. */
  readonly #shaken = new Set<string>();

  /** Publishes the event by which the library says that a flow brings nothing more. */
  override discard(content: Content = {}): void {
    this._publishEvent("looped", content);
  }

  override shake(message: { readonly content: { readonly id: string } }): void {
    const { id } = message.content;
    if (this.#shaken.has(id)) return;
    this.#shaken.add(id);
    super.shake(message);
  }
}
