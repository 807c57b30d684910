/** Refuses new work while the process is overloaded, before anything of the request is looked at or read. */
import type { Pressure } from "../infrastructure/pressure.ts";
import { Problem } from "../infrastructure/problem.ts";
import type { Operation } from "./requestContext.ts";

/**
 * Health and readiness tell operators what is going on. A signed download belongs to a service task that is under way,
 * and its receiver asks only once.
 */
const isAlwaysServed = ({ tag, id }: Operation) => tag === "service" || id === "downloadSignedAttachment";

/** Throws `overloaded`. Costs nothing while there is no pressure. */
export function refuseUnderPressure(pressure: Pressure | undefined, operation: Operation): void {
  if (pressure?.reason() === undefined || isAlwaysServed(operation)) return;
  throw overloaded("The server has more work than it can do at the moment. Try again later.");
}

export const overloaded = (message: string, cause?: unknown) =>
  new Problem("overloaded", { message, cause, headers: { "Retry-After": "2" } });
