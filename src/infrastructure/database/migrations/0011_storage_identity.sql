-- compatible from: 0005
-- Which storage holds this database's files: the storage has an object that says the same. One row at most.
create table waybill.storage_identity (
  is_only boolean primary key default true check (is_only),
  id uuid not null
);
