-- compatible from: 0005
-- Checkpoints prove that nobody changed a tenant's audit trail (src/tenants/auditTrail). Each covers the records after
-- `after_id` up to `last_id`. Its digest is a SHA-256 over the digest before, its own head and its content.
create function waybill.tenant_records_0021(tenant bigint, schema text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  execute format('
    create table %1$I._checkpoints (
      number bigint primary key,
      at timestamptz not null,
      after_id bigint not null,
      last_id bigint not null,
      records integer not null,
      -- The time of the newest of these records.
      newest_at timestamptz not null,
      -- The SHA-256 of the hashes of its records.
      content bytea not null check (octet_length(content) = 32),
      digest bytea not null check (octet_length(digest) = 32),
      -- Of each record its id and the first eight bytes of its hash, to name the one that was changed.
      entries bytea,
      -- When its records became too old and were removed.
      purged_at timestamptz
    );
    revoke all on %1$I._checkpoints from %2$I, public;
    grant select, insert on %1$I._checkpoints to %2$I', schema, current_user);
end
$$;

-- The tenants that have records without a checkpoint, and their last checkpoint.
create function waybill.tenants_without_checkpoint()
  returns table (tenant bigint, number bigint, digest bytea, covered bigint, newest bigint)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  for tenant in select id from waybill.tenants order by random() loop
    execute format('select max(id) from %I._audit', 'tenant_' || tenant) into newest;
    number := 0;
    digest := null;
    covered := 0;
    execute format('
      select c.number, c.digest, c.last_id
      from %I._checkpoints c
      order by c.number desc
      limit 1', 'tenant_' || tenant) into number, digest, covered;
    if newest > coalesce(covered, 0) then
      return next;
    end if;
  end loop;
end
$$;

-- Removes the oldest records of a tenant, and says how many. Only whole ranges of checkpoints go, whose records are all
-- older than `days`, and their checkpoints stay. Nobody may delete records, so the function takes the right for its own
-- transaction. It never removes a record that is younger than 30 days, whoever calls it.
create function waybill.purge_audit_records(tenant bigint, days integer) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  tenant_schema name := 'tenant_' || tenant;
  before timestamptz := now() - make_interval(days => days);
  last_number bigint;
  last bigint;
  young boolean;
  removed bigint;
begin
  if days is null or days < 30 then
    raise exception 'the audit trail is kept for at least 30 days' using errcode = 'insufficient_privilege';
  end if;
  perform pg_advisory_xact_lock(hashtextextended('waybill.audit_retention', tenant));
  execute format('
    with kept as (
      select number, last_id, newest_at from %I._checkpoints where purged_at is null order by number limit 1000
    )
    select max(number), max(last_id)
    from kept
    where number < coalesce((select min(number) from kept where newest_at >= $1), 9223372036854775807)
    ', tenant_schema) into last_number, last using before;
  if last_number is null then
    return 0;
  end if;
  -- Whoever may write checkpoints must not be able to have young records removed.
  execute format('select exists (select from %I._audit where id <= $1 and at >= $2)', tenant_schema)
    into young using last, before;
  if young then
    raise exception 'checkpoint % covers records that are not old enough', last_number
      using errcode = 'insufficient_privilege';
  end if;
  execute format('
    grant delete on %1$I._audit to %2$I;
    grant update on %1$I._checkpoints to %2$I', tenant_schema, current_user);
  execute format('delete from %I._audit where id <= $1', tenant_schema) using last;
  get diagnostics removed = row_count;
  execute format('
    update %I._checkpoints
    set purged_at = now(), entries = null
    where number <= $1 and purged_at is null', tenant_schema) using last_number;
  execute format('
    revoke delete on %1$I._audit from %2$I;
    revoke update on %1$I._checkpoints from %2$I', tenant_schema, current_user);
  execute format('
    insert into %I._audit (actor, action, statement, affected_rows, outcome, request_id)
    values (''waybill'', ''purge_audit'', $1, $2, ''success'', gen_random_uuid())', tenant_schema)
    using format('purge audit records up to %s, which are older than %s days', last, days), removed;
  return removed;
end
$$;

revoke execute on function waybill.purge_audit_records(bigint, integer) from public;
