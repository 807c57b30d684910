-- compatible from: 0005
-- Besides the writes of the table builder, the audit trail records what administrators do with processes, addons,
-- secrets, embeds, participants and tokens.
alter table waybill.audit_log drop constraint audit_log_action_check;
alter table waybill.audit_log add constraint audit_log_action_check check (action in (
  'create_table', 'drop_table', 'insert', 'update', 'delete',
  'deploy_process', 'set_variables', 'terminate_instance', 'rerun_incident',
  'put_addon', 'delete_addon', 'put_secret', 'delete_secret', 'create_embed', 'delete_embed',
  'add_participant', 'remove_participant', 'revoke_token')) not valid;
