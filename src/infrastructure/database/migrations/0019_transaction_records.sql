-- compatible from: 0005
-- Adds or updates an instance's row in the transaction table of its process. A step is stored by one statement, which
-- cannot name a table of a tenant's schema: its text would be another one for each process, and on Citus a statement
-- cannot use a tenant's schema together with other tables.
create function waybill.record_transaction(
  table_schema text,
  table_name text,
  process_instance_id uuid,
  version integer,
  state text,
  started_by text,
  variables json
) returns void language plpgsql as $$
begin
  execute format(
    'insert into %I.%I as t (process_instance_id, version, state, started_by, variables, ended_at)
     values ($1, $2, $3, $4, $5, case when $3 <> ''active'' then now() end)
     on conflict (process_instance_id) do update
        set state = excluded.state,
            variables = excluded.variables,
            ended_at = excluded.ended_at',
    table_schema, table_name)
  using process_instance_id, version, state, started_by, variables;
end
$$;
