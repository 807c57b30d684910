/** The address that a request came from, as far as it can be trusted (TRUSTED_PROXIES). */
import ipaddr from "ipaddr.js";
import { type Address, isInRange } from "../infrastructure/ipAddress.ts";

/** More proxies than any honest chain has. Addresses further left are not read. */
const maxHops = 32;
/** Longer than any address with its zone, brackets and port. A longer hop cannot be an address and is not read. */
const maxHopLength = 100;

/**
 * Returns the peer's address. If the peer is a trusted proxy, returns the last address of X-Forwarded-For that is not a
 * trusted proxy. IPv4 in IPv6 counts as IPv4. The header of other peers is not read, nor what a client writes further
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

/** The hops of the header from right to left, without ports. A hop that is too long is empty text. */
function* lastHops(header: string): Generator<string> {
  let end = header.length;
  for (let count = 0; count < maxHops && end >= 0; count++) {
    const comma = end === 0 ? -1 : header.lastIndexOf(",", end - 1);
    const hop = header.slice(comma + 1, end).trim();
    yield hop.length > maxHopLength ? "" : withoutPort(hop);
    end = comma;
  }
}

/** The key under which limits count an address. For IPv6 it is the /64, because a host can use any address in it. */
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
