import { utcText } from "../../infrastructure/database/timestamps.ts";
import type { ColumnType } from "./columnType.ts";
import { isDay } from "./date.ts";

/**
 * A moment (RFC 3339), to the microsecond. Refused, because PostgreSQL would change them silently: a leap second,
 * digits beyond the microsecond, a moment whose UTC year is not 1 to 9999.
 */
export const timestamp: ColumnType = {
  sqlType: "timestamptz",
  takes:
    "a moment written as RFC 3339, such as 2026-09-04T08:15:30.123456Z: with an offset below 16 hours, at most microseconds, no leap second, and a year from 1 to 9999 in UTC",
  accepts: (value) => typeof value === "string" && isMoment(value),
  fromFilter: (text) => text,
  toText: String,
  toAnswer: utcText,
};

const grammar =
  /^(\d{4}-\d{2}-\d{2})[Tt ]([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.\d{1,6}0{0,40})?(?:[Zz]|([+-])(0\d|1[0-5]):([0-5]\d))$/;

function isMoment(text: string): boolean {
  if (!grammar.test(text) || !isDay(text.slice(0, 10))) return false;
  // Only at the calendar's two ends can the offset lead out of it.
  return !/^(?:0001-01-01|9999-12-31)/.test(text) || isWithinCalendar(text);
}

function isWithinCalendar(text: string): boolean {
  const [, day, hours, minutes, , sign, offsetHours, offsetMinutes] = grammar.exec(text) ?? [];
  const offset = (Number(offsetHours ?? 0) * 60 + Number(offsetMinutes ?? 0)) * (sign === "-" ? -1 : 1);
  const utc = Number(hours) * 60 + Number(minutes) - offset;
  return day === "0001-01-01" ? utc >= 0 : utc < 24 * 60;
}
