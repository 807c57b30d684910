import { expect, test } from "bun:test";
import fc from "fast-check";
import { daysInMonth } from "../../src/infrastructure/calendar.ts";
import { decimalGrammar, integerOf, parseDecimal } from "../../src/infrastructure/decimal.ts";

const settings = { seed: 20260904, numRuns: 2_000 };
const whole = new RegExp(`^(?:${decimalGrammar.source})$`);

/** Texts that are numbers, and texts that are nearly numbers. */
const anyText = fc
  .array(fc.constantFrom(..."0123456789", "0", "0", "00", ".", "-", "+", "e", "E"), { maxLength: 12 })
  .map((parts) => parts.join(""));
const anyNumber = fc.stringMatching(/^-?(0|[1-9]\d{0,30})(\.\d{1,12})?([eE][+-]?\d{1,2})?$/);

test("a text is a decimal if the grammar says so", () => {
  const check = (text: string) => expect(parseDecimal(text) !== undefined).toBe(whole.test(text));
  fc.assert(fc.property(fc.oneof(anyText, anyNumber), check), settings);
});

/** By BigInt alone: the digits, moved by the power of ten. */
function slowInteger(text: string): bigint | undefined {
  const [, sign, before = "", after = "", power = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const shift = Number(power) - after.length;
  const digits = BigInt(before + after);
  const unit = 10n ** BigInt(Math.abs(shift));
  if (shift < 0 && digits % unit !== 0n) return undefined;
  const magnitude = shift < 0 ? digits / unit : digits * unit;
  if (magnitude >= 10n ** 19n) return undefined;
  return sign === "-" ? -magnitude : magnitude;
}

test("a decimal is an integer of up to 19 digits, however it is written", () => {
  const check = (text: string) => expect(integerOf(text)).toBe(slowInteger(text));
  fc.assert(fc.property(anyNumber, check), settings);
  expect(["1e99999999999999999999", "1e-99999999999999999999"].map(integerOf)).toEqual([
    undefined,
    undefined,
  ]);
  expect(integerOf(`1e${"0".repeat(50)}3`)).toBe(1000n);
});

test("a month has as many days as the calendar gives it", () => {
  for (const year of [1, 4, 100, 400, 1900, 1999, 2000, 2024, 9999])
    for (let month = 1; month <= 12; month++) {
      const afterwards = new Date(0);
      afterwards.setUTCFullYear(year, month, 0);
      expect([year, month, daysInMonth(year, month)]).toEqual([year, month, afterwards.getUTCDate()]);
    }
});
