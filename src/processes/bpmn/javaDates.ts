/** Dates in the patterns of Java that modelers write into `camunda:formField`, such as `dd/MM/yyyy`. */

/** Whether dates of the pattern also have a time. */
export const dateFormatOf = (pattern: string): "date" | "datetime" =>
  /[HhKkm]/.test(pattern.replaceAll(/'[^']*'/g, "")) ? "datetime" : "date";

/** The ISO date of a text. Undefined if it is no date of this pattern, or the pattern has more than numbers. */
export function isoDateOf(text: string, pattern: string): string | undefined {
  const parts = pattern.match(/d+|M+|y+|[^dMy]+/g) ?? [];
  const names = parts.map((part) => (Object.hasOwn(digits, part) ? part.charAt(0) : undefined));
  if (parts.some((part, index) => names[index] === undefined && /[a-zA-Z']/.test(part))) return undefined;
  if ([..."dMy"].some((letter) => names.filter((name) => name === letter).length !== 1)) return undefined;
  const source = parts.map((part) => digits[part] ?? RegExp.escape(part)).join("");
  const found = new RegExp(`^${source}$`).exec(text)?.slice(1) ?? [];
  const [day = "", month = "", year = ""] = [..."dMy"].map(
    (letter) => found[names.filter(Boolean).indexOf(letter)],
  );
  const iso = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  return isDate(iso) ? iso : undefined;
}

const digits: Readonly<Record<string, string>> = {
  d: "(\\d{1,2})",
  dd: "(\\d{2})",
  M: "(\\d{1,2})",
  MM: "(\\d{2})",
  yyyy: "(\\d{4})",
};

/** JavaScript takes 30 February for a day in March. */
function isDate(iso: string): boolean {
  const date = new Date(`${iso}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(iso);
}
