/** IP addresses and the ranges that operators write for them. */
import type ipaddr from "ipaddr.js";

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** The network's address, and how many of its leading bits count. */
export type AddressRange = readonly [network: Address, bits: number];

/** False if one is IPv4 and the other IPv6. */
export const isInRange = (address: Address, [network, bits]: AddressRange): boolean =>
  address.kind() === network.kind() && address.match(network as never, bits);
