/** The addresses of this machine. Programs that listen there are often for this machine only, not for service tasks. */
import { networkInterfaces } from "node:os";

/** How long a reading of the interfaces is used. Containers and laptops change them. */
const believedMs = 5_000;

let known: readonly string[] = [];
let readAt = Number.NEGATIVE_INFINITY;

/** The addresses of every interface, in the notation of the operating system. IPv6 addresses are without their zone. */
export function interfaceAddresses(): readonly string[] {
  const now = performance.now();
  if (now - readAt > believedMs) {
    const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    known = interfaces.map(({ address }) => address.replace(/%.*$/, ""));
    readAt = now;
  }
  return known;
}
