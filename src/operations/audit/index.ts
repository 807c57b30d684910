/** The audit trail of a tenant, for its administrators (src/tenants/auditTrail). */
import type { HandlersOf } from "../../handler.ts";
import { listAuditRecords } from "./listAuditRecords.ts";
import { listCheckpoints } from "./listCheckpoints.ts";

export const audit = { listAuditRecords, listCheckpoints } satisfies HandlersOf<"audit">;
