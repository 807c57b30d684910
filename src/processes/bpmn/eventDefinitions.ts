/** Two event definitions in place of the library's own (bpmn-elements 17), whose events happen when they should not. */
import { ISOInterval } from "@0dep/piso";
import {
  ErrorEventDefinition as LibraryError,
  TimerEventDefinition as LibraryTimer,
} from "bpmn-elements/eventDefinitions";

interface Timers {
  readonly timeout?: number;
}

interface Timer {
  readonly environment: { readonly timers: { readonly now: Date } };
  _getTimers(message: unknown): Timers;
  parse(type: string, text: string): { readonly expireAt: Date };
}

/**
 * A timer that is due waits to be fired like any other (embedded/timers.ts). The library's own fires while an instance
 * recovers, when none of what it interrupts is there to be interrupted: two timers at one task took both their paths.
 *
 * A duration begins at the database's time and not at this process's, whose clock may be wrong.
 */
export class TimerEventDefinition extends (LibraryTimer as unknown as new (...given: unknown[]) => Timer) {
  override parse(type: string, text: string): { readonly expireAt: Date } {
    if (type !== "timeDuration") return super.parse(type, text);
    const { now } = this.environment.timers;
    return { expireAt: new ISOInterval(text).parse().getExpireAt(now, now) };
  }

  override _getTimers(message: unknown): Timers {
    const timers = super._getTimers(message);
    return { ...timers, timeout: Math.max(1, timers.timeout ?? 0) };
  }
}

interface ErrorMessage {
  readonly content: {
    /** Of the error end event, or of the activity that failed. */
    readonly id: string;
    readonly error?: { readonly code?: unknown };
  };
}

interface Hears {
  _onErrorMessage(routingKey: string, message: ErrorMessage): unknown;
  _onThrowApiMessage(routingKey: string, message: ErrorMessage): unknown;
}

/** What a boundary event is told of the errors that it catches (readModel.ts). */
export interface Catches {
  /** The error end events whose error is this event's. */
  readonly throwers: readonly string[];
  /** The codes of failures that another event of the activity catches. */
  readonly leaves: readonly string[];
}

/**
 * An error is caught once, at the innermost activity that catches it, and by its code before one that catches all. With
 * the library's own, every event happened that could, also at activities that the error does not come from.
 */
export class ErrorEventDefinition extends (LibraryError as unknown as new (...given: unknown[]) => Hears) {
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
    return super._onThrowApiMessage(routingKey, message);
  }
}
