/** Lets a receiver take every case, and says what was wrong with what it did. */
import { type Case, cases } from "./cases.ts";
import { startIssuer } from "./issuer.ts";

/** The received bytes, or undefined where the receiver refused. */
export type Receiver = (value: string) => Promise<Uint8Array | undefined>;

export interface Verdict {
  readonly name: string;
  /** Empty where the receiver did well. */
  readonly faults: readonly string[];
}

export async function judge(receiver: Receiver): Promise<Verdict[]> {
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
  if (!content) return received ? ["took a file that it had to refuse"] : [];
  if (!received) return ["refused a good file"];
  return Buffer.from(content).equals(received) ? [] : ["received other bytes than were sent"];
}

function faultsOfRequests({ value }: Case, seen: readonly { method: string; authorization: boolean }[]) {
  const methods = seen.map(({ method }) => method).join(", ");
  const wanted = value === undefined ? "GET" : "";
  return [
    ...(methods === wanted ? [] : [`sent ${methods || "no request"} where ${wanted || "none"} is right`]),
    ...(seen.some(({ authorization }) => authorization) ? ["sent an Authorization header"] : []),
  ];
}
