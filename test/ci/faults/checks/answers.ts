/** Rules about answers. They need only the history. */
import type { FaultRecord } from "../faults/fault.ts";
import type { Entry } from "../history.ts";
import { crowdedTenant } from "../setUp.ts";
import { type Check, check, groupEqual } from "./check.ts";

const described = ({ operation, status, code }: Entry) => `${operation} was answered ${status} ${code}`;

export const checkAnswers = (entries: readonly Entry[], faults: readonly FaultRecord[]): Promise<Check[]> => {
  const byWaybill = entries.filter(({ by }) => by === "waybill");
  const of = (kind: string) => faults.filter((fault) => fault.kind.includes(kind));
  return Promise.all([
    check("an outage is never answered with a 4xx that the request does not deserve", () =>
      groupEqual(
        byWaybill.filter(({ outcome, deserved }) => outcome === "refused" && !deserved).map(described),
      ),
    ),
    check("no request is answered with 500", () =>
      groupEqual(byWaybill.filter(({ status }) => status === 500).map(described)),
    ),
    check("every 503 says when to try again", () =>
      groupEqual(
        byWaybill
          .filter(({ status, retryAfter }) => status === 503 && !/^\d+$/.test(retryAfter))
          .map(described),
      ),
    ),
    check("every request is answered within 45 s", () =>
      groupEqual(entries.filter(({ code }) => code === "TimeoutError").map(({ operation }) => operation)),
    ),
    check("a restart by SIGTERM refuses and breaks no connection", () =>
      of("restarted").flatMap((fault) => [...fault.findings, ...disturbed(during(entries, fault))]),
    ),
    check("a tenant with many slow requests does not disturb other tenants or health checks", () =>
      of("crowds the others").flatMap((fault) => [...fault.findings, ...crowdedOut(entries, fault)]),
    ),
    check("an upload waits at most 12 s for a storage that hangs", () =>
      of("storage paused for 18 s").flatMap((fault) => slowUploads(entries, fault)),
    ),
  ]);
};

/**
 * The requests that ended during a fault. A request that ran on after the fault does not count: everything worked again
 * at its end, so only the next fault can break the request.
 */
export const during = (entries: readonly Entry[], { startedAt, endedAt }: FaultRecord) =>
  entries.filter((entry) => entry.endedAt >= startedAt && entry.endedAt <= endedAt);

/** What clients must never see of a process that ends in order. */
const disturbed = (entries: readonly Entry[]) =>
  groupEqual(entries.filter(({ by, code }) => by !== "waybill" || code === "draining").map(seen));

const seen = ({ by, status, code, operation }: Entry) =>
  by === "waybill" ? `503 ${code} (${operation})` : `${by}: ${status || code} (${operation})`;

/** Two of a hundred requests of other tenants may be refused, because the machine is very busy. */
function crowdedOut(entries: readonly Entry[], fault: FaultRecord): string[] {
  const others = during(entries, fault).filter(({ tenant }) => tenant !== crowdedTenant);
  const failed = others.filter(({ outcome, deserved }) => outcome !== "acknowledged" && !deserved);
  if (failed.length * 50 <= others.length) return [];
  return [
    `${failed.length} of ${others.length} requests of other tenants failed`,
    ...groupEqual(failed.map(described)),
  ];
}

const uploads = ["uploadAttachment", "uploadPublicAttachment"];

const longestUploadMs = 12_000;

/**
 * Slow uploads that began during the fault, early enough to be answered before its end. Others may have waited for
 * something else, such as a process that another fault had paused. Uploads that a kill broke have no answer of Waybill
 * and do not count.
 */
function slowUploads(entries: readonly Entry[], fault: FaultRecord): string[] {
  return entries
    .filter(({ operation, by }) => by === "waybill" && uploads.includes(operation))
    .filter(({ startedAt }) => startedAt >= fault.startedAt && startedAt <= fault.endedAt - longestUploadMs)
    .filter(({ startedAt, endedAt }) => endedAt - startedAt > longestUploadMs)
    .map((entry) => `${described(entry)} after ${entry.endedAt - entry.startedAt} ms`);
}
