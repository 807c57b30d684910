/**
 * A tenant's audit trail, `_audit` in its schema: append-only, one record a request. See docs/security.md.
 *
 * A change and the record of its success commit together, so operations write that record in the statement or the
 * transaction of the change. The record of a failure is written afterwards, in a statement of its own.
 */
import type { Queryable, Sql } from "../infrastructure/database/connect.ts";
import { quoteTable } from "../infrastructure/database/identifiers.ts";
import { runShape } from "../infrastructure/database/prepared.ts";
import { schemaOf } from "./tenant.ts";

export type AuditAction =
  | "create_table"
  | "alter_table"
  | "drop_table"
  | "restore_table"
  | "purge_table"
  | "insert"
  | "import"
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

/** Records a change in the transaction that makes it. The statement's text has the tenant, so it is not prepared. */
export async function recordSuccess(sql: Queryable, record: AuditRecord & { affectedRows: number | null }) {
  const { affectedRows } = record;
  const affected = affectedRows === null ? null : String(affectedRows);
  const values = [...commonValues(record), "success", null, affected];
  await sql.unsafe(insertRecord(record.tenantId), values, { prepare: false });
}

/**
 * Records a failure. Does nothing if the request already has a record: then its change was committed, and only the
 * answer was lost.
 */
export async function recordFailure(sql: Sql, record: AuditRecord & { error: string }) {
  const values = [...commonValues(record), "failure", record.error.slice(0, 1_000), null];
  await runShape(
    sql,
    `${insertRecord(record.tenantId)} on conflict on constraint _audit_request do nothing`,
    values,
  );
}

const commonValues = ({ actor, action, table, statement, requestId }: AuditRecord) => [
  actor,
  action,
  table ?? null,
  statement.slice(0, 10_000),
  requestId,
];

const insertRecord = (tenantId: number) => `
    insert into ${auditTable(schemaOf(tenantId))} (
      actor, action, table_name, statement,
      request_id, outcome, error, affected_rows
    ) values (
      $1::text, $2::text, $3::text, $4::text,
      $5::text::uuid, $6::text, $7::text, $8::text::bigint
    )`;

/** The name of the trail, quoted for SQL. */
export const auditTable = (schema: string) => quoteTable(schema, "_audit");
