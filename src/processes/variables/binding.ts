/** Writing a variable binds the attachments that it names. See docs/decisions/processes.md. */

import { type Binding, boundAmong, commitAll } from "../../files/attachments/bindingQueries.ts";
import { notCommitted } from "../../files/attachments/commit.ts";
import type { Queryable } from "../../infrastructure/database/connect.ts";
import { attachmentIdsOf } from "./attachments.ts";
import type { StoredVariable } from "./variable.ts";

type Variables = ReadonlyMap<string, StoredVariable>;

/** Binds every attachment that the variables name. Throws `not_committed`. */
export async function bindAttachments(tx: Queryable, variables: Variables, to: Binding): Promise<void> {
  const ids = attachmentIdsOf(variables);
  if (ids.length === 0) return;
  const first = await commitAll(tx, ids, to);
  if (first.committed) return;
  // Another task of this instance may have bound some of them already: they stay with that task.
  const bound = new Set(await boundAmong(tx, ids, to));
  const drafts = ids.filter((id) => !bound.has(id));
  const second =
    drafts.length < ids.length && (drafts.length === 0 || (await commitAll(tx, drafts, to)).committed);
  if (!second) throw notCommitted(first.notCommitted);
}

/**
 * Binds what an integration's answer names and can be bound. The answer may hold records that only look like the
 * metadata of a file, and nobody could correct it, so the rest stays ordinary data. No URL is issued for that.
 */
export async function bindWhatFits(tx: Queryable, variables: Variables, to: Binding): Promise<void> {
  const ids = attachmentIdsOf(variables);
  const first = ids.length === 0 ? undefined : await commitAll(tx, ids, to);
  if (first === undefined || first.committed) return;
  const fitting = ids.filter((id) => !first.notCommitted.includes(id.toLowerCase()));
  if (fitting.length > 0) await commitAll(tx, fitting, to);
}

export interface Session {
  readonly id: string;
  readonly tenantId: number;
}

/** Throws `not_committed` if the variables name an attachment that the visitor's session did not upload. */
export async function requireOwnUploads(
  sql: Queryable,
  variables: Variables,
  session: Session,
): Promise<void> {
  const ids = attachmentIdsOf(variables);
  const foreign = ids.length > 0 ? await uploadsOfOthers(sql, ids, session) : [];
  if (foreign.length > 0) throw notCommitted(foreign);
}

async function uploadsOfOthers(sql: Queryable, ids: readonly string[], session: Session): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select distinct id::text
    from unnest(${ids}::uuid[]) id
    where id not in (
      select a.id
      from waybill.attachments a
      where a.form_session_id = ${session.id}
        and a.tenant_id = ${session.tenantId}
    )`;
  return rows.map(({ id }) => id);
}
