-- compatible from: 0005
-- Instances that Waybill has started at an engine beside it. The row is written before the engine is asked, so that a
-- lost answer is found again by the id, which is the instance's business key there.
create table waybill.engine_starts (
  id uuid primary key,
  tenant_id bigint not null,
  process_key text not null,
  -- What the starter calls the instance.
  business_key text,
  -- A user, or the form session of a visitor, who starts one process at most.
  started_by text,
  form_session_id text,
  -- The engine's id. Null until it is known; until then attachments are bound to the start's own id.
  process_instance_id text,
  -- The attachments that the start has bound: what they are again if nothing started.
  drafts uuid[] not null,
  finalized uuid[] not null,
  created_at timestamptz not null default now(),
  constraint engine_starts_session unique (tenant_id, form_session_id)
);

create index engine_starts_instance on waybill.engine_starts (tenant_id, process_instance_id);
create index engine_starts_unsettled on waybill.engine_starts (created_at) where process_instance_id is null;
create index engine_starts_of_starter on waybill.engine_starts (tenant_id, started_by, created_at desc);
create index engine_starts_business_key on waybill.engine_starts (tenant_id, business_key, created_at desc)
  where business_key is not null;
