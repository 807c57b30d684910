/** The common part of audit records for changes that an administrator makes through the engine. */
import type { AuditRecord } from "../tenants/audit.ts";
import type { Tenant } from "../tenants/tenant.ts";
import type { Origin } from "./engine.ts";

export const auditOf = (
  { id: tenantId }: Tenant,
  { actor, requestId }: Origin,
): Pick<AuditRecord, "tenantId" | "actor" | "requestId" | "table"> => ({
  tenantId,
  actor,
  requestId,
  table: undefined,
});
