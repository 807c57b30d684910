-- compatible from: 0005
-- How far Waybill has read the variables that a process engine of its own has stored for a tenant. Other clients of that
-- engine write files into variables, and the sweep removes no file before every variable that could name it was read.
create table waybill.variable_readings (
  tenant_id bigint primary key,
  -- The time of the newest variable that was read.
  seen_until timestamptz not null,
  -- Every variable that the engine stored until then was read, also those of transactions that took long.
  complete_until timestamptz not null,
  read_at timestamptz not null default now()
);

-- The attempt that became the incident: somebody may run the task again in the engine's own tools, and the row is about
-- the next attempt then.
alter table waybill.external_tasks add column incident_attempt integer;

-- A rerun of an incident of such an engine. While it is under way, a second one is refused. Afterwards the row says what
-- the incident was: the engine keeps neither its type nor its attempt, and the task's own row is about the next attempt.
create table waybill.engine_reruns (
  tenant_id bigint not null,
  incident_id text not null,
  begun_at timestamptz not null default now(),
  -- Null if the incident was not one of a service task that Waybill carries out.
  type text,
  message text,
  request_sent text check (request_sent in ('no', 'yes', 'unknown')),
  attempt integer,
  primary key (tenant_id, incident_id)
);
