/** Statements on `waybill.download_tokens`. */

import type { Queryable, Sql } from "../../infrastructure/database/connect.ts";
import { idList } from "../../infrastructure/database/idList.ts";
import { isUuid } from "../../infrastructure/uuid.ts";

/** The database's time in `seconds` from now, in milliseconds, because a token's signature covers milliseconds. */
export async function databaseTimeIn(sql: Queryable, seconds: number): Promise<Date> {
  const [row] = await sql<{ moment: Date }[]>`
    select date_trunc('milliseconds', now() + make_interval(secs => ${seconds})) as moment`;
  if (!row) throw new Error("a select without a table answers one row");
  return row.moment;
}

/** The ids of a remote engine need not be UUIDs. Another text gets a UUID of its own. */
function uuidOfTask(id: string): string {
  if (isUuid(id)) return id;
  const digest = new Bun.CryptoHasher("sha256").update(id).digest("hex");
  return digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}

export interface NewToken {
  readonly attachmentId: string;
  /** SHA-256 of the token, hexadecimal. */
  readonly digest: string;
}

export interface NewIssue {
  readonly tenantId: number;
  readonly processInstanceId: string;
  readonly relatedInstances: readonly string[];
  readonly expiresAt: Date;
  /** How long the tokens are to be valid from now on, by the database's clock. */
  readonly ttlSeconds: number;
  /** How much `expiresAt` may differ from that. */
  readonly toleranceSeconds: number;
  readonly serviceTaskId: string | null;
}

export interface Insertion {
  /** The ids of the attachments that are not committed to one of the instances. */
  readonly unfit: readonly string[];
  /** Undefined if `expiresAt` was right. Otherwise what it has to be, in milliseconds: sign again. */
  readonly dueExpiry: Date | undefined;
}

/** Stores all tokens, or none if an attachment is not committed to one of the instances or they expire wrongly. */
export async function insertTokens(
  sql: Queryable,
  tokens: readonly NewToken[],
  issue: NewIssue,
): Promise<Insertion> {
  const ids = tokens.map(({ attachmentId }) => attachmentId);
  const instances = [issue.processInstanceId, ...issue.relatedInstances];
  const serviceTask = issue.serviceTaskId === null ? null : uuidOfTask(issue.serviceTaskId);
  const [row] = await sql<{ unfit: string[] | null; due: Date; timely: boolean }[]>`
    with clock as (
      select date_trunc('milliseconds', now() + make_interval(secs => ${issue.ttlSeconds})) as due
    ),
    expiry as (
      select due,
             abs(extract(epoch from ${issue.expiresAt}::timestamptz - due)) <= ${issue.toleranceSeconds} as timely
      from clock
    ),
    wanted as (
      select "attachmentId" as id, decode(digest, 'hex') as digest
      from json_to_recordset(${JSON.stringify(tokens)}::text::json) as t("attachmentId" uuid, digest text)
    ),
    fit as (
      select a.id
      from waybill.attachments a
      where a.id = any(${idList(sql, ids)})
        and a.tenant_id = ${issue.tenantId}
        and a.state = 'committed'
        and a.process_instance_id = any(${instances}::text[])
    ),
    unfit as (
      select id from wanted
      except
      select id from fit
    ),
    issued as (
      insert into waybill.download_tokens
        (digest, attachment_id, tenant_id, process_instance_id, expires_at, service_task_id)
      select digest, id, ${issue.tenantId}, ${issue.processInstanceId}, ${issue.expiresAt}, ${serviceTask}
      from wanted
      where not exists (select 1 from unfit)
        and (select timely from expiry)
    )
    select (select array_agg(id::text) from unfit) as unfit, due, timely
    from expiry`;
  if (!row) throw new Error("a select of one row returned none");
  return { unfit: row.unfit ?? [], dueExpiry: row.timely ? undefined : row.due };
}

/** Expires the unused tokens that earlier attempts of a service task issued. */
export const revokeUnusedTokens = (sql: Queryable, serviceTaskId: string) => sql`
  update waybill.download_tokens
  set expires_at = now()
  where service_task_id = ${uuidOfTask(serviceTaskId)}
    and used_at is null
    and expires_at > now()`;

/**
 * Marks a token as used. Only the first caller gets its scope; undefined if the token does not exist, is used or
 * expired, or is for another file.
 */
export async function useToken(
  sql: Sql,
  digest: string,
  attachmentId: string,
): Promise<{ tenantId: number; expiresAt: Date } | undefined> {
  const [row] = await sql<{ tenantId: number; expiresAt: Date }[]>`
    update waybill.download_tokens
    set used_at = now()
    where digest = decode(${digest}, 'hex')
      and attachment_id = ${attachmentId}
      and used_at is null
      and expires_at > now()
    returning tenant_id::float8 as "tenantId", expires_at as "expiresAt"`;
  return row;
}

/** Deletes tokens a day after they expired. */
export async function purgeExpiredTokens(sql: Sql): Promise<void> {
  await sql`delete from waybill.download_tokens where expires_at < now() - interval '1 day'`;
}
