import { utcText } from "../../infrastructure/database/timestamps.ts";
import type { ColumnType } from "./columnType.ts";
import { isDay } from "./date.ts";

/**
 * A moment (RFC 3339) with microseconds. Leap seconds, further digits and UTC years outside 1 to 9999 are refused,
 * because PostgreSQL would change them silently.
 */
export const timestamp: ColumnType = {
  sqlType: "timestamptz",
  takes:
    "a moment written as RFC 3339, such as 2026-09-04T08:15:30.123456Z, with an offset below 16 hours, " +
    "at most microseconds, no leap second, and a year from 1 to 9999 in UTC",
  accepts: (value) => typeof value === "string" && isMoment(value),
  fromFilter: (text) => text,
  toText: String,
  toAnswer: utcText,
};

const day = /(\d{4}-\d{2}-\d{2})/;
const time = /([01]\d|2[0-3]):([0-5]\d):[0-5]\d(?:\.\d{1,6}0{0,40})?/;
const zone = /(?:[Zz]|([+-])(0\d|1[0-5]):([0-5]\d))/;
const grammar = new RegExp(`^${day.source}[Tt ]${time.source}${zone.source}$`);

function isMoment(text: string): boolean {
  if (!grammar.test(text) || !isDay(text.slice(0, 10))) return false;
  // Only on the first and the last day can the offset lead out of the calendar.
  return !/^(?:0001-01-01|9999-12-31)/.test(text) || isWithinCalendar(text);
}

function isWithinCalendar(text: string): boolean {
  const [, date, hours, minutes, sign, offsetHours, offsetMinutes] = grammar.exec(text) ?? [];
  const offset = (Number(offsetHours ?? 0) * 60 + Number(offsetMinutes ?? 0)) * (sign === "-" ? -1 : 1);
  const utc = Number(hours) * 60 + Number(minutes) - offset;
  return date === "0001-01-01" ? utc >= 0 : utc < 24 * 60;
}
