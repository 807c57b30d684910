/** What an operator lets service tasks call although its address is private: OUTBOUND_ALLOW (design 4). */
import ipaddr from "ipaddr.js";
import { type Address, calledAddress, parseAddress } from "./addressKinds.ts";

/** A host or a range of addresses, on one port or on all. */
export interface AllowRule {
  /** Lower case, ASCII, without a closing dot: allowed whatever it resolves to. */
  readonly host: string | undefined;
  readonly range: readonly [Address, number] | undefined;
  readonly port: number | undefined;
}

/**
 * Entries are a host, `host:port`, an address (IPv6 with a port in brackets) or a CIDR range; a host means itself, not
 * what is beneath it. Throws an `Error` whose message names the entry.
 */
export function parseOutboundAllow(entries: readonly string[]): AllowRule[] {
  return entries.map((entry) => {
    const rule = rangeRule(entry) ?? hostRule(entry);
    if (rule) return rule;
    throw new Error(`${JSON.stringify(entry)} is not a host, host:port, address or CIDR range`);
  });
}

/** Whether a rule permits this address, which `host` resolved to, on this port. */
export function isAllowed(
  rules: readonly AllowRule[],
  address: Address,
  { host, port }: { readonly host: string; readonly port: number },
): boolean {
  const called = calledAddress(address);
  return rules.some((rule) => {
    if (rule.port !== undefined && rule.port !== port) return false;
    return rule.host === host || (rule.range !== undefined && isWithin(called, rule.range));
  });
}

function isWithin(address: Address, [network, bits]: readonly [Address, number]): boolean {
  return address.kind() === network.kind() && address.match(network as never, bits);
}

function rangeRule(entry: string): AllowRule | undefined {
  const [network = "", ...bits] = entry.split("/");
  if (bits.length > 0) return cidrRule(network, bits.join("/"));
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? [
    undefined,
    undefined,
    entry,
  ];
  const address = parseAddress(bracketed ?? plain ?? "");
  if (address === undefined || !isPort(port)) return undefined;
  const called = calledAddress(address);
  return {
    host: undefined,
    range: [called, called.toByteArray().length * 8],
    port: port ? Number(port) : undefined,
  };
}

function cidrRule(network: string, bits: string): AllowRule | undefined {
  const address = parseAddress(network);
  if (address === undefined || !/^\d{1,3}$/.test(bits)) return undefined;
  if (Number(bits) > address.toByteArray().length * 8) return undefined;
  return { host: undefined, range: [address, Number(bits)], port: undefined };
}

function hostRule(entry: string): AllowRule | undefined {
  const [, name = "", port] = /^([^:/?#@\\[\]*\s%]+)(?::(\d+))?$/.exec(entry) ?? [];
  const host = name && URL.parse(`http://${name}/`)?.hostname.replace(/\.$/, "");
  // A name that a URL reads as a number is an address in an odd notation: rather refused than guessed.
  if (!host || ipaddr.isValid(host) || !isPort(port)) return undefined;
  return { host, range: undefined, port: port === undefined ? undefined : Number(port) };
}

const isPort = (port: string | undefined) =>
  port === undefined || (/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535);
