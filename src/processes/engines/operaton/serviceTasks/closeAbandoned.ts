/**
 * Rows of tasks that the engine has no more: their instance ended, or Waybill was killed between the engine's answer
 * and its own note. Nobody hands them out again, so they are closed here, and closed rows are removed after a month.
 *
 * An engine with authorizations answers with an empty list to an account that may not read, and a row may hold the
 * outcome of a request that went out. So a task counts as ended only if the engine's history says so.
 */
import Type from "typebox";
import type { Sql } from "../../../../infrastructure/database/connect.ts";
import { idsShape, shapeOf } from "../answerShape.ts";
import { inParallel } from "../inParallel.ts";
import type { OperatonContext } from "../operatonContext.ts";

/** Rows in one question to the engine. */
const batch = 200;
/** Days after which a task of which the engine shows nothing is taken for ended: its history was removed. */
const forgottenDays = 180;

export async function closeAbandoned(context: OperatonContext): Promise<void> {
  let hidden = 0;
  for (let after = ""; ; ) {
    const rows = await listOld(context.sql, after);
    const last = rows.at(-1);
    if (last === undefined) break;
    after = last.id;
    const absent = await absentOf(context, rows);
    const ended = await inParallel(absent, async (row) => row.isForgotten || (await hasEnded(context, row)));
    await close(
      context.sql,
      absent.filter((_, index) => ended[index]).map(({ id }) => id),
    );
    hidden += ended.filter((each) => !each).length;
  }
  if (hidden > 0) context.log.warn({ count: hidden }, hiddenTasks);
  await context.sql`
    delete from waybill.external_tasks
    where state = 'done'
      and changed_at < now() - interval '30 days'`;
}

const hiddenTasks =
  "The process engine shows neither some service tasks nor their end. Waybill keeps what it knows of them. " +
  "Its account needs the rights to read all process instances and their history";

interface OldRow {
  readonly id: string;
  readonly isForgotten: boolean;
}

async function listOld(sql: Sql, after: string): Promise<OldRow[]> {
  return sql<OldRow[]>`
    select id, changed_at < now() - make_interval(days => ${forgottenDays}) as "isForgotten"
    from waybill.external_tasks
    where id > ${after}
      and state <> 'done'
      and changed_at < now() - interval '1 hour'
    order by id
    limit ${batch}`;
}

async function absentOf({ rest }: OperatonContext, rows: readonly OldRow[]): Promise<OldRow[]> {
  const body = { externalTaskIdIn: rows.map(({ id }) => id) };
  const open = await rest.call({ method: "POST", path: "/external-task", body }, idsShape);
  const present = new Set(open.map(({ id }) => id));
  return rows.filter(({ id }) => !present.has(id));
}

const logShape = shapeOf(
  Type.Array(Type.Object({ successLog: Type.Boolean(), deletionLog: Type.Boolean() })),
);

/** By the log of external tasks, which the account may not see either. Two entries may have the same time. */
async function hasEnded({ rest }: OperatonContext, { id: externalTaskId }: OldRow): Promise<boolean> {
  const body = { externalTaskId, sorting: [{ sortBy: "timestamp", sortOrder: "desc" }] };
  const path = "/history/external-task-log";
  const entries = await rest.call({ method: "POST", path, query: { maxResults: 3 }, body }, logShape);
  return entries.some(({ successLog, deletionLog }) => successLog || deletionLog);
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
