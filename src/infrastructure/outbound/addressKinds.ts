/** Tells public addresses from all others, for the policy on outbound calls. */
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

/** Azure's platform service for its machines. It looks like a public address, but is not one. */
const platformAddress = ipaddr.parse("168.63.129.16");
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * What the address is, if it is not an ordinary public one. Undefined for a public address. Of IPv6, only 2000::/3 is
 * public. This excludes the IPv4-compatible addresses of ::/96 and all ranges that are not assigned yet.
 */
export function specialKind(address: Address): string | undefined {
  const range = address.range();
  if (range !== "unicast") return kinds[range] ?? "an address reserved for documentation or a protocol";
  if (address.toString() === platformAddress.toString()) return "an address of the cloud platform";
  const isPublic = address instanceof ipaddr.IPv4 || isInRange(address, globalUnicast);
  return isPublic ? undefined : "an address outside the public internet";
}

/** Parses an address in ordinary notation, with or without a zone. Undefined for any other text. */
export function parseAddress(text: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  return ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : undefined;
}

/** The address that the system calls. It calls an IPv4 address written as IPv6 over IPv4. */
export const calledAddress = (address: Address): Address => ipaddr.process(address.toString());
