-- compatible from: 0005
-- The answers to requests with an Idempotency-Key, in the schema of the tenant. An answer commits with the change that it
-- is about. Rows are removed after a day (src/tenants/idempotency).
create function waybill.tenant_records_0020(tenant bigint, schema text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  execute format('
    create table %1$I._idempotency_keys (
      -- SHA-256 of the user and the key, which are too long for an index together.
      id bytea primary key,
      subject text not null,
      key text not null,
      operation text not null,
      -- SHA-256 of the method, the path and the body.
      fingerprint bytea not null,
      -- Null while a change that is made elsewhere is under way.
      status smallint,
      headers jsonb,
      body text,
      created_at timestamptz not null default now()
    );
    create index _idempotency_keys_by_time on %1$I._idempotency_keys (created_at)', schema);
end
$$;
