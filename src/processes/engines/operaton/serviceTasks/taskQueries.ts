/** Statements on `waybill.external_tasks`: running → sent → answered → done, or → incident → running. */
import type { Queryable, Sql } from "../../../../infrastructure/database/connect.ts";
import type { NewIncident } from "../../../serviceTasks.ts";

export type TaskState = "running" | "sent" | "answered" | "incident" | "done";

export interface TaskRow {
  readonly id: string;
  readonly tenantId: number;
  readonly processInstanceId: string;
  readonly processKey: string;
  readonly definitionId: string;
  readonly activityId: string;
  readonly state: TaskState;
  readonly attempt: number;
  /** Claims since the task was last run, this one included. */
  readonly begun: number;
  /** A UUID. */
  readonly claim: string;
  readonly worker: string;
  /** JSON text of an `Answered`. */
  readonly outcome: string | null;
  readonly redirects: boolean;
  readonly incidentMessage: string | null;
}

const columns = (sql: Queryable) => sql`
  t.id, t.tenant_id::float8 as "tenantId", t.process_instance_id as "processInstanceId",
  t.process_key as "processKey", t.definition_id as "definitionId", t.activity_id as "activityId",
  t.state, t.attempt, t.begun, t.claim::text as claim, t.worker, t.outcome::text as outcome, t.redirects,
  t.incident_message as "incidentMessage"`;

export type NewClaim = Pick<
  TaskRow,
  | "id"
  | "tenantId"
  | "processInstanceId"
  | "processKey"
  | "definitionId"
  | "activityId"
  | "worker"
  | "redirects"
>;

/**
 * Claims tasks that the engine has handed out, all of different ids. A row's state says what to do:
 * - running: a new attempt may send. It is the first one, or an earlier one sent nothing, or somebody ran it again.
 * - answered: the engine has to be told the outcome. Nothing is sent.
 * - sent, done: an earlier attempt sent a request. Only a person may send another one.
 * - incident: the engine was not told the incident.
 *
 * One result for each task, undefined if its id belongs to another tenant.
 */
export async function claimTasks(sql: Sql, tasks: readonly NewClaim[]): Promise<(TaskRow | undefined)[]> {
  const isRerun = sql`t.state = 'incident' and t.reported and t.outcome is null`;
  const begins = sql`(t.state = 'running' or (${isRerun}))`;
  const all = (column: keyof NewClaim) => tasks.map((task) => String(task[column]));
  const rows = await sql<TaskRow[]>`
    insert into waybill.external_tasks as t
      (id, tenant_id, process_instance_id, process_key, definition_id, activity_id, worker, redirects, claim,
       state, attempt)
    select id, tenant_id::bigint, process_instance_id, process_key, definition_id, activity_id, worker,
           redirects::boolean, gen_random_uuid(), 'running', 1
    from unnest(
      ${all("id")}::text[], ${all("tenantId")}::text[], ${all("processInstanceId")}::text[],
      ${all("processKey")}::text[], ${all("definitionId")}::text[], ${all("activityId")}::text[],
      ${all("worker")}::text[], ${all("redirects")}::text[]
    ) as g (id, tenant_id, process_instance_id, process_key, definition_id, activity_id, worker, redirects)
    order by id
    on conflict (id) do update
       set worker = excluded.worker,
           redirects = excluded.redirects,
           claim = excluded.claim,
           changed_at = now(),
           attempt = t.attempt + case when ${begins} then 1 else 0 end,
           begun = case when ${isRerun} then 1 when t.state = 'running' then t.begun + 1 else t.begun end,
           sent_at = case when ${begins} then null else t.sent_at end,
           refusals = case when t.state = 'incident' then 0 else t.refusals end,
           state = case
             when ${begins} then 'running'
             when t.state = 'incident' and t.reported then 'answered'
             else t.state
           end
     where t.tenant_id = excluded.tenant_id
    returning ${columns(sql)}`;
  const byId = new Map(rows.map((row) => [row.id, row]));
  return tasks.map(({ id }) => byId.get(id));
}

/** An attempt, where several tasks go into one statement. */
export type TaskAttempt = Pick<TaskRow, "id" | "tenantId" | "attempt">;

type Attempt = Pick<TaskRow, "id" | "attempt">;

/** The attempt as any process claimed it, and its tenant's slug. Undefined if another attempt has begun since. */
export async function findAttempt(
  sql: Sql,
  { id, attempt }: Attempt,
): Promise<{ readonly row: TaskRow; readonly slug: string } | undefined> {
  const [found] = await sql<(TaskRow & { readonly slug: string })[]>`
    select ${columns(sql)}, n.slug
    from waybill.external_tasks t
    join waybill.tenants n on n.id = t.tenant_id
    where t.id = ${id}
      and t.attempt = ${attempt}`;
  if (!found) return undefined;
  const { slug, ...row } = found;
  return { row, slug };
}

/**
 * Marks attempts of different tasks as sent. One result for each: false if its claim is not the latest one, or is
 * marked already.
 */
export async function markTasksSent(
  sql: Sql,
  attempts: readonly (Attempt & Pick<TaskRow, "claim">)[],
): Promise<boolean[]> {
  const { ids, numbers } = listsOf(attempts);
  const rows = await sql<Pick<TaskRow, "id">[]>`
    update waybill.external_tasks t
       set state = 'sent', sent_at = now(), changed_at = now()
      from unnest(${ids}::text[], ${numbers}::integer[], ${attempts.map(({ claim }) => claim)}::uuid[])
        as g (id, attempt, claim)
     where t.id = g.id
       and t.attempt = g.attempt
       and t.claim = g.claim
       and t.state = 'running'
    returning t.id`;
  const marked = new Set(rows.map(({ id }) => id));
  return attempts.map(({ id }) => marked.has(id));
}

const listsOf = (attempts: readonly Attempt[]) => ({
  ids: attempts.map(({ id }) => id),
  numbers: attempts.map(({ attempt }) => attempt),
});

/** Removes the mark of an attempt that sent nothing. An incident that replaced it by now gets the message. */
export async function unmarkTask(sql: Sql, { id, attempt }: Attempt, message: string): Promise<void> {
  await sql`
    update waybill.external_tasks
       set state = case when state = 'sent' then 'running' else state end,
           sent_at = null,
           request_sent = case when state = 'incident' then 'no' end,
           incident_message = case when state = 'incident' then ${message} end,
           changed_at = now()
     where id = ${id}
       and attempt = ${attempt}
       and (state = 'sent' or (state = 'incident' and incident_type = 'interrupted'))`;
}

/**
 * Stores the answers to attempts of different tasks, before the engine is told. A late answer counts, too, if the
 * attempt became an incident because its process was taken for dead. One result for each: the engine's id of the worker
 * that has the task now, or undefined if a later attempt has begun, or if the engine has the outcome already.
 */
export async function storeAnswers(
  sql: Sql,
  answers: readonly (Attempt & { readonly outcome: string })[],
): Promise<(string | undefined)[]> {
  const { ids, numbers } = listsOf(answers);
  const rows = await sql<Pick<TaskRow, "id" | "worker">[]>`
    update waybill.external_tasks t
       set state = 'answered', outcome = g.outcome::json, changed_at = now()
      from unnest(${ids}::text[], ${numbers}::integer[], ${answers.map(({ outcome }) => outcome)}::text[])
        as g (id, attempt, outcome)
     where t.id = g.id
       and t.attempt = g.attempt
       and t.state in ('running', 'sent', 'answered', 'incident')
    returning t.id, t.worker`;
  const workers = new Map(rows.map(({ id, worker }) => [id, worker]));
  return answers.map(({ id }) => workers.get(id));
}

/** The engine has taken the outcomes of these attempts, or has given up their tasks. */
export async function closeTasks(sql: Sql, attempts: readonly Attempt[]): Promise<void> {
  const { ids, numbers } = listsOf(attempts);
  await sql`
    update waybill.external_tasks t
       set state = 'done', outcome = null, changed_at = now()
      from unnest(${ids}::text[], ${numbers}::integer[]) as g (id, attempt)
     where t.id = g.id
       and t.attempt = g.attempt
       and t.state <> 'done'`;
}

/** Counts that the engine's database refused the outcome. Returns how often it has done so. */
export async function countRefusal(sql: Sql, { id, attempt }: Attempt): Promise<number> {
  const [row] = await sql<{ refusals: number }[]>`
    update waybill.external_tasks
       set refusals = refusals + 1, changed_at = now()
     where id = ${id}
       and attempt = ${attempt}
       and state = 'answered'
    returning refusals`;
  return row?.refusals ?? 0;
}

/**
 * Turns an attempt into an incident. If it is one already, because its process was taken for dead, the incident now
 * says what is known; the type "interrupted" says least and replaces nothing. An answer stays: `process_failed` is
 * about it. Undefined if the attempt no longer counts.
 */
export async function storeIncident(
  sql: Sql,
  { id, attempt }: Attempt,
  { type, message, requestSent }: NewIncident,
): Promise<{ readonly worker: string; readonly reported: boolean } | undefined> {
  const isAboutAnswer = type === "process_failed";
  const [row] = await sql<{ worker: string; reported: boolean }[]>`
    update waybill.external_tasks
       set state = 'incident',
           incident_type = ${type},
           incident_message = ${message},
           incident_attempt = attempt,
           request_sent = ${requestSent},
           reported = case when state = 'incident' then reported else false end,
           changed_at = now()
     where id = ${id}
       and attempt = ${attempt}
       and (
         state in ('running', 'sent')
         or (state = 'answered' and ${isAboutAnswer})
         or (state = 'done' and ${type === "interrupted"})
         or (state = 'incident' and ${type !== "interrupted"})
       )
    returning worker, reported`;
  return row;
}

/** The engine has the incident. From now on the task is handed out again only if somebody runs it again. */
export async function markReported(sql: Sql, { id, attempt }: Attempt): Promise<void> {
  await sql`
    update waybill.external_tasks
       set reported = true
     where id = ${id}
       and attempt = ${attempt}
       and state = 'incident'`;
}
