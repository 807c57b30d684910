/** The policy lets no address of a private network through, in any notation and behind any name. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { checkTarget } from "../../../src/infrastructure/outbound/policy.ts";
import { failureOf } from "../../processes/delivery/failures.ts";

const runs = { numRuns: 2000 };

const refused = [
  [0x00000000, 8],
  [0x0a000000, 8],
  [0x64400000, 10],
  [0x7f000000, 8],
  [0xa9fe0000, 16],
  [0xac100000, 12],
  [0xc0000000, 24],
  [0xc0000200, 24],
  [0xc0a80000, 16],
  [0xc6120000, 15],
  [0xc6336400, 24],
  [0xcb007100, 24],
  [0xe0000000, 4],
  [0xf0000000, 4],
] as const;

/** An address of one of the ranges, as a 32-bit number. */
const privateNumber = fc
  .tuple(fc.constantFrom(...refused), fc.bigInt({ min: 0n, max: 0xffffffffn }))
  .map(([[network, bits], random]) => Number(BigInt(network) + (random & ((1n << BigInt(32 - bits)) - 1n))));

const bytesOf = (number: number) => [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256);
const dotted = (number: number) => bytesOf(number).join(".");

/** The notations of inet_aton and of URLs: one to four parts in three bases. The last part holds the rest. */
const oddNotation = fc
  .record({
    number: privateNumber,
    parts: fc.integer({ min: 1, max: 4 }),
    bases: fc.array(fc.constantFrom("decimal", "octal", "hex", "HEX"), { minLength: 4, maxLength: 4 }),
    dot: fc.constantFrom(".", "。", "．", "｡", "%2e"),
    end: fc.constantFrom("", "."),
    wide: fc.boolean(),
  })
  .map(({ number, parts, bases, dot, end, wide }) => {
    const heads = bytesOf(number).slice(0, parts - 1);
    const rest = number % 2 ** (8 * (5 - parts));
    const written = [...heads, rest].map((part, index) => inBase(part, bases[index] ?? "decimal"));
    return (wide ? fullWidth(written.join(dot)) : written.join(dot)) + end;
  });

function inBase(part: number, base: string): string {
  if (base === "octal") return `0${part.toString(8)}`;
  if (base === "hex") return `0x${part.toString(16)}`;
  return base === "HEX" ? `0X00${part.toString(16).toUpperCase()}` : String(part);
}

const fullWidth = (text: string) =>
  text.includes("%")
    ? text
    : text.replaceAll(/[0-9a-z]/gi, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0));

/** IPv4 in IPv6, in both notations of the last 32 bits. */
const inIpv6 = fc
  .record({
    number: privateNumber,
    form: fc.constantFrom(
      "::ffff:",
      "0:0:0:0:0:FFFF:",
      "::",
      "::ffff:0:",
      "64:ff9b::",
      "64:ff9b:1::",
      "2002:",
    ),
    asNumber: fc.boolean(),
  })
  .map(({ number, form, asNumber }) => {
    const groups = `${(number >>> 16).toString(16)}:${(number & 0xffff).toString(16)}`;
    if (form === "2002:") return `2002:${groups}::1`;
    return form + (asNumber ? groups : dotted(number));
  });

const privateIpv6 = fc
  .tuple(
    fc.constantFrom(
      "fc00:",
      "fdab:",
      "fe80:",
      "febf:",
      "fec0:",
      "ff02:",
      "2001:db8:",
      "3fff:fff:",
      "100:0:0:0:",
    ),
    fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 3, maxLength: 3 }),
  )
  .map(([prefix, groups]) => `${prefix}:${groups.map((group) => group.toString(16)).join(":")}`)
  .map((address) => address.replace(/:::/, "::"));

const neverResolve = async (host: string) => {
  throw new Error(`${host} was taken for a name`);
};

async function expectRefused(host: string): Promise<void> {
  const failure = await failureOf(() => checkTarget(`http://${host}/`, { allow: [], resolve: neverResolve }));
  expect([host, failure.code]).toEqual([host, "refused_by_policy"]);
}

test("IPv4 in every notation of a URL", () => fc.assert(fc.asyncProperty(oddNotation, expectRefused), runs));

test("IPv4 in IPv6, and private IPv6", () =>
  fc.assert(
    fc.asyncProperty(fc.oneof(inIpv6, privateIpv6), (address) => expectRefused(`[${address}]`)),
    runs,
  ));

test("behind a name, at any place among its addresses", () =>
  fc.assert(
    fc.asyncProperty(
      fc.oneof(privateNumber.map(dotted), inIpv6, privateIpv6),
      fc.array(fc.constantFrom<string>("93.184.216.34", "2606:4700::1111"), { maxLength: 3 }),
      fc.nat(3),
      async (address, others, at) => {
        const addresses = others.toSpliced(at, 0, address);
        const policy = { allow: [], resolve: async () => addresses };
        const failure = await failureOf(() => checkTarget("https://x.example/", policy));
        expect([address, failure.code]).toEqual([address, "refused_by_policy"]);
      },
    ),
    runs,
  ));
