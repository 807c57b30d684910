-- compatible from: 0005
-- What the starter calls an instance, and the orders in which instances are listed: newest first, of a tenant, and of
-- its part that a filter leaves. Ids break ties. The state is kept in the index of a process, so that a filter by both
-- reads the index alone.
alter table waybill.process_instances add column business_key text;

create index process_instances_newest on waybill.process_instances (tenant_id, started_at desc, id desc);
create index process_instances_of_process on waybill.process_instances
  (tenant_id, process_key, started_at desc, id desc) include (state);
create index process_instances_in_state on waybill.process_instances (tenant_id, state, started_at desc, id desc);
create index process_instances_business_key on waybill.process_instances
  (tenant_id, business_key, started_at desc, id desc)
  where business_key is not null;
create index process_instances_of_starter on waybill.process_instances (tenant_id, started_by);

create index incidents_open on waybill.incidents (tenant_id, process_instance_id) where resolved_at is null;
create index discussion_participants_of_user on waybill.discussion_participants
  (tenant_id, user_id, process_instance_id);
