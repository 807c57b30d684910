/** Statements on `waybill.attachments`: where the files that variables name are, and binding those that are nowhere. */
import type { Sql } from "../../../../infrastructure/database/connect.ts";

export interface NamedFile {
  readonly id: string;
  /** An instance can still take it: a draft, or committed without an instance. */
  readonly isUnbound: boolean;
  /** The instance to which it is bound. Until a start is settled, the start's id. */
  readonly processInstanceId: string | null;
  /** The id of a start that is not settled yet and has the file. */
  readonly unsettledStart: string | null;
}

/** Those of the attachments that the tenant has, where each one is. */
export async function findNamedFiles(
  sql: Sql,
  tenantId: number,
  ids: readonly string[],
): Promise<NamedFile[]> {
  const rows = await sql<NamedFile[]>`
    select a.id::text,
           a.state = 'draft' or a.process_instance_id is null as "isUnbound",
           case a.state when 'committed' then a.process_instance_id end as "processInstanceId",
           s.id::text as "unsettledStart"
    from waybill.attachments a
    left join waybill.engine_starts s
      on s.id = case when a.process_instance_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
                then a.process_instance_id::uuid end
     and s.tenant_id = ${tenantId}
     and s.process_instance_id is null
     and a.state = 'committed'
    where a.id = any(${[...ids]}::uuid[])
      and a.tenant_id = ${tenantId}
      and a.state in ('draft', 'committed')`;
  return [...rows];
}

/**
 * Binds each attachment to its instance, given by its id, if it is a draft or committed without an instance. Each one
 * counts alone: its owner or the sweep may remove one of them meanwhile. Returns the ids of those that were bound.
 *
 * Rows are locked in the order of their ids, so that two of these statements cannot deadlock.
 */
export async function bindEach(
  sql: Sql,
  tenantId: number,
  instanceOf: ReadonlyMap<string, string>,
): Promise<string[]> {
  const [ids, instances] = [[...instanceOf.keys()], [...instanceOf.values()]];
  if (ids.length === 0) return [];
  const rows = await sql<{ id: string }[]>`
    with locked as (
      select id, state
      from waybill.attachments
      where id = any(${ids}::uuid[])
        and tenant_id = ${tenantId}
        and (state = 'draft' or (state = 'committed' and process_instance_id is null))
      order by id
      for update
    )
    update waybill.attachments a
       set state = 'committed',
           process_instance_id = g.instance,
           state_since = case l.state when 'draft' then now() else a.state_since end
      from locked l
      join unnest(${ids}::uuid[], ${instances}::text[]) as g (id, instance) on g.id = l.id
     where a.id = l.id
    returning a.id::text`;
  return rows.map(({ id }) => id);
}
