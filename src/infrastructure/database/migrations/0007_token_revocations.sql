-- compatible from: 0005
-- Access tokens that a tenant's administrator has revoked, by their claim `jti`. A revocation counts for its tenant only.
create table waybill.revoked_tokens (
  tenant_id bigint not null references waybill.tenants (id),
  jti text not null,
  -- Null: the revocation stays.
  expires_at timestamptz,
  revoked_by text not null,
  revoked_at timestamptz not null default clock_timestamp(),
  -- Processes ask for what has changed since they last asked.
  changed_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, jti)
);
create index revoked_tokens_changed on waybill.revoked_tokens (changed_at);
create index revoked_tokens_expiry on waybill.revoked_tokens (expires_at) where expires_at is not null;
