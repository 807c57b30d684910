-- Platforms that mint form tokens name their sessions themselves, and two tenants may do so alike.
alter table waybill.form_sessions drop constraint form_sessions_pkey, add primary key (tenant_id, id);
