import { daysInMonth } from "../../infrastructure/calendar.ts";
import type { ColumnType } from "./columnType.ts";

/** A day of the proleptic Gregorian calendar, from year 1 to 9999. */
export const date: ColumnType = {
  sqlType: "date",
  takes: "a day that exists, written YYYY-MM-DD",
  accepts: (value) => typeof value === "string" && isDay(value),
  fromFilter: (text) => text,
  toText: String,
};

const grammar = /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;

/** Whether `YYYY-MM-DD` names a day that exists. */
export function isDay(text: string): boolean {
  if (!grammar.test(text)) return false;
  const day = Number(text.slice(8));
  return day <= 28 || day <= daysInMonth(Number(text.slice(0, 4)), Number(text.slice(5, 7)));
}
