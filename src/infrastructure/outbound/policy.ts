/**
 * What service tasks may call: over http and https, public addresses on ports 80 and 443, and what the operator allows.
 * The addresses of this machine do not count as public, whatever their range.
 *
 * A host is resolved once, every address is checked, and the call goes to exactly these addresses. So it does not
 * matter what the name resolves to a moment later.
 *
 * Odd notations (0x7f.1, 2130706433, full-width digits) need no rule: the URL parser turns them into ordinary
 * addresses. It also refuses zone ids.
 */
import { lookup } from "node:dns/promises";
import type { Address } from "../ipAddress.ts";
import { calledAddress, parseAddress, specialKind } from "./addressKinds.ts";
import { type AllowRule, isAllowed } from "./allow.ts";
import { DeliveryFailure } from "./failure.ts";
import { interfaceAddresses } from "./ownAddresses.ts";

/** Returns the addresses of a host name, IPv4 or IPv6 in ordinary notation. Throws if there are none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** A URL that may be called, and the checked addresses. The call must go to one of these. */
export interface Target {
  readonly url: URL;
  readonly addresses: readonly string[];
}

/** Resolves a name with the operating system, as other programs on this machine do. */
export const systemResolve: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

export interface OutboundPolicy {
  readonly allow: readonly AllowRule[];
  readonly resolve: Resolve;
  /** The addresses of this machine. Default: those of its interfaces. */
  readonly ownAddresses?: () => readonly string[];
}

/**
 * Throws `invalid_url`, `refused_by_policy` if any of the addresses may not be called, and `unreachable` if the name
 * does not resolve.
 */
export async function checkTarget(text: string, policy: OutboundPolicy): Promise<Target> {
  const url = callableUrl(text);
  const host = hostOf(url);
  const literal = parseAddress(host);
  const addresses = literal ? [host] : await resolveAll(url, policy.resolve);
  requireAllowed(url, addresses, policy);
  return { url, addresses };
}

/** Why the URL cannot be called, as far as it can be said without a name server. */
export function refusalWithoutLookup(
  text: string,
  policy: Omit<OutboundPolicy, "resolve">,
): DeliveryFailure | undefined {
  try {
    const url = callableUrl(text);
    const host = hostOf(url);
    if (parseAddress(host)) requireAllowed(url, [host], policy);
    return undefined;
  } catch (error) {
    if (error instanceof DeliveryFailure) return error;
    throw error;
  }
}

function requireAllowed(
  url: URL,
  addresses: readonly string[],
  policy: Omit<OutboundPolicy, "resolve">,
): void {
  const host = hostOf(url);
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  for (const address of addresses) {
    const refusal = refusalOf(address, { ...policy, host, port });
    if (refusal !== undefined) throw refused(host, port, { address, refusal });
  }
}

/** The host, without the brackets of an IPv6 address. */
export const hostOf = ({ hostname }: URL) => hostname.replace(/^\[(.*)\]$/, "$1");

function callableUrl(text: string): URL {
  const url = URL.parse(text);
  if (!url) throw new DeliveryFailure("invalid_url", "The URL of the service task is not valid.");
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new DeliveryFailure(
      "refused_by_policy",
      "Only URLs that begin with http:// or https:// can be called.",
    );
  if (url.username !== "" || url.password !== "")
    throw new DeliveryFailure(
      "refused_by_policy",
      `The URL of ${url.host} contains credentials; send them in a header instead.`,
    );
  // With a dot at the end, a resolver sees the same host, but a rule and a certificate see another one.
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

/** Ports that need no rule in OUTBOUND_ALLOW. */
const ordinaryPorts: readonly number[] = [80, 443];

/** Why service tasks may not call the address, as the end of a sentence. Undefined if the call is allowed. */
function refusalOf(
  text: string,
  {
    allow,
    ownAddresses = interfaceAddresses,
    host,
    port,
  }: Omit<OutboundPolicy, "resolve"> & { readonly host: string; readonly port: number },
): string | undefined {
  const address = parseAddress(text);
  if (address === undefined) return "resolves to something that is not an IP address";
  const isOwn = reachesThisMachine(address, ownAddresses());
  if (isAllowed(allow, address, { host, port, isOwn })) return undefined;
  const kind = specialKind(address) ?? (isOwn ? "an address of this machine" : undefined);
  if (kind !== undefined) return `is or resolves to ${kind}, which service tasks may not call`;
  return ordinaryPorts.includes(port)
    ? undefined
    : `is called on port ${port}, but service tasks may call only ports 80 and 443`;
}

/** All of 127.0.0.0/8 and the unspecified address reach this machine, whatever its interfaces are. */
function reachesThisMachine(address: Address, own: readonly string[]): boolean {
  const called = calledAddress(address);
  if (/^(loopback|unspecified)$/.test(called.range())) return true;
  const bytes = called.toByteArray().join();
  return own.some((other) => {
    const parsed = parseAddress(other);
    return parsed !== undefined && calledAddress(parsed).toByteArray().join() === bytes;
  });
}

/** The message does not name the address: readers of incidents must not learn what an internal name resolves to. */
function refused(host: string, port: number, { address, refusal }: { address: string; refusal: string }) {
  const entry = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return new DeliveryFailure(
    "refused_by_policy",
    `${host} ${refusal}. An operator can permit it by adding ${entry} to OUTBOUND_ALLOW.`,
    { cause: new Error(`${host} is ${address}`) },
  );
}

const unresolved = (url: URL, cause?: unknown) =>
  new DeliveryFailure(
    "unreachable",
    `The host ${url.hostname} has no address. Check the URL and the name server.`,
    { cause },
  );
