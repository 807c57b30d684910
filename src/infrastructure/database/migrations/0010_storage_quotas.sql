-- compatible from: 0005
-- What tenants store and what visitors upload in a day, counted as rows come and go; objects that may arrive late.

-- Bytes of all files of a tenant, in whatever state.
create table waybill.tenant_storage (
  tenant_id bigint primary key,
  bytes bigint not null
);

-- Bytes that visitors uploaded in a day (UTC): from `address:<address>`, by `embed:<id>`.
create table waybill.upload_days (
  day date not null,
  scope text not null,
  bytes bigint not null,
  primary key (day, scope)
);

-- What an attachment was counted for, so that it can be given back.
create table waybill.upload_charges (
  attachment_id uuid primary key,
  day date not null,
  scopes text[] not null
);

create index upload_charges_by_day on waybill.upload_charges (day);

-- Rows are locked in one order everywhere: upload_days by their key, then tenant_storage by tenant.
create function waybill.count_added_bytes() returns trigger language plpgsql as $$
begin
  insert into waybill.tenant_storage as s (tenant_id, bytes)
  select tenant_id, sum(size) from added group by tenant_id order by tenant_id
  on conflict (tenant_id) do update set bytes = s.bytes + excluded.bytes;
  return null;
end
$$;

create function waybill.count_removed_bytes() returns trigger language plpgsql as $$
begin
  insert into waybill.tenant_storage as s (tenant_id, bytes)
  select tenant_id, -sum(size) from removed group by tenant_id order by tenant_id
  on conflict (tenant_id) do update set bytes = greatest(0, s.bytes + excluded.bytes);
  return null;
end
$$;

create function waybill.give_back_charges() returns trigger language plpgsql as $$
begin
  with gone as (
    delete from waybill.upload_charges c using removed r where c.attachment_id = r.id
    returning c.day, c.scopes, r.size),
  back as (
    select day, scope, sum(size) as bytes from gone, unnest(scopes) as scope group by day, scope),
  locked as (
    select d.day, d.scope, b.bytes from waybill.upload_days d join back b on b.day = d.day and b.scope = d.scope
    order by d.day, d.scope for update of d)
  update waybill.upload_days d set bytes = greatest(0, d.bytes - l.bytes)
  from locked l where d.day = l.day and d.scope = l.scope;
  return null;
end
$$;

-- Triggers of one event run in the order of their names.
create trigger a_give_back after delete on waybill.attachments referencing old table as removed
  for each statement execute function waybill.give_back_charges();
create trigger b_count_removed after delete on waybill.attachments referencing old table as removed
  for each statement execute function waybill.count_removed_bytes();
create trigger b_count_added after insert on waybill.attachments referencing new table as added
  for each statement execute function waybill.count_added_bytes();
create trigger b_count_removed after delete on waybill.stored_files referencing old table as removed
  for each statement execute function waybill.count_removed_bytes();
create trigger b_count_added after insert on waybill.stored_files referencing new table as added
  for each statement execute function waybill.count_added_bytes();

-- The triggers' locks keep writers out until this is counted.
insert into waybill.tenant_storage (tenant_id, bytes)
select tenant_id, sum(size)
from (select tenant_id, size from waybill.attachments union all select tenant_id, size from waybill.stored_files) as f
group by tenant_id;

-- Objects of uploads that were given up: a storage may have taken one and store it minutes later.
create table waybill.given_up_objects (
  key text primary key,
  -- Removals that have succeeded, whether there was an object or not.
  removals integer not null default 0,
  next_at timestamptz not null default now() + interval '1 minute'
);

create index given_up_objects_due on waybill.given_up_objects (next_at);

-- Files that were finalized without an instance, which the sweep looks for.
create index attachments_unbound on waybill.attachments (state_since)
  where state = 'committed' and process_instance_id is null;
