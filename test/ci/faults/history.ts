/** The history of a trial: one entry for each request of a client, in memory and as a line of JSON. */
import { createWriteStream } from "node:fs";

/**
 * `acknowledged`: 2xx. `refused`: 4xx, so nothing was done. `unknown`: no answer, an answer of the proxy, or 5xx, so
 * the request may have been carried out.
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
  /** Who answered: a process of Waybill, the proxy, or nobody. */
  readonly by: "waybill" | "proxy" | "nobody";
  /** 0 if nobody answered. */
  readonly status: number;
  /** The problem's code, or why there was no answer. */
  readonly code: string;
  readonly requestId: string;
  readonly retryAfter: string;
  /** Whether the refusal is right for the client's request. */
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
