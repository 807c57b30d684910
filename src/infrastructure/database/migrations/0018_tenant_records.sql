-- compatible from: 0005
-- A tenant's own records move into the tenant's schema: `_tables`, the registry of its tables, and `_audit`, its audit
-- trail. No table that a tenant names begins with an underscore. So a write and its record touch one schema only, which
-- can be a shard.
--
-- What every tenant's schema has is made in steps, the functions waybill.tenant_records_NNNN(tenant, schema). A
-- migration that needs another table there adds the function with its own number, and nothing else.
-- waybill.create_tenant_records runs the missing steps of one tenant: for a new tenant when it is provisioned, for the
-- others after the migrations, each in a transaction of its own (tenantRecords.ts). The role that migrates owns these
-- tables. No role gets more rights on them than their owner keeps.

-- The number of the last step that the tenant's schema has.
alter table waybill.tenants add column records integer not null default 0;

-- Tenants whose records from before this migration still have to be copied: those with a smaller id than `until`.
create table waybill.audit_moves (
  tenant_id bigint primary key,
  until bigint not null
);

create function waybill.tenant_records_0018(tenant bigint, schema text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  first bigint := 1;
begin
  execute format('
    create table %I._tables (
      id bigint primary key,
      table_name text not null,
      description text not null,
      columns jsonb not null,
      indexes jsonb not null default ''[]'',
      version integer not null default 1,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      constraint _tables_name unique (table_name)
    )', schema);
  if exists (select from waybill.tenant_tables t where t.tenant_id = tenant) then
    execute format('
      insert into %I._tables (id, table_name, description, columns, created_at, updated_at)
      select id, table_name, description, columns, created_at, updated_at
      from waybill.tenant_tables
      where tenant_id = $1', schema) using tenant;
  end if;

  -- The records that are copied later keep their ids, and all new ones come after them.
  if exists (select from waybill.audit_log a where a.tenant_id = tenant) then
    select last_value + 1 into first from waybill.audit_log_id_seq;
    insert into waybill.audit_moves (tenant_id, until) values (tenant, first);
  end if;
  execute format('
    create table %1$I._audit (
      id bigint generated always as identity (start with %2$s) primary key,
      at timestamptz not null default now(),
      actor text not null,
      action text not null,
      table_name text,
      statement text not null,
      affected_rows bigint,
      outcome text not null check (outcome in (''success'', ''failure'')),
      error text,
      -- One request, one record: a failure noted after a commit whose answer was lost must not stand beside the success.
      request_id uuid not null,
      constraint _audit_request unique (request_id)
    );
    create index _audit_by_time on %1$I._audit (at, id);
    revoke all on %1$I._audit from %3$I, public;
    grant select, insert on %1$I._audit to %3$I', schema, first, current_user);

  -- Not on Citus: it has no triggers on a tenant's tables, and version 0.2.0 never ran there.
  if to_regproc('waybill.mirror_tenant_table') is not null then
    execute format('
      create trigger mirror after insert or update or delete on %I._tables
        for each row when (pg_trigger_depth() = 0) execute function waybill.mirror_tenant_table()', schema);
  end if;
end
$$;

-- Gives a role that is not their owner its rights on tenants' schemas and records: those that the owner keeps.
create function waybill.grant_tenant_records(role name, only_schema name default null) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  found record;
begin
  for found in
    select nspname from pg_namespace
    where nspname ~ '^tenant_\d+$'
      and (only_schema is null or nspname = only_schema)
      and not (has_schema_privilege(role, oid, 'usage') and has_schema_privilege(role, oid, 'create'))
  loop
    execute format('grant usage, create on schema %I to %I', found.nspname, role);
  end loop;
  for found in
    select format('%I.%I', nspname, relname) as name, kept.list
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    cross join lateral (
      select string_agg(privilege_type, ', ' order by privilege_type) filter (where grantee = relowner) as list,
             string_agg(privilege_type, ', ' order by privilege_type)
               filter (where grantee = (select r.oid from pg_roles r where rolname = role)) as given
      from aclexplode(coalesce(relacl, acldefault('r', relowner)))
      where privilege_type in ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
    ) kept
    where nspname ~ '^tenant_\d+$'
      and (only_schema is null or nspname = only_schema)
      and relname ~ '^_'
      and relkind in ('r', 'p')
      and kept.list is distinct from kept.given
  loop
    execute format('revoke all on %s from %I', found.name, role);
    execute format('grant %s on %s to %I', found.list, found.name, role);
  end loop;
end
$$;

create function waybill.steps_of_tenant_records() returns table (name name, number integer) language sql stable as $$
  select proname, substring(proname from '^tenant_records_(\d{4})$')::integer
  from pg_proc
  where pronamespace = 'waybill'::regnamespace
    and proname ~ '^tenant_records_\d{4}$'
$$;

-- Creates the tenant's schema and the records that are missing in it. The function runs as the role that migrates.
create function waybill.create_tenant_records(tenant bigint) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  tenant_schema name := 'tenant_' || tenant;
  done integer;
  step record;
begin
  -- No table is created or dropped meanwhile, and no version before this one writes a record.
  perform pg_advisory_xact_lock(hashtextextended('waybill.tenant_tables', tenant));
  perform pg_advisory_xact_lock(hashtextextended('waybill.audit_log', tenant));
  select records into strict done from waybill.tenants where id = tenant;
  execute format('create schema if not exists %I', tenant_schema);
  for step in
    select name, number
    from waybill.steps_of_tenant_records()
    where number > done
    order by number
  loop
    execute format('select waybill.%I($1, $2)', step.name) using tenant, tenant_schema::text;
    update waybill.tenants set records = step.number where id = tenant;
  end loop;
  if session_user <> current_user then
    perform waybill.grant_tenant_records(session_user, tenant_schema);
  end if;
end
$$;

-- The tenants whose schema misses a step.
create function waybill.tenants_without_records() returns setof bigint language sql stable as $$
  select id
  from waybill.tenants
  where records < (select max(number) from waybill.steps_of_tenant_records())
  order by id
$$;

-- Copies a tenant's records from before this migration, and returns how many. It blocks nobody who writes.
create function waybill.move_audit_records(tenant bigint) returns bigint
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  moved bigint;
begin
  -- A record that the trigger below has copied is there under another id.
  execute format('
    insert into %I._audit (
      id, at, actor, action, table_name, statement, affected_rows, outcome, error, request_id
    ) overriding system value
    select id, at, actor, action, table_name, statement, affected_rows, outcome, error, request_id
    from waybill.audit_log
    where tenant_id = $1 and id < (select until from waybill.audit_moves where tenant_id = $1)
    order by id
    on conflict do nothing', 'tenant_' || tenant) using tenant;
  get diagnostics moved = row_count;
  delete from waybill.audit_moves where tenant_id = tenant;
  return moved;
end
$$;

-- The bridge: version 0.2.0 runs beside this one during an upgrade, and writes waybill.tenant_tables and
-- waybill.audit_log. A later release drops both, these triggers and waybill.audit_moves.
do $bridge$
begin
  if exists (select from pg_extension where extname = 'citus') then
    return;
  end if;

  -- A tenant that the version before provisions has its records at once.
  create function waybill.bridge_tenant() returns trigger language plpgsql as $$
  begin
    perform waybill.create_tenant_records(new.id);
    return null;
  end
  $$;
  create trigger bridge after insert on waybill.tenants
    for each row execute function waybill.bridge_tenant();

  -- Every entry of `_tables` is also in waybill.tenant_tables. An alteration gives it a new id there, so that the
  -- version before, which remembers definitions by their id, notices.
  create function waybill.mirror_tenant_table() returns trigger language plpgsql as $$
  declare
    tenant bigint := substr(tg_table_schema, 8)::bigint;
  begin
    if tg_op <> 'INSERT' then
      delete from waybill.tenant_tables where tenant_id = tenant and table_name = old.table_name;
    end if;
    if tg_op <> 'DELETE' then
      insert into waybill.tenant_tables (id, tenant_id, table_name, description, columns, created_at, updated_at)
        overriding system value
      values (
        case tg_op when 'INSERT' then new.id else nextval('waybill.tenant_tables_id_seq') end,
        tenant, new.table_name, new.description, new.columns, new.created_at, new.updated_at);
    end if;
    return null;
  end
  $$;

  -- What the version before creates and drops. Until the tenant has its records, they are copied when it gets them.
  create function waybill.bridge_tenant_table() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' and exists (select from waybill.tenants where id = new.tenant_id and records >= 18) then
      execute format('
        insert into %I._tables (id, table_name, description, columns, created_at, updated_at)
        values ($1, $2, $3, $4, $5, $6)', 'tenant_' || new.tenant_id)
        using new.id, new.table_name, new.description, new.columns, new.created_at, new.updated_at;
    elsif tg_op = 'DELETE' and exists (select from waybill.tenants where id = old.tenant_id and records >= 18) then
      execute format('delete from %I._tables where table_name = $1', 'tenant_' || old.tenant_id)
        using old.table_name;
    end if;
    return null;
  end
  $$;
  create trigger bridge after insert or delete on waybill.tenant_tables
    for each row when (pg_trigger_depth() = 0) execute function waybill.bridge_tenant_table();

  -- The lock lets create_tenant_records wait for the writers whose records it cannot see yet.
  create function waybill.bridge_audit_record() returns trigger language plpgsql as $$
  begin
    perform pg_advisory_xact_lock_shared(hashtextextended('waybill.audit_log', new.tenant_id));
    if exists (select from waybill.tenants where id = new.tenant_id and records >= 18) then
      execute format('
        insert into %I._audit (at, actor, action, table_name, statement, affected_rows, outcome, error, request_id)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        on conflict do nothing', 'tenant_' || new.tenant_id)
        using new.at, new.actor, new.action, new.table_name, new.statement, new.affected_rows, new.outcome,
              new.error, new.request_id;
    end if;
    return null;
  end
  $$;
  create trigger bridge after insert on waybill.audit_log
    for each row execute function waybill.bridge_audit_record();
end
$bridge$;

revoke execute on function waybill.create_tenant_records(bigint) from public;
