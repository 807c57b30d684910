-- Addons, general uploads, and the messages of discussions with their attachments (design 9 and 10).

create table waybill.addons (
  tenant_id bigint not null,
  key text not null,
  url text not null,
  updated_by text not null,
  updated_at timestamptz not null default now(),
  primary key (tenant_id, key)
);

create table waybill.discussion_messages (
  id uuid primary key,
  tenant_id bigint not null,
  process_instance_id text not null,
  author text not null,
  text text not null,
  created_at timestamptz not null default now()
);

create index discussion_messages_by_instance on waybill.discussion_messages (tenant_id, process_instance_id, created_at);

-- Files that are no form attachments: general uploads, and the attachments of messages.
create table waybill.stored_files (
  id uuid primary key,
  tenant_id bigint not null,
  -- receiving: its object may be there or not. stored: it is there.
  state text not null check (state in ('receiving', 'stored', 'deleting')),
  file_name text not null,
  mime_type text not null,
  size bigint not null,
  sha256 bytea not null,
  uploaded_by text not null,
  -- Null for a general upload.
  message_id uuid,
  state_since timestamptz not null default now()
);

create index stored_files_unsettled on waybill.stored_files (state, state_since) where state <> 'stored';
create index stored_files_of_message on waybill.stored_files (message_id) where message_id is not null;
