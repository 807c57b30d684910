-- Tenants, the registry of the tables they made, and the audit trail of every write (design 5 and 7).

create table waybill.tenants (
  id bigint primary key,
  slug text not null unique,
  created_at timestamptz not null default now()
);

-- What is not listed here was not made through the API and does not exist for it.
create table waybill.tenant_tables (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  table_name text not null,
  description text not null,
  -- [{ "name", "type", "nullable" }] in the order in which they were defined.
  columns jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint tenant_tables_name unique (tenant_id, table_name)
);

create table waybill.audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  tenant_id bigint not null,
  actor text not null,
  action text not null check (action in ('create_table', 'drop_table', 'insert', 'update', 'delete')),
  table_name text,
  statement text not null,
  affected_rows bigint,
  outcome text not null check (outcome in ('success', 'failure')),
  error text,
  -- One request, one record: a failure noted after a commit whose answer was lost must not stand beside the success.
  request_id uuid not null,
  constraint audit_log_request unique (request_id)
);

create index audit_log_by_tenant on waybill.audit_log (tenant_id, at);

create function waybill.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit trail is append-only' using errcode = 'insufficient_privilege';
end
$$;

create trigger audit_log_is_append_only before update or delete or truncate on waybill.audit_log
  for each statement execute function waybill.refuse_change();

revoke update, delete, truncate on waybill.audit_log from public;
do $$ begin execute format('revoke update, delete, truncate on waybill.audit_log from %I', current_user); end $$;
