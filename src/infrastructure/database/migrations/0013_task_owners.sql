-- compatible from: 0005
-- Whom a user task is for: subjects of access tokens, and groups that access tokens name. A task is owned if its model
-- gives it to somebody: then it never becomes everybody's, also if nobody is named now. All of them are null for a task
-- from before this migration, or from the version before it: every member may complete it.
alter table waybill.user_tasks
  add column assignee text,
  add column candidate_users text[],
  add column candidate_groups text[],
  add column owned boolean;

create index user_tasks_of_assignee on waybill.user_tasks (tenant_id, assignee, created_at, id)
  where ended_at is null;
create index user_tasks_of_process on waybill.user_tasks (tenant_id, process_key, created_at, id)
  where ended_at is null;

alter table waybill.audit_log drop constraint audit_log_action_check;
alter table waybill.audit_log add constraint audit_log_action_check check (action in (
  'create_table', 'drop_table', 'insert', 'update', 'delete',
  'deploy_process', 'set_variables', 'terminate_instance', 'rerun_incident', 'assign_task',
  'put_addon', 'delete_addon', 'put_secret', 'delete_secret', 'create_embed', 'delete_embed',
  'add_participant', 'remove_participant', 'revoke_token')) not valid;
