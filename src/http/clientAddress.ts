/** The address that a request came from, as far as it can be believed (design 4: TRUSTED_PROXIES). */
import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * The peer's address, or, where the peer is a trusted proxy, the last address of X-Forwarded-For that is not one.
 * IPv4 in IPv6 counts as IPv4. Whatever a client writes further left in the header is never looked at.
 */
export function clientAddress(peer: string, forwardedFor: string | null, trusted: readonly string[]): string {
  const ranges = trusted.map((range) => ipaddr.parseCIDR(range));
  const hops = [...(forwardedFor ?? "").split(",").map(withoutPort), peer];
  let nearest = ipaddr.process(peer);
  for (const hop of hops.reverse()) {
    if (!ipaddr.isValid(hop)) break;
    nearest = ipaddr.process(hop);
    if (!ranges.some(([range, bits]) => isWithin(nearest, range, bits))) break;
  }
  return nearest.toString();
}

/** What a limit counts by: an IPv6 host has a whole /64 to choose its addresses from. */
export function limitKeyOf(address: string): string {
  const parsed = ipaddr.parse(address);
  if (parsed.kind() === "ipv4") return address;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`)}/64`;
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (hop: string) =>
  /^\s*(?:\[([^\]]+)\](?::\d+)?|(\d+(?:\.\d+){3}):\d+|(.*?))\s*$/s.exec(hop)?.slice(1).find(Boolean) ?? "";

const isWithin = (address: Address, range: Address, bits: number) =>
  address.kind() === range.kind() && address.match(range as never, bits);
