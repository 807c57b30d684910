/** Rules about answers, from the history alone. */
import type { FaultRecord } from "../faults/fault.ts";
import type { Entry } from "../history.ts";
import { crowdedTenant } from "../setUp.ts";
import { type Check, check, counted } from "./check.ts";

const told = ({ operation, status, code }: Entry) => `${operation} was answered ${status} ${code}`;

export const checkAnswers = (entries: readonly Entry[], faults: readonly FaultRecord[]): Promise<Check[]> => {
  const byWaybill = entries.filter(({ by }) => by === "waybill");
  const of = (kind: string) => faults.filter((fault) => fault.kind.includes(kind));
  return Promise.all([
    check("an outage is answered with no 4xx that the request does not call for", () =>
      counted(byWaybill.filter(({ outcome, deserved }) => outcome === "refused" && !deserved).map(told)),
    ),
    check("no request is answered with 500", () =>
      counted(byWaybill.filter(({ status }) => status === 500).map(told)),
    ),
    check("every 503 says when to come again", () =>
      counted(
        byWaybill.filter(({ status, retryAfter }) => status === 503 && !/^\d+$/.test(retryAfter)).map(told),
      ),
    ),
    check("every request is answered within 45 s", () =>
      counted(entries.filter(({ code }) => code === "TimeoutError").map(({ operation }) => operation)),
    ),
    check("a restart by SIGTERM refuses no connection and breaks none", () =>
      of("restarted").flatMap((fault) => [...fault.findings, ...noticed(during(entries, fault))]),
    ),
    check("a tenant that takes all leaves the others and the health checks alone", () =>
      of("takes all").flatMap((fault) => [...fault.findings, ...crowdedOut(entries, fault)]),
    ),
    check("an upload waits for a storage that hangs for 12 s at most", () =>
      of("storage paused for 18 s").flatMap((fault) => slowUploads(entries, fault)),
    ),
  ]);
};

/**
 * The requests that ended during a fault. One that was still under way at its end is not its doing: everything worked
 * by then, and what breaks it is the next fault.
 */
export const during = (entries: readonly Entry[], { startedAt, endedAt }: FaultRecord) =>
  entries.filter((entry) => entry.endedAt >= startedAt && entry.endedAt <= endedAt);

/** What clients of a process that ends in order must never see. */
const noticed = (entries: readonly Entry[]) =>
  counted(entries.filter(({ by, code }) => by !== "waybill" || code === "draining").map(seen));

const seen = ({ by, status, code, operation }: Entry) =>
  by === "waybill" ? `503 ${code} (${operation})` : `${by}: ${status || code} (${operation})`;

/** Of a hundred requests of the other tenants, two may be turned away while a machine is this busy. */
function crowdedOut(entries: readonly Entry[], fault: FaultRecord): string[] {
  const others = during(entries, fault).filter(({ tenant }) => tenant !== crowdedTenant);
  const failed = others.filter(({ outcome, deserved }) => outcome !== "acknowledged" && !deserved);
  if (failed.length * 50 <= others.length) return [];
  return [
    `${failed.length} of ${others.length} requests of other tenants failed`,
    ...counted(failed.map(told)),
  ];
}

const uploads = ["uploadAttachment", "uploadPublicAttachment"];

const longestUploadMs = 12_000;

/**
 * Uploads that began during the fault, early enough to be answered before its end: others waited for something else,
 * such as a process that another fault had paused. Without those that a kill cut off, which have no answer of Waybill's.
 */
function slowUploads(entries: readonly Entry[], fault: FaultRecord): string[] {
  return entries
    .filter(({ operation, by }) => by === "waybill" && uploads.includes(operation))
    .filter(({ startedAt }) => startedAt >= fault.startedAt && startedAt <= fault.endedAt - longestUploadMs)
    .filter(({ startedAt, endedAt }) => endedAt - startedAt > longestUploadMs)
    .map((entry) => `${told(entry)} after ${entry.endedAt - entry.startedAt} ms`);
}
