/** The recurring work on audit trails. */
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import type { Recurring } from "../../infrastructure/jobs/recurring.ts";
import { addCheckpoints } from "./checkpoints.ts";
import { purgeAuditRecords } from "./retention.ts";

export function auditJobs(infrastructure: Infrastructure): Recurring[] {
  const { auditRetentionDays: days } = infrastructure.config;
  const checkpoints = {
    name: "audit-checkpoints",
    everySeconds: 60,
    run: async () => void (await addCheckpoints(infrastructure)),
  };
  if (days === undefined) return [checkpoints];
  const run = async () => void (await purgeAuditRecords(infrastructure, days));
  return [checkpoints, { name: "audit-retention", everySeconds: 3_600, run }];
}
