/**
 * A bare loop that stores the rows of a service task that Waybill stores, and posts the same body: one statement for
 * the start, one before the request and one after the answer, each flushed. No token check, no model, no claim by
 * another process, no share of a tenant, and nothing is read.
 */
import { connect, type Sql } from "../../src/infrastructure/database/connect.ts";
import { tenant } from "../attachments/requests.ts";
import { inParallel, processKey } from "./site.ts";

/** As many as Waybill has by default. */
const connections = 10;

export interface BareTasks {
  readonly database: string;
  /** Of the receiver. */
  readonly url: string;
  /** Drafts, one for each task. */
  readonly drafts: readonly string[];
}

/** Stores and posts as many tasks as there are drafts, 32 at a time. Tasks a second. */
export async function storeBarely({ database, url, drafts }: BareTasks): Promise<number> {
  const sql = connect(database, { max: connections });
  try {
    const [definition] = await sql<{ id: string }[]>`
      select id::text
      from waybill.process_definitions
      where process_key = ${processKey}`;
    let turn = 0;
    const began = performance.now();
    await inParallel(drafts.length, () => runTask(sql, { draft: drafts[turn++] ?? "", definition, url }));
    return drafts.length / ((performance.now() - began) / 1000);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

interface Task {
  readonly draft: string;
  readonly definition: { readonly id: string } | undefined;
  readonly url: string;
}

async function runTask(sql: Sql, { draft, definition, url }: Task): Promise<void> {
  const [id, task] = [Bun.randomUUIDv7(), Bun.randomUUIDv7()];
  const token = "x".repeat(90);
  const card = { attachment_id: draft, file_name: "card.pdf", mime_type: "application/pdf", size: 1 };
  const variables = [
    { name: "applicant", type: "String", value: JSON.stringify("Jane Doe") },
    { name: "card", type: "Json", value: JSON.stringify(JSON.stringify(card)) },
  ];
  await begin(sql, {
    id,
    task,
    draft,
    definition: definition?.id ?? "0",
    variables: JSON.stringify(variables),
  });
  await markSent(sql, { task, digest: crypto.getRandomValues(new Uint8Array(32)), draft });
  const body = JSON.stringify({
    applicant: "Jane Doe",
    card: `https://files.example/${draft}?token=${token}`,
  });
  const headers = { "Content-Type": "application/json", "Idempotency-Key": `${id}:call:1` };
  const answer = await (await fetch(url, { method: "POST", headers, body })).text();
  await end(sql, { id, task, value: JSON.stringify(answer), report: JSON.stringify(variables) });
}

/** As large as Waybill's compressed state. */
const state = crypto.getRandomValues(new Uint8Array(1_200));

const begin = (
  sql: Sql,
  {
    id,
    task,
    draft,
    definition,
    variables,
  }: Record<"id" | "task" | "draft" | "definition" | "variables", string>,
) => sql`
  with instance as (
    insert into waybill.process_instances (id, tenant_id, process_key, definition_id, state, engine_state, started_by)
    values (${id}::text::uuid, ${tenant.id}, ${processKey}, ${definition}, 'active', ${state}, 'bare')
  ),
  joined as (
    insert into waybill.discussion_participants (tenant_id, process_instance_id, user_id, added_by)
    values (${tenant.id}, ${id}, 'bare', 'bare')
  ),
  written as (
    insert into waybill.process_variables (process_instance_id, name, type, value)
    select ${id}::text::uuid, name, type, value
    from json_to_recordset(${variables}::text::json) as t(name text, type text, value text)
  ),
  bound as (
    update waybill.attachments
       set state = 'committed', process_instance_id = ${id}, state_since = now()
     where id = ${draft}
       and state = 'draft'
  ),
  added as (
    insert into waybill.service_tasks (id, tenant_id, process_instance_id, activity_id, execution_id, state)
    values (${task}, ${tenant.id}, ${id}::text::uuid, 'call', 'call_1', 'waiting')
  ),
  queued as (
    insert into pgboss.job (name, data, state)
    values ('service-task', json_build_object('service_task_id', ${task}::text), 'completed')
  )
  insert into ${sql(`tenant_${tenant.id}.trx_${processKey}`)} (process_instance_id, version, state, variables)
  values (${id}::text::uuid, 1, 'active', ${variables}::text::json)`;

const markSent = (
  sql: Sql,
  { task, digest, draft }: { readonly task: string; readonly digest: Uint8Array; readonly draft: string },
) => sql`
  with issued as (
    insert into waybill.download_tokens
      (digest, attachment_id, tenant_id, process_instance_id, expires_at, service_task_id)
    values (${digest}, ${draft}, ${tenant.id}, ${task}, now() + interval '1 hour', ${task})
  )
  update waybill.service_tasks
     set state = 'running', attempt = 1, sent_at = now()
   where id = ${task}
     and state = 'waiting'`;

const end = (
  sql: Sql,
  { id, task, value, report }: Record<"id" | "task" | "value" | "report", string>,
) => sql`
  with instance as (
    update waybill.process_instances
       set state = 'completed', engine_state = null, ended_at = now()
     where id = ${id}
  ),
  closed as (
    update waybill.service_tasks
       set state = 'completed'
     where id = ${task}
       and state = 'running'
  ),
  written as (
    insert into waybill.process_variables (process_instance_id, name, type, value)
    values (${id}, 'core', 'Json', ${value})
  )
  update ${sql(`tenant_${tenant.id}.trx_${processKey}`)}
     set state = 'completed', ended_at = now(), variables = ${report}::text::json
   where process_instance_id = ${id}`;
