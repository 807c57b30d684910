/** The times of timers, as Operaton reads them: ISO 8601 dates, durations and intervals, and expressions for these. */
import { getDate, ISOInterval } from "@0dep/piso";
import type { Element } from "./elements.ts";
import { checkTextWithExpressions, hasExpression, isTimeText } from "./expressions.ts";
import { unsupported } from "./unsupported.ts";
import type { ValidationReport } from "./validationReport.ts";

/**
 * The moment at which a timer is due that is set now. A duration may stand in the place of a date, and the other way
 * round. Throws for any other text.
 */
export function expiryOf(text: string, now: Date): Date {
  const time = text.trim();
  const isInterval = /^[PR]/.test(time) || time.includes("/");
  const moment = isInterval ? new ISOInterval(time).parse().getExpireAt(now, now) : getDate(time);
  if (!(moment instanceof Date) || Number.isNaN(moment.getTime()))
    throw new TypeError(`Invalid ISO 8601 time "${time.slice(0, 100)}"`);
  return moment;
}

/** Checks a timer's definition. `event` is where the timer is. */
export function validateTimer(event: Element, definition: Element, { fault }: ValidationReport): void {
  const { timeDuration, timeDate, timeCycle } = definition as Record<string, Element | undefined>;
  if (timeCycle) {
    fault(event, unsupported("A timer cycle is", "Here, use a duration or a date."));
    return;
  }
  const text = String((timeDuration ?? timeDate)?.body ?? "");
  const why = hasExpression(text) ? checkTextWithExpressions(text) : undefined;
  if (why) fault(event, why);
  if (!hasExpression(text) && !isTime(text))
    fault(event, `"${text.slice(0, 100)}" is not an ISO 8601 ${timeDuration ? "duration" : "date"}.`);
}

function isTime(text: string): boolean {
  if (!isTimeText(text)) return false;
  try {
    return expiryOf(text, new Date()) instanceof Date;
  } catch {
    return false;
  }
}
