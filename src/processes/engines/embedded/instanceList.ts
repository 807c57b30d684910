/** The list of a tenant's instances. Its indexes are in migration 0016. */
import type { InstanceState, ListedProcessInstance } from "../../../generated/schemas.ts";
import { type JsonList, listAsJson } from "../../../infrastructure/database/boundedList.ts";
import type { Sql } from "../../../infrastructure/database/connect.ts";
import { utc } from "../../../infrastructure/database/timestamps.ts";
import type { InstanceQuery } from "../../engine.ts";
import { shownState } from "./instanceQueries.ts";

/** Newest first. The page is found first and by index, so that the skipped instances are not read. */
export async function listInstances(
  sql: Sql,
  tenantId: number,
  query: InstanceQuery,
): Promise<JsonList<ListedProcessInstance>> {
  const { visibleTo: user } = query;
  const member = user === undefined ? undefined : { tenantId, user };
  const own = member && ownOnly(sql, member, await hasMany(sql, member));
  return listAsJson<ListedProcessInstance>(
    sql,
    sql`
      select i.id::text as process_instance_id, i.process_key, d.version, ${shownState(sql)} as state,
             i.business_key, i.started_by, ${utc(sql, "i.started_at")} as started_at,
             ${utc(sql, "i.ended_at")} as ended_at
      from (
        select i.id, i.started_at
        from waybill.process_instances i
        where i.tenant_id = ${tenantId}
          ${filters(sql, tenantId, query)}
          ${own ?? sql``}
        order by i.started_at desc, i.id desc
        limit ${query.limit}
        offset ${query.offset}
      ) shown
      join waybill.process_instances i on i.id = shown.id
      join waybill.process_definitions d on d.id = i.definition_id
      order by shown.started_at desc, shown.id desc`,
  );
}

/** Each filter has its own statement: PostgreSQL would not use the indexes for one with "or". */
const filters = (sql: Sql, tenantId: number, { processKey, state, businessKey }: InstanceQuery) => sql`
    ${processKey === undefined ? sql`` : sql`and i.process_key = ${processKey}`}
    ${businessKey === undefined ? sql`` : sql`and i.business_key = ${businessKey}`}
    ${state === undefined ? sql`` : inState(sql, tenantId, state)}`;

function inState(sql: Sql, tenantId: number, state: InstanceState) {
  if (state === "completed" || state === "terminated") return sql`and i.state = ${state}`;
  const failed = sql`
    select o.process_instance_id
    from waybill.incidents o
    where o.tenant_id = ${tenantId}
      and o.resolved_at is null`;
  return state === "incident"
    ? sql`and i.state = 'active' and i.id in (${failed})`
    : sql`and i.state = 'active' and not exists (${failed} and o.process_instance_id = i.id)`;
}

interface Member {
  readonly tenantId: number;
  readonly user: string;
}

/** Up to this many own instances, the list begins with them. */
const fewInstances = 10_000;

/**
 * Few own instances are looked up by their ids. A service account may have a large part of all instances: then going
 * through the list and asking for each one is much faster.
 */
function ownOnly(sql: Sql, member: Member, areMany: boolean) {
  const { tenantId, user } = member;
  if (!areMany) return sql`and i.id in (${ownIds(sql, member)})`;
  return sql`
    and (i.started_by = ${user} or exists (
      select
      from waybill.discussion_participants p
      where p.tenant_id = ${tenantId}
        and p.process_instance_id = i.id::text
        and p.user_id = ${user}
    ))`;
}

async function hasMany(sql: Sql, member: Member): Promise<boolean> {
  const [row] = await sql<{ many: boolean }[]>`
    select count(*) > ${fewInstances} as many
    from (select from (${ownIds(sql, member)}) own limit ${fewInstances + 1}) counted`;
  return row?.many === true;
}

/** Ids of other engines need not be uuids. PostgreSQL checks the form before the cast only within a `case`. */
const ownIds = (sql: Sql, { tenantId, user }: Member) => sql`
  select s.id
  from waybill.process_instances s
  where s.tenant_id = ${tenantId}
    and s.started_by = ${user}
  union all
  select case when p.process_instance_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
              then p.process_instance_id::uuid
         end
  from waybill.discussion_participants p
  where p.tenant_id = ${tenantId}
    and p.user_id = ${user}`;
