import type { ColumnType } from "./columnType.ts";

/** A day of the proleptic Gregorian calendar, from year 1 to 9999. */
export const date: ColumnType = {
  sqlType: "date",
  takes: "a day that exists, written YYYY-MM-DD",
  accepts: (value) => typeof value === "string" && isDay(value),
  fromFilter: (text) => text,
  toText: String,
};

/** Whether `YYYY-MM-DD` names a day that exists. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8))];
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

function daysIn(year: number, month: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  if (month === 2) return leap ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
