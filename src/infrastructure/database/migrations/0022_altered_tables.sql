-- compatible from: 0005
-- Tables can be altered, and dropped tables and columns can be restored for some days.

-- `_dropped` in the tenant's schema: what can be restored. PostgreSQL still has it, as `_dropped_<table's id>` for a
-- table and as `_dropped_<id>` for a column.
create function waybill.tenant_records_0022(tenant bigint, schema text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  execute format('
    create table %1$I._dropped (
      id bigint generated always as identity primary key,
      kind text not null check (kind in (''table'', ''column'')),
      table_id bigint not null,
      -- The name that it had.
      name text not null,
      -- The registry''s entry of a table, or the column with its indexes.
      definition jsonb not null,
      dropped_at timestamptz not null default now(),
      dropped_by text not null,
      purge_at timestamptz not null
    );
    create index _dropped_by_table on %1$I._dropped (table_id, kind)', schema);
end
$$;

-- What the background still has to do for a table: build indexes and check references (`finish`), or remove what can no
-- longer be restored (`purge`).
create table waybill.table_tasks (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  kind text not null check (kind in ('finish', 'purge')),
  table_id bigint not null,
  actor text not null,
  dropped_id bigint,
  due_at timestamptz not null,
  attempts integer not null default 0
);

create index table_tasks_by_time on waybill.table_tasks (due_at, id);
create index table_tasks_by_table on waybill.table_tasks (tenant_id, table_id);

-- A restored table has its old id and a later version. The version before remembers definitions by their id only, so it
-- gets a new one there.
do $bridge$
begin
  if to_regproc('waybill.mirror_tenant_table') is null then
    return;
  end if;

  create or replace function waybill.mirror_tenant_table() returns trigger language plpgsql as $$
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
        case when tg_op = 'INSERT' and new.version = 1 then new.id
             else nextval('waybill.tenant_tables_id_seq')
        end,
        tenant, new.table_name, new.description, new.columns, new.created_at, new.updated_at);
    end if;
    return null;
  end
  $$;
end
$bridge$;
