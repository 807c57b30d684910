/** The address that a request came from, as far as it can be believed (TRUSTED_PROXIES). */
import ipaddr from "ipaddr.js";
import { type Address, isInRange } from "../infrastructure/ipAddress.ts";

/** More proxies than any honest chain has. What is further left is not read. */
const maxHops = 32;
/** Longer than any address with its zone, brackets and port. A longer hop is no address and is not read. */
const maxHopLength = 100;

/**
 * The peer's address, or, where the peer is a trusted proxy, the last address of X-Forwarded-For that is not one.
 * IPv4 in IPv6 counts as IPv4. The header of any other peer is not read, and neither is what a client writes further
 * left in it.
 */
export function clientAddress(peer: string, forwardedFor: string | null, trusted: readonly string[]): string {
  const ranges = trusted.map((range) => ipaddr.parseCIDR(range));
  const isTrusted = (address: Address) => ranges.some((range) => isInRange(address, range));
  let nearest = ipaddr.process(peer);
  for (const hop of lastHops(forwardedFor ?? "")) {
    if (!isTrusted(nearest) || !ipaddr.isValid(hop)) break;
    nearest = ipaddr.process(hop);
  }
  return nearest.toString();
}

/** The hops of the header from right to left, without ports. Empty for one that is too long. */
function* lastHops(header: string): Generator<string> {
  let end = header.length;
  for (let count = 0; count < maxHops && end >= 0; count++) {
    const comma = end === 0 ? -1 : header.lastIndexOf(",", end - 1);
    const hop = header.slice(comma + 1, end).trim();
    yield hop.length > maxHopLength ? "" : withoutPort(hop);
    end = comma;
  }
}

/** What a limit counts by: an IPv6 host has a whole /64 to choose its addresses from. */
export function limitKeyOf(address: string): string {
  const parsed = ipaddr.parse(address);
  if (parsed.kind() === "ipv4") return address;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`)}/64`;
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  const [, bracketed, dotted] = /^(?:\[([^\]]+)\]|(\d+(?:\.\d+){3}))(?::\d+)?$/.exec(hop) ?? [];
  return bracketed ?? dotted ?? hop;
}
