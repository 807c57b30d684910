/** What kind of address one is, for a policy that lets calls go to the public internet alone (design 9). */
import ipaddr from "ipaddr.js";
import { type Address, isInRange } from "../ipAddress.ts";

const kinds: Readonly<Record<string, string>> = {
  unspecified: "an unspecified address",
  broadcast: "a broadcast address",
  multicast: "a multicast address",
  linkLocal: "a link-local address, as of a cloud's metadata service",
  loopback: "a loopback address",
  carrierGradeNat: "a carrier's shared address",
  private: "a private address",
  uniqueLocal: "a private address",
  deprecatedSiteLocal: "a private address",
  ipv4Mapped: "an IPv4 address written as IPv6",
  rfc6145: "an IPv4 address written as IPv6",
  rfc6052: "an IPv4 address behind NAT64",
  "6to4": "an IPv4 address behind 6to4",
  teredo: "an IPv4 address behind Teredo",
};

/** Where Azure's machines reach the platform that runs them: public by its number, metadata by its nature. */
const platformAddress = ipaddr.parse("168.63.129.16");
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Why an address is not an ordinary public one; undefined for one that is. Of IPv6, only 2000::/3 is public, which also
 * leaves out the IPv4-compatible addresses of ::/96 and whatever is not given out yet.
 */
export function specialKind(address: Address): string | undefined {
  const range = address.range();
  if (range !== "unicast") return kinds[range] ?? "an address reserved for documentation or a protocol";
  if (address.toString() === platformAddress.toString()) return "an address of the cloud platform";
  const isPublic = address instanceof ipaddr.IPv4 || isInRange(address, globalUnicast);
  return isPublic ? undefined : "an address outside of the public internet";
}

/** The address of a text in ordinary notation, with or without a zone; undefined for anything else. */
export function parseAddress(text: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  return ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : undefined;
}

/** The address that is really called: the system calls an IPv4 address written as IPv6 over IPv4. */
export const calledAddress = (address: Address): Address => ipaddr.process(address.toString());
