/** Refuses new requests while the process is overloaded, before anything of them is checked or read. */
import type { Pressure } from "../infrastructure/pressure.ts";
import { Problem } from "../infrastructure/problem.ts";
import type { Operation } from "./requestContext.ts";

/**
 * Operators need health and readiness to see what is wrong. A signed download belongs to a running service task, and
 * its receiver asks only once.
 */
const isAlwaysServed = ({ tag, id }: Operation) => tag === "service" || id === "downloadSignedAttachment";

/** Throws `overloaded`. Costs nothing while there is no pressure. */
export function refuseUnderPressure(pressure: Pressure | undefined, operation: Operation): void {
  if (pressure?.reason() === undefined || isAlwaysServed(operation)) return;
  throw overloaded("The server has too much work at the moment. Try again later.");
}

export const overloaded = (message: string, cause?: unknown) =>
  new Problem("overloaded", { message, cause, headers: { "Retry-After": "2" } });
