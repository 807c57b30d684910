/**
 * Rows of tasks that the engine has no more: their instance ended, or Waybill was killed between the engine's answer
 * and its own note. Nobody hands them out again, so they are closed here, and closed rows are removed after a month.
 */
import type { Sql } from "../../../../infrastructure/database/connect.ts";
import { idsShape } from "../answerShape.ts";
import type { OperatonContext } from "../operatonContext.ts";

/** Rows in one question to the engine. */
const batch = 200;

export async function closeAbandoned(context: OperatonContext): Promise<void> {
  for (let after = ""; ; ) {
    const ids = await listOld(context.sql, after);
    const last = ids.at(-1);
    if (last === undefined) break;
    after = last;
    const body = { externalTaskIdIn: ids };
    const open = await context.rest.call({ method: "POST", path: "/external-task", body }, idsShape);
    const present = new Set(open.map(({ id }) => id));
    await close(
      context.sql,
      ids.filter((id) => !present.has(id)),
    );
  }
  await context.sql`
    delete from waybill.external_tasks
    where state = 'done'
      and changed_at < now() - interval '30 days'`;
}

async function listOld(sql: Sql, after: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id
    from waybill.external_tasks
    where id > ${after}
      and state <> 'done'
      and changed_at < now() - interval '1 hour'
    order by id
    limit ${batch}`;
  return rows.map(({ id }) => id);
}

/** A row that has changed in the meantime stays. */
async function close(sql: Sql, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    update waybill.external_tasks
       set state = 'done', outcome = null, changed_at = now()
     where id = any(${[...ids]}::text[])
       and changed_at < now() - interval '1 hour'`;
}
