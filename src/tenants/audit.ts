/**
 * The audit trail, `waybill.audit_log`: append-only, one record a request. See docs/security.md.
 *
 * A change and the record of its success commit together, so operations write that record in the statement or the
 * transaction of the change. The record of a failure is written afterwards, in a statement of its own.
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
  | "assign_task"
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
  /** The table of a table builder's action. Undefined for all others. */
  readonly table: string | undefined;
  readonly statement: string;
  readonly requestId: string;
}

/** Records a change in the transaction that makes it. */
export async function recordSuccess(sql: Queryable, record: AuditRecord & { affectedRows: number | null }) {
  await sql`
    insert into waybill.audit_log (
      tenant_id, actor, action, table_name,
      statement, affected_rows, outcome, request_id
    ) values (
      ${record.tenantId}, ${record.actor}, ${record.action}, ${record.table ?? null},
      ${record.statement.slice(0, 10_000)}, ${record.affectedRows}, 'success', ${record.requestId}
    )`;
}

/**
 * Records a failure. Does nothing if the request already has a record: then its change was committed, and only the
 * answer was lost.
 */
export async function recordFailure(sql: Sql, record: AuditRecord & { error: string }) {
  await sql`
    insert into waybill.audit_log (
      tenant_id, actor, action, table_name,
      statement, outcome, error, request_id
    ) values (
      ${record.tenantId}, ${record.actor}, ${record.action}, ${record.table ?? null},
      ${record.statement.slice(0, 10_000)}, 'failure', ${record.error.slice(0, 1_000)}, ${record.requestId}
    )
    on conflict on constraint audit_log_request do nothing`;
}
