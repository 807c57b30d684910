/** Runs a receiver with every case and reports what it did wrong. */
import { type Case, cases } from "./cases.ts";
import { startIssuer } from "./issuer.ts";

/** Returns the received bytes, or undefined if it refused. */
export type Receiver = (value: string) => Promise<Uint8Array | undefined>;

export interface Verdict {
  readonly name: string;
  /** Empty if the receiver was right. */
  readonly faults: readonly string[];
}

export async function checkReceiver(receiver: Receiver): Promise<Verdict[]> {
  const issuer = await startIssuer();
  const verdicts: Verdict[] = [];
  for (const played of cases) {
    const received = await receiver(issuer.valueOf(played.name));
    verdicts.push({
      name: played.name,
      faults: [...faultsOfResult(played, received), ...faultsOfRequests(played, issuer.seen(played.name))],
    });
  }
  await issuer.stop();
  return verdicts;
}

function faultsOfResult({ content }: Case, received: Uint8Array | undefined): string[] {
  if (!content) return received ? ["accepted a file that it must refuse"] : [];
  if (!received) return ["refused a good file"];
  return Buffer.from(content).equals(received) ? [] : ["received different bytes than were sent"];
}

function faultsOfRequests({ value }: Case, seen: readonly { method: string; authorization: boolean }[]) {
  const methods = seen.map(({ method }) => method).join(", ");
  const wanted = value === undefined ? "GET" : "";
  return [
    ...(methods === wanted ? [] : [`sent ${methods || "no request"} instead of ${wanted || "no request"}`]),
    ...(seen.some(({ authorization }) => authorization) ? ["sent an Authorization header"] : []),
  ];
}
