/** Statements that commit attachments, and so bind them to instances and tasks. */
import type { Fragment, Queryable } from "../../infrastructure/database/connect.ts";
import { idList } from "../../infrastructure/database/idList.ts";
import type { BindingUser } from "./actor.ts";

export interface Binding {
  readonly tenantId: number;
  readonly processInstanceId: string | null;
  readonly taskId: string | null;
  /** Absent for a caller that may bind any file of the tenant. */
  readonly actor?: BindingUser | undefined;
}

export interface BindingResult {
  readonly committed: boolean;
  /** The ids that cannot be committed. */
  readonly notCommitted: string[];
  /** The instances to which uploads of others would be bound, which could be committed but for their uploader. */
  readonly ofOthers: string[];
  readonly processInstanceId: string | null;
  readonly taskId: string | null;
}

/**
 * Commits all of the attachments, or none. An attachment can be committed if it is a draft, or if it was committed
 * without an instance and the binding names one. One that is already committed to the same instance and task needs no
 * change. An attachment that the user may not bind is treated like one that does not exist.
 */
export async function commitAll(sql: Queryable, ids: readonly string[], to: Binding): Promise<BindingResult> {
  const [row] = await sql<Committed[]>`
    with ${commitment(sql, ids, to)}
    select not exists (select from unfit) as committed,
           (select array_agg(id::text) from unfit) as unfit,
           (select array_agg(distinct new_instance)
            from checked join unfit using (id)
            where bindable and new_instance is not null) as "ofOthers",
           (select min(new_instance) from fit) as "processInstanceId",
           (select min(new_task) from fit) as "taskId"`;
  if (!row) throw new Error("A select without from returned no row");
  const { unfit, ofOthers, ...result } = row;
  return { ...result, notCommitted: unfit ?? [], ofOthers: ofOthers ?? [] };
}

interface Committed extends Omit<BindingResult, "notCommitted" | "ofOthers"> {
  readonly unfit: string[] | null;
  readonly ofOthers: string[] | null;
}

/**
 * The parts of a statement that commits all of the attachments, or none if `unfit` has the id of one. Rows are locked
 * in the order of their ids, so that two of these statements cannot deadlock.
 */
export function commitment(sql: Queryable, ids: readonly string[], to: Binding): Fragment {
  const { user = null, instances = [] } = to.actor ?? {};
  return sql`
    wanted as (
      select distinct unnest(${ids}::uuid[]) as id
    ),
    locked as (
      select a.id, a.state, a.process_instance_id, a.task_id, a.uploader,
             coalesce(${to.processInstanceId}::text, a.process_instance_id) as new_instance,
             coalesce(${to.taskId}::text, a.task_id) as new_task
      from waybill.attachments a
      where a.id = any(${idList(sql, ids)})
        and a.tenant_id = ${to.tenantId}
      order by a.id
      for update
    ),
    checked as (
      select *,
             bindable
             and (${user}::text is null
               or uploader = ${user}
               or new_instance in (select json_array_elements_text(${JSON.stringify(instances)}::text::json)))
             as free
      from (
        select *,
               state = 'draft'
                 or (state = 'committed' and process_instance_id is null and new_instance is not null)
               as bindable
        from locked
      ) l
    ),
    fit as (
      select *
      from checked
      where free
         or (state = 'committed'
           and process_instance_id is not distinct from new_instance
           and task_id is not distinct from new_task)
    ),
    unfit as (
      select id from wanted
      except
      select id from fit
    ),
    committed as (
      update waybill.attachments a
      set state = 'committed',
          process_instance_id = f.new_instance,
          task_id = f.new_task,
          state_since = case f.state when 'draft' then now() else a.state_since end
      from fit f
      where a.id = f.id
        and f.free
        and not exists (select from unfit)
    )`;
}

/** The ids of those that are committed to the process instance, to whatever task. */
export async function boundAmong(
  sql: Queryable,
  ids: readonly string[],
  { tenantId, processInstanceId }: Pick<Binding, "tenantId" | "processInstanceId">,
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id::text
    from waybill.attachments
    where id = any(${ids}::uuid[])
      and tenant_id = ${tenantId}
      and state = 'committed'
      and process_instance_id = ${processInstanceId}`;
  return rows.map(({ id }) => id);
}
