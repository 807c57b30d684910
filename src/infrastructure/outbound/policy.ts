/**
 * Where service tasks may call out to: over http and https, to public addresses on ports 80 and 443, and to what the
 * operator allows. This machine's own addresses are no public ones, whatever their range. A host is judged by every address that it resolves to, once, and the call goes to those very addresses:
 * whatever the name resolves to a moment later is of no account.
 *
 * Odd notations (0x7f.1, 2130706433, full-width digits) need no rule: the URL parser makes ordinary addresses of them,
 * and refuses zone ids.
 */
import { lookup } from "node:dns/promises";
import type { Address } from "../ipAddress.ts";
import { calledAddress, parseAddress, specialKind } from "./addressKinds.ts";
import { type AllowRule, isAllowed } from "./allow.ts";
import { DeliveryFailure } from "./failure.ts";
import { interfaceAddresses } from "./ownAddresses.ts";

/** The addresses of a host name, IPv4 or IPv6 in ordinary notation. Throws where there are none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** A URL that may be called, and the addresses that were checked: nothing else may be called for it. */
export interface Target {
  readonly url: URL;
  readonly addresses: readonly string[];
}

/** By the operating system, as every other program on this machine does. */
export const systemResolve: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

export interface OutboundPolicy {
  readonly allow: readonly AllowRule[];
  readonly resolve: Resolve;
  /** Of this machine; those of its interfaces. */
  readonly ownAddresses?: () => readonly string[];
}

/**
 * Throws `invalid_url`, `refused_by_policy` where any of the addresses is not to be called, and `unreachable` for a name
 * that does not resolve.
 */
export async function checkTarget(text: string, policy: OutboundPolicy): Promise<Target> {
  const url = callableUrl(text);
  const host = hostOf(url);
  const literal = parseAddress(host);
  const addresses = literal ? [host] : await resolveAll(url, policy.resolve);
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  for (const address of addresses) {
    const refusal = refusalOf(address, { ...policy, host, port });
    if (refusal !== undefined) throw refused(host, port, { address, refusal });
  }
  return { url, addresses };
}

/** Without the brackets of an IPv6 address. */
export const hostOf = ({ hostname }: URL) => hostname.replace(/^\[(.*)\]$/, "$1");

function callableUrl(text: string): URL {
  const url = URL.parse(text);
  if (!url) throw new DeliveryFailure("invalid_url", "The URL of the service task is not a URL.");
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new DeliveryFailure(
      "refused_by_policy",
      "Only URLs that begin with http:// or https:// can be called.",
    );
  if (url.username !== "" || url.password !== "")
    throw new DeliveryFailure(
      "refused_by_policy",
      `The URL of ${url.host} holds credentials; send them in a header instead.`,
    );
  // The root's dot: the same host to a resolver, another one to a rule and to a certificate.
  if (url.hostname.endsWith(".")) url.hostname = url.hostname.slice(0, -1);
  return url;
}

async function resolveAll(url: URL, resolve: Resolve): Promise<readonly string[]> {
  const addresses = await resolve(url.hostname).catch((cause: unknown) => {
    throw unresolved(url, cause);
  });
  if (addresses.length === 0) throw unresolved(url);
  return addresses;
}

/** Ports that need no rule. */
const ordinaryPorts: readonly number[] = [80, 443];

/** What service tasks may not call, as the end of a sentence; undefined where the call is allowed. */
function refusalOf(
  text: string,
  {
    allow,
    ownAddresses = interfaceAddresses,
    host,
    port,
  }: OutboundPolicy & { readonly host: string; readonly port: number },
): string | undefined {
  const address = parseAddress(text);
  if (address === undefined) return "resolves to no address at all";
  const isOwn = reachesThisMachine(address, ownAddresses());
  if (isAllowed(allow, address, { host, port, isOwn })) return undefined;
  const kind = specialKind(address) ?? (isOwn ? "an address of this machine" : undefined);
  if (kind !== undefined) return `is or resolves to ${kind}`;
  return ordinaryPorts.includes(port) ? undefined : `is to be called on port ${port}, not on 80 or 443`;
}

/** Whatever the interfaces are, all of 127.0.0.0/8 and the unspecified address reach this machine. */
function reachesThisMachine(address: Address, own: readonly string[]): boolean {
  const called = calledAddress(address);
  if (/^(loopback|unspecified)$/.test(called.range())) return true;
  const bytes = called.toByteArray().join();
  return own.some((other) => {
    const parsed = parseAddress(other);
    return parsed !== undefined && calledAddress(parsed).toByteArray().join() === bytes;
  });
}

/** The address stays inside: whoever reads incidents need not learn what an internal name resolves to. */
function refused(host: string, port: number, { address, refusal }: { address: string; refusal: string }) {
  return new DeliveryFailure(
    "refused_by_policy",
    `${host} ${refusal}, which service tasks may not call. An operator can permit it by adding ${host.includes(":") ? `[${host}]` : host}:${port} to OUTBOUND_ALLOW.`,
    { cause: new Error(`${host} is ${address}`) },
  );
}

const unresolved = (url: URL, cause?: unknown) =>
  new DeliveryFailure(
    "unreachable",
    `The host ${url.hostname} has no address. Check the URL and the name server.`,
    {
      cause,
    },
  );
