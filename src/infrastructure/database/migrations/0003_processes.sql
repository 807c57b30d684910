-- Processes: models, instances with their variables, user tasks, service tasks and incidents (design 9).

create table waybill.process_definitions (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  process_key text not null,
  version integer not null,
  name text not null,
  bpmn text not null,
  -- { "<form id>": <form-js schema> }
  forms json not null,
  deployed_by text not null,
  deployed_at timestamptz not null default now(),
  constraint process_definitions_version unique (tenant_id, process_key, version)
);

create table waybill.process_instances (
  id uuid primary key,
  tenant_id bigint not null,
  process_key text not null,
  definition_id bigint not null,
  -- An active instance with an open incident is shown as `incident`.
  state text not null check (state in ('active', 'completed', 'terminated')),
  -- What the engine goes on from, compressed; null once the instance has ended.
  engine_state bytea,
  -- A user, or the form session of a visitor, who starts one process at most.
  started_by text,
  form_session_id text,
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  constraint process_instances_session unique (tenant_id, form_session_id)
);

create table waybill.process_variables (
  process_instance_id uuid not null,
  name text not null,
  type text not null,
  -- JSON text.
  value text not null,
  -- Of a variable of type File.
  file_name text,
  mime_type text,
  content bytea,
  primary key (process_instance_id, name)
);

create table waybill.user_tasks (
  id uuid primary key,
  tenant_id bigint not null,
  process_instance_id uuid not null,
  process_key text not null,
  activity_id text not null,
  execution_id text not null,
  name text not null,
  form_key text,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  -- Null where the process went on without it.
  completed_by text,
  constraint user_tasks_execution unique (process_instance_id, execution_id)
);

create index user_tasks_open on waybill.user_tasks (tenant_id, created_at, id) where ended_at is null;

-- waiting → running → completed, or → incident → waiting again. cancelled: the process went on without it. Whose a
-- running task is, and whether that process is still alive, pg-boss knows.
create table waybill.service_tasks (
  id uuid primary key,
  tenant_id bigint not null,
  process_instance_id uuid not null,
  activity_id text not null,
  execution_id text not null,
  state text not null check (state in ('waiting', 'running', 'incident', 'completed', 'cancelled')),
  -- Counted before the call, for a crash in mid-call must still use it up, and on through every pass of the activity.
  attempt integer not null default 0,
  -- How often a person has had it run again. A job belongs to one of these runs.
  rerun integer not null default 0,
  -- Set just before the request goes out: from then on only a person may have it sent again.
  sent_at timestamptz,
  -- What the integration answered, where the process could not go on with it.
  outcome json,
  created_at timestamptz not null default now(),
  constraint service_tasks_execution unique (process_instance_id, execution_id)
);

create unique index service_tasks_attempt on waybill.service_tasks (process_instance_id, activity_id, attempt)
  where attempt > 0;

create table waybill.incidents (
  id uuid primary key,
  tenant_id bigint not null,
  process_instance_id uuid not null,
  process_key text not null,
  activity_id text not null,
  -- Null where a timer failed.
  service_task_id uuid,
  type text not null,
  message text not null,
  request_sent text not null check (request_sent in ('no', 'yes', 'unknown')),
  attempt integer not null,
  created_at timestamptz not null default now(),
  resolved_at timestamptz
);

create index incidents_by_tenant on waybill.incidents (tenant_id, created_at);
create index incidents_of_instance on waybill.incidents (process_instance_id);

alter table waybill.download_tokens add column service_task_id uuid;
create index download_tokens_unused on waybill.download_tokens (service_task_id)
  where service_task_id is not null and used_at is null;

alter table waybill.embeds add column allowed_origins text[] not null default '{}';
