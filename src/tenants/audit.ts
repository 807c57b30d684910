/**
 * The audit trail (`waybill.audit_log`; reference 1.4, design 7). Append-only, one record a request.
 *
 * A change and its success commit together, so rooms write that record in the change's own statement or
 * transaction. A failure is written here, on its own, after the change has come to nothing.
 */
import type { Queryable, Sql } from "../infrastructure/database/connect.ts";

export type AuditAction =
  | "create_table"
  | "drop_table"
  | "insert"
  | "update"
  | "delete"
  | "deploy_process"
  | "set_variables"
  | "terminate_instance"
  | "rerun_incident"
  | "put_addon"
  | "delete_addon"
  | "put_secret"
  | "delete_secret"
  | "create_embed"
  | "delete_embed"
  | "add_participant"
  | "remove_participant"
  | "revoke_token";

export interface AuditRecord {
  readonly tenantId: number;
  readonly actor: string;
  readonly action: AuditAction;
  /** Of the table builder's actions; undefined for others. */
  readonly table: string | undefined;
  readonly statement: string;
  readonly requestId: string;
}

/** The record of a change that this very transaction makes. */
export async function recordSuccess(sql: Queryable, record: AuditRecord & { affectedRows: number | null }) {
  await sql`
    insert into waybill.audit_log (tenant_id, actor, action, table_name, statement, affected_rows, outcome, request_id)
    values (${record.tenantId}, ${record.actor}, ${record.action}, ${record.table ?? null},
            ${record.statement.slice(0, 10_000)}, ${record.affectedRows}, 'success', ${record.requestId})`;
}

/** Says nothing where the request already has a record: its change was made although its answer was lost. */
export async function recordFailure(sql: Sql, record: AuditRecord & { error: string }) {
  await sql`
    insert into waybill.audit_log (tenant_id, actor, action, table_name, statement, outcome, error, request_id)
    values (${record.tenantId}, ${record.actor}, ${record.action}, ${record.table ?? null},
            ${record.statement.slice(0, 10_000)}, 'failure', ${record.error.slice(0, 1_000)}, ${record.requestId})
    on conflict on constraint audit_log_request do nothing`;
}
