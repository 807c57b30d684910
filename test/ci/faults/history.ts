/** What every client asked and what came of it: one entry a request, in memory and as a line of JSON. */
import { createWriteStream } from "node:fs";

/**
 * `acknowledged`: 2xx. `refused`: 4xx, so nothing was done. `unknown`: whatever else, so it may have been done: no
 * answer, an answer of the proxy, or 5xx.
 */
export type Outcome = "acknowledged" | "refused" | "unknown";

export interface Entry {
  /** The operation of the contract. */
  readonly operation: string;
  readonly tenant: number;
  /** Milliseconds since the run began. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly outcome: Outcome;
  /** Who answered: a process of Waybill, the proxy in its place, or nobody. */
  readonly by: "waybill" | "proxy" | "nobody";
  /** 0 where nobody answered. */
  readonly status: number;
  /** The problem's code, or why there was no answer. */
  readonly code: string;
  readonly requestId: string;
  readonly retryAfter: string;
  /** A refusal that the client's own request calls for. */
  readonly deserved: boolean;
}

export interface History {
  readonly entries: readonly Entry[];
  add(entry: Entry): void;
  close(): Promise<void>;
}

export function createHistory(file: string): History {
  const lines = createWriteStream(file);
  const entries: Entry[] = [];
  return {
    entries,
    add: (entry) => {
      entries.push(entry);
      lines.write(`${JSON.stringify(entry)}\n`);
    },
    close: () => new Promise((resolve) => lines.end(() => resolve())),
  };
}
