-- compatible from: 0005
-- The service tasks that a remote engine handed out (ENGINE_URL). The engine knows what is open and who has locked it.
-- This table knows what was sent and what came of it, so that nothing is sent twice.
create table waybill.external_tasks (
  -- The external task's id at the engine. It survives reruns.
  id text primary key,
  tenant_id bigint not null,
  process_instance_id text not null,
  process_key text not null,
  -- The engine's id of the version of the process.
  definition_id text not null,
  activity_id text not null,
  -- running: claimed, nothing is sent. sent: the request went out, and its outcome is unknown. answered: the engine has
  -- to be told the outcome. incident: a person has to look. done: the engine has taken the outcome.
  state text not null check (state in ('running', 'sent', 'answered', 'incident', 'done')),
  -- Counted at each claim that may send, because a crash during the call must use it up.
  attempt integer not null,
  -- Claims that sent nothing since the task was last run.
  begun integer not null default 1,
  -- Of the latest claim. An earlier claim sends nothing any more.
  claim uuid not null,
  -- The worker's id under which the engine has locked the task.
  worker text not null,
  sent_at timestamptz,
  -- The answer of the integration, until the engine has taken it.
  outcome json,
  -- How often the engine's database has refused the outcome.
  refusals integer not null default 0,
  -- Whether a refusal of the integration becomes a BPMN error.
  redirects boolean not null,
  -- The incident, as Waybill shows it.
  incident_type text,
  incident_message text,
  request_sent text check (request_sent in ('no', 'yes', 'unknown')),
  -- Whether the engine has the incident. If not, it is told again when it hands the task out again.
  reported boolean not null default false,
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now()
);

create index external_tasks_of_instance on waybill.external_tasks (process_instance_id);
create index external_tasks_by_change on waybill.external_tasks (changed_at) where state <> 'incident';
