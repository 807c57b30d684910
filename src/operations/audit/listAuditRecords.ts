import type { Deps } from "../../deps.ts";
import type { AnswerOf, Handler, RequestOf } from "../../handler.ts";
import { type Fault, Problem } from "../../infrastructure/problem.ts";
import { columnTypes } from "../../tables/columnTypes/index.ts";
import { exportRecordsFile, fileHeaders } from "../../tenants/auditTrail/exportFile.ts";
import { listRecords } from "../../tenants/auditTrail/listRecords.ts";
import { refusePaging } from "../../tenants/auditTrail/refusePaging.ts";

type Request = RequestOf<"listAuditRecords">;

/** A page of records, or a file with all of them. */
export const listAuditRecords: Handler<"listAuditRecords"> = (request, deps) => {
  refuseMoments(request.query);
  return request.accepted === "application/json" ? listPage(request, deps) : exportFile(request, deps);
};

async function listPage({ query, caller }: Request, { sql }: Deps): Promise<AnswerOf<"listAuditRecords">> {
  const { $after: after, limit = 50, $safe: _, ...filters } = query;
  const { records, next } = await listRecords(sql, caller.tenant.schema, { filters, after, limit });
  return {
    status: 200,
    body: {
      success: true,
      message: "Audit records.",
      data: { records, ...(next === undefined ? {} : { next }) },
    },
  };
}

async function exportFile(
  { query, caller, accepted }: Request,
  deps: Deps,
): Promise<AnswerOf<"listAuditRecords">> {
  const { $after, limit, $safe: safe = false, ...filters } = query;
  refusePaging({ $after, limit });
  const format = accepted === "text/csv" ? accepted : "application/x-ndjson";
  const body = await exportRecordsFile(deps, caller.tenant, { filters, format, safe });
  return { status: 200, body, headers: fileHeaders("audit", format) };
}

/** The contract's format allows moments that PostgreSQL does not have. */
function refuseMoments(filters: { readonly from?: string; readonly to?: string }): void {
  const { accepts, takes } = columnTypes.timestamp;
  const errors: Fault[] = (["from", "to"] as const)
    .filter((name) => filters[name] !== undefined && !accepts(filters[name]))
    .map((name) => ({ pointer: `/query/${name}`, detail: `It must be ${takes}.` }));
  if (errors.length > 0) throw new Problem("invalid_parameter", { errors });
}
