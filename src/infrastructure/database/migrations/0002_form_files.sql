-- Form file attachments: files, their download tokens, embeds and form sessions, discussions, rate limits (design 8).

create table waybill.attachments (
  id uuid primary key,
  tenant_id bigint not null,
  -- receiving: its object may be there or not. deleting: likewise, on its way out. The other two: the object is there.
  state text not null check (state in ('receiving', 'draft', 'committed', 'deleting')),
  file_name text not null,
  mime_type text not null,
  size bigint not null,
  sha256 bytea not null,
  process_key text not null,
  field_name text not null,
  process_instance_id text,
  task_id text,
  -- Who uploaded it: a user, or a form session.
  uploader text,
  form_session_id text,
  uploaded_at timestamptz not null default now(),
  -- Since when it is in its state.
  state_since timestamptz not null default now(),
  constraint attachments_uploader check ((uploader is null) <> (form_session_id is null))
);

-- What the sweep looks for; committed attachments, which are nearly all, are not in it.
create index attachments_unsettled on waybill.attachments (state, state_since) where state <> 'committed';
create index attachments_of_session on waybill.attachments (form_session_id) where form_session_id is not null;

create table waybill.download_tokens (
  -- SHA-256 of the token. The token itself is nowhere.
  digest bytea primary key,
  attachment_id uuid not null,
  tenant_id bigint not null,
  process_instance_id text not null,
  issued_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);

create index download_tokens_by_expiry on waybill.download_tokens (expires_at);

create table waybill.embeds (
  id text primary key,
  tenant_id bigint not null,
  process_key text not null,
  created_by text not null,
  created_at timestamptz not null default now()
);

-- A session's row is what its uploads lock while they look at the quota. Made with the first upload: a platform that
-- shares the secret may mint form tokens of its own.
create table waybill.form_sessions (
  id text primary key,
  tenant_id bigint not null,
  expires_at timestamptz not null
);

create index form_sessions_by_expiry on waybill.form_sessions (expires_at);

create table waybill.discussion_participants (
  tenant_id bigint not null,
  process_instance_id text not null,
  user_id text not null,
  added_by text not null,
  added_at timestamptz not null default now(),
  primary key (tenant_id, process_instance_id, user_id)
);

-- The moments of the requests within the last window, for each key. Lost in a crash, which only gives some away.
create unlogged table waybill.rate_limits (
  key text primary key,
  hits timestamptz[] not null,
  accepted boolean not null,
  last_at timestamptz not null default now()
);
