-- compatible from: 0005
-- Values that service tasks take by `${secret.NAME}`. Encrypted by the service (src/infrastructure/sealing.ts); the key is not here.
create table waybill.tenant_secrets (
  tenant_id bigint not null,
  name text not null,
  sealed bytea not null,
  updated_by text not null,
  updated_at timestamptz not null default now(),
  primary key (tenant_id, name)
);
