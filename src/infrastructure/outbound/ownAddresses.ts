/** The addresses of this machine: what listens there, often for this machine only, is not for service tasks. */
import { networkInterfaces } from "node:os";

/** How long the interfaces are believed to be as they were read: containers and laptops change them. */
const believedMs = 5_000;

let known: readonly string[] = [];
let readAt = Number.NEGATIVE_INFINITY;

/** Of every interface, in the notation of the operating system, IPv6 without its zone. */
export function interfaceAddresses(): readonly string[] {
  const now = performance.now();
  if (now - readAt > believedMs) {
    const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    known = interfaces.map(({ address }) => address.replace(/%.*$/, ""));
    readAt = now;
  }
  return known;
}
