import type { Handler } from "../../handler.ts";
import { type Fault, Problem } from "../../infrastructure/problem.ts";
import { columnTypes } from "../../tables/columnTypes/index.ts";
import { listRecords } from "../../tenants/auditTrail/listRecords.ts";

export const listAuditRecords: Handler<"listAuditRecords"> = async ({ query, caller }, { sql }) => {
  const { $after: after, limit = 50, ...filters } = query;
  refuseMoments(filters);
  const { records, next } = await listRecords(sql, caller.tenant.schema, { filters, after, limit });
  return {
    status: 200,
    body: {
      success: true,
      message: "Audit records.",
      data: { records, ...(next === undefined ? {} : { next }) },
    },
  };
};

/** The contract's format allows moments that PostgreSQL does not have. */
function refuseMoments(filters: { readonly from?: string; readonly to?: string }): void {
  const { accepts, takes } = columnTypes.timestamp;
  const errors: Fault[] = (["from", "to"] as const)
    .filter((name) => filters[name] !== undefined && !accepts(filters[name]))
    .map((name) => ({ pointer: `/query/${name}`, detail: `It must be ${takes}.` }));
  if (errors.length > 0) throw new Problem("invalid_parameter", { errors });
}
