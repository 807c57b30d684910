/** OUTBOUND_ALLOW: what service tasks may call besides public addresses on ports 80 and 443. */
import ipaddr from "ipaddr.js";
import { type Address, type AddressRange, isInRange } from "../ipAddress.ts";
import { calledAddress, parseAddress } from "./addressKinds.ts";

/** A host or a range of addresses, on one port or on every port. Exactly one of `host` and `range` is defined. */
export interface AllowRule {
  /** In lower case and ASCII, without a dot at the end. Allowed whatever it resolves to. */
  readonly host: string | undefined;
  readonly range: AddressRange | undefined;
  readonly port: number | undefined;
}

/**
 * Parses entries. An entry is a host, an address or a CIDR range, with a port after a colon, or without one, which
 * means every port. IPv6 with a port is written in brackets: `[fd00::1]:8080`, `[fd00::/8]:8080`. A host means
 * itself, not its subdomains. Throws an `Error` whose message names the wrong entry.
 */
export function parseOutboundAllow(entries: readonly string[]): AllowRule[] {
  return entries.map((entry) => {
    const rule = rangeRule(entry) ?? hostRule(entry);
    if (rule) return rule;
    throw new Error(`${JSON.stringify(entry)} is not a host, host:port, address or CIDR range`);
  });
}

/**
 * Whether a rule permits this address, which `host` resolved to, on this port. A rule must name an address of this
 * machine (`isOwn`) by its host, as one address, or by a range of loopback addresses. A wider range means only other
 * machines.
 */
export function isAllowed(
  rules: readonly AllowRule[],
  address: Address,
  { host, port, isOwn = false }: { readonly host: string; readonly port: number; readonly isOwn?: boolean },
): boolean {
  const called = calledAddress(address);
  return rules.some((rule) => {
    if (rule.port !== undefined && rule.port !== port) return false;
    if (rule.host === host) return true;
    return rule.range !== undefined && isInRange(called, rule.range) && (!isOwn || namesOwn(rule.range));
  });
}

function namesOwn([network, bits]: AddressRange): boolean {
  return bits === bitsOf(network) || (network.range() === "loopback" && bits >= 8);
}

const bitsOf = (address: Address) => address.toByteArray().length * 8;

function rangeRule(entry: string): AllowRule | undefined {
  if (entry.includes("/")) return cidrRule(entry);
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
    range: [called, bitsOf(called)],
    port: port ? Number(port) : undefined,
  };
}

function cidrRule(entry: string): AllowRule | undefined {
  const [, bracketed, plain = bracketed, port] =
    /^(?:\[([^\]]*)\]|([^[\]]*?\/\d+))(?::(\d+))?$/.exec(entry) ?? [];
  const [, network = "", bits] = /^([^/]*)\/(\d{1,3})$/.exec(plain ?? "") ?? [];
  const address = parseAddress(network);
  if (address === undefined || !isPort(port) || Number(bits) > bitsOf(address)) return undefined;
  return { host: undefined, range: [address, Number(bits)], port: port ? Number(port) : undefined };
}

function hostRule(entry: string): AllowRule | undefined {
  const [, name = "", port] = /^([^:/?#@\\[\]*\s%]+)(?::(\d+))?$/.exec(entry) ?? [];
  const host = name && URL.parse(`http://${name}/`)?.hostname.replace(/\.$/, "");
  // A name that a URL reads as a number is an address in an odd notation. Refusing it is safer than guessing.
  if (!host || ipaddr.isValid(host) || !isPort(port)) return undefined;
  return { host, range: undefined, port: port === undefined ? undefined : Number(port) };
}

const isPort = (port: string | undefined) =>
  port === undefined || (/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535);
