/** A client cannot choose the address that limits count. Only headers of trusted proxies are used. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { clientAddress, limitKeyOf } from "../../src/http/clientAddress.ts";

const settings = { seed: 20260904, numRuns: 500 };
const trusted = ["10.0.0.0/8", "192.168.1.1/32", "fd00::/8"];

const canonical = (address: string) => ipaddr.process(address).toString();
const isTrusted = (address: string) => /^(10\.|192\.168\.1\.1$|fd)/.test(canonical(address));
const addresses = fc.oneof(fc.ipV4(), fc.ipV6());
const strangers = addresses.filter((address) => !isTrusted(address));
const proxies = fc.oneof(
  fc.ipV4().map((address) => address.replace(/^\d+/, "10")),
  fc.constantFrom("192.168.1.1", "::ffff:10.1.2.3", "fd00::1", "fdff:1::2"),
);
/** What a client may write: addresses, also trusted ones, and any other text. */
const written = fc
  .array(
    fc.oneof(addresses, proxies, fc.string(), fc.constantFrom("unknown", "", "_x", "1.2.3.4:80", "[::1]:80")),
  )
  .map((hops) => hops.join(", "));

test("without trusted proxies the peer counts, whatever the header says", () => {
  const check = (peer: string, header: string | null) =>
    expect(clientAddress(peer, header, [])).toBe(canonical(peer));
  fc.assert(fc.property(addresses, fc.option(written), check), settings);
});

test("a peer that is not a trusted proxy counts, whatever the header says", () => {
  const check = (peer: string, header: string | null) =>
    expect(clientAddress(peer, header, trusted)).toBe(canonical(peer));
  fc.assert(fc.property(strangers, fc.option(written), check), settings);
});

test("behind trusted proxies the last address that is not a trusted proxy counts", () => {
  const check = (lies: string, client: string, chain: string[], peer: string) => {
    const header = [lies, client, ...chain].join(" , ");
    expect(clientAddress(peer, header, trusted)).toBe(canonical(client));
  };
  const chains = fc.array(proxies, { maxLength: 3 });
  fc.assert(fc.property(written, strangers, chains, proxies, check), settings);
});

test("a port behind the address is ignored", () => {
  for (const [hop, address] of [
    ["5.6.7.8:90", "5.6.7.8"],
    ["[2001:db8::1]:90", "2001:db8::1"],
    ["[2001:db8::1]", "2001:db8::1"],
  ])
    expect(clientAddress("10.0.0.1", `1.2.3.4, ${hop}`, ["10.0.0.0/8"])).toBe(address as string);
});

test("a trusted proxy that names no address counts itself", () => {
  const nobody = fc.constantFrom(null, "", " ", ",", "unknown", "1.2.3.4,", "1.2.3.4, unknown");
  fc.assert(
    fc.property(proxies, nobody, (peer, header) =>
      expect(clientAddress(peer, header, trusted)).toBe(canonical(peer)),
    ),
    settings,
  );
});

test("IPv4 in IPv6 counts as IPv4, for peers, proxies and clients", () => {
  const check = (client: string) => {
    expect(clientAddress(`::ffff:${client}`, null, [])).toBe(client);
    expect(clientAddress("::ffff:10.0.0.1", `::ffff:${client}`, ["10.0.0.1/32"])).toBe(client);
  };
  fc.assert(fc.property(fc.ipV4(), check), settings);
});

test("every header gives an address and a key", () => {
  const headers = fc.oneof(
    written,
    fc.string({ unit: "binary" }),
    fc.constantFrom("fe80::1%eth0", "::%1", "%", "0x7f.1"),
  );
  const check = (peer: string, header: string) => {
    const address = clientAddress(peer, header, trusted);
    expect(ipaddr.isValid(address)).toBe(true);
    expect(limitKeyOf(address)).toMatch(/^[0-9a-f.:]+(\/64)?$/);
  };
  fc.assert(fc.property(fc.oneof(proxies, fc.constant("fe80::1%eth0")), headers, check), settings);
});

const groups = (count: number) =>
  fc.array(fc.integer({ min: 1, max: 0xffff }), { minLength: count, maxLength: count });
const ipv6 = (parts: readonly number[]) => parts.map((part) => part.toString(16)).join(":");

test("IPv6 addresses have the same key if they are in the same /64", () => {
  const check = (net: number[], one: number[], two: number[], other: number[]) => {
    const key = limitKeyOf(ipv6([...net, ...one]));
    expect(limitKeyOf(ipv6([...net, ...two]))).toBe(key);
    expect(limitKeyOf(ipv6([...other, ...one])) === key).toBe(ipv6(net) === ipv6(other));
  };
  fc.assert(fc.property(groups(4), groups(4), groups(4), groups(4), check), settings);
});

test("each IPv4 address has its own key", () => {
  const check = (one: string, two: string) => expect(limitKeyOf(one) === limitKeyOf(two)).toBe(one === two);
  fc.assert(fc.property(fc.ipV4(), fc.ipV4(), check), settings);
});

/** Milliseconds for 200 calls with this header: the fastest of three rounds. */
function timeOf(peer: string, header: string): number {
  const round = () => {
    const begun = performance.now();
    for (let count = 0; count < 200; count++) clientAddress(peer, header, trusted);
    return performance.now() - begun;
  };
  return Math.min(round(), round(), round());
}

const hostile: Readonly<Record<string, (size: number) => string>> = {
  "blanks between two letters": (size) => `a${" ".repeat(size)}b`,
  "blanks within an address": (size) => `1.2.3.4${" ".repeat(size)},5`,
  "tabs and blanks": (size) => `${"\t ".repeat(size / 2)}x`,
  digits: (size) => `${"1".repeat(size)}:`,
  "digits and dots": (size) => `${"1.".repeat(size / 2)}:`,
  colons: (size) => ":".repeat(size),
  brackets: (size) => "[".repeat(size),
  commas: (size) => ",".repeat(size),
  "trusted addresses": (size) => "10.0.0.1,".repeat(size / 9),
};

// A quadratic pattern once took 250 ms and more for each header of 15,500 blanks.
test.each(Object.entries(hostile))("reading the largest header of %s takes at most 10 ms", (_what, make) => {
  for (const peer of ["10.0.0.1", "203.0.113.9"]) expect(timeOf(peer, make(16_000))).toBeLessThan(2_000);
});

test("an address between hundreds of blanks is read", () => {
  expect(clientAddress("10.0.0.1", `1.2.3.4,${" ".repeat(200)}5.6.7.8${" ".repeat(200)}`, trusted)).toBe(
    "5.6.7.8",
  );
});

test("in a chain of 200 trusted proxies, the last one that is read counts", () => {
  const chain = ["1.2.3.4", ...Array.from({ length: 200 }, (_, at) => `10.0.0.${at}`)].join(", ");
  expect(clientAddress("10.9.9.9", chain, trusted)).toBe("10.0.0.168");
});
