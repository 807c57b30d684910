/** The output of a run: each fault when it ends, then each rule and the counts. */
import type { Check } from "./checks/check.ts";
import type { Clients } from "./clients/clients.ts";
import type { FaultRecord } from "./faults/fault.ts";
import type { History } from "./history.ts";
import type { Receiver } from "./parts/receiver.ts";

const seconds = (ms: number) => (ms / 1000).toFixed(1);

export function printFault({ kind, target, startedAt, endedAt, findings }: FaultRecord): void {
  const found = findings.length > 0 ? ` (${findings.join("; ")})` : "";
  console.log(
    `${seconds(startedAt).padStart(6)} s  ${kind}: ${target}, ${seconds(endedAt - startedAt)} s${found}`,
  );
}

const shown = 8;

export function printCheck({ rule, breaches }: Check): void {
  console.log(`${breaches.length === 0 ? "ok    " : "BROKEN"} ${rule}`);
  for (const breach of breaches.slice(0, shown)) console.log(`         ${breach}`);
  if (breaches.length > shown) console.log(`         and ${breaches.length - shown} more`);
}

export interface Totals {
  readonly clients: Clients;
  readonly history: History;
  readonly receiver: Receiver;
  readonly faults: readonly FaultRecord[];
}

export function printCounts({ clients, history, receiver, faults }: Totals): void {
  const { entries } = history;
  const count = (holds: (entry: (typeof entries)[number]) => boolean) => entries.filter(holds).length;
  const acknowledged = clients.ledger.batches.filter(({ outcome }) => outcome === "acknowledged");
  const files = [...clients.files.files, ...clients.processes.files];
  const links = [...clients.files.links, ...clients.sentLinks];
  const incidents = Map.groupBy(clients.operators.incidents.values(), ({ type }) => type);
  const lines: [string, number | string][] = [
    ["faults", faults.length],
    ["requests", entries.length],
    ["  acknowledged", count(({ outcome }) => outcome === "acknowledged")],
    ["  refused, and rightly so", count(({ outcome, deserved }) => outcome === "refused" && deserved)],
    [
      "  unknown: answered 5xx by Waybill",
      count(({ outcome, by }) => outcome === "unknown" && by === "waybill"),
    ],
    ["  unknown: answered by the proxy or by nobody", count(({ by }) => by !== "waybill")],
    ["acknowledged writes of rows", count(isWrite)],
    ["acknowledged rows that are never changed", acknowledged.flatMap((batch) => batch.entries).length],
    ["committed files", files.filter(({ fate }) => fate === "committed").length],
    ["download links, each requested twice at once", links.length],
    ["  that returned their file", links.filter(({ contents }) => contents === 1).length],
    ["acknowledged starts of instances", clients.processes.started.length + clients.visitors.visits.size],
    ["requests of service tasks", receiver.received.length],
    ["  booked", receiver.received.filter(({ booked }) => booked).length],
    ["incidents", [...incidents].map(([type, all]) => `${all.length} ${type}`).join(", ") || 0],
    ["acknowledged reruns", clients.operators.reruns()],
  ];
  for (const [what, many] of lines) console.log(`${what.padEnd(46)} ${many}`);
}

const writes = ["insertRows", "updateRows", "deleteRows"];
const isWrite = ({ operation, outcome }: History["entries"][number]) =>
  writes.includes(operation) && outcome === "acknowledged";
