/**
 * The role that the service connects as if PostgreSQL is embedded. The cluster's only other role is its superuser,
 * which could change the append-only audit trail.
 *
 * The superuser runs the migrations, and owns Waybill's own tables, the schemas of tenants and the records in them
 * (0018_tenant_records.sql). The service may read and write Waybill's tables, may only read and add to the audit trail,
 * and owns what it creates itself: the tables of tenants and the schema of pg-boss. It may not own a tenant's schema,
 * because the owner of a schema can drop everything in it. An older version, which connects as the superuser, works on
 * the same folder. The next start gives the service what that version has created.
 */
import { randomBytes } from "node:crypto";
import { connect, type Sql } from "./connect.ts";

export const serviceRole = "waybill_service";

const isTenantSchema = String.raw`(nspname ~ '^tenant_\d+$')`;
/** Condition on the schemas whose contents the service creates. */
const isOwnSchema = `(${isTenantSchema} or nspname = 'pgboss')`;

/** Statements that give the service what has another owner. A table takes its own sequences and types along. */
const changesOfOwner = `
  select 'alter schema pgboss owner to ${serviceRole}' as statement
  from pg_namespace
  where nspname = 'pgboss' and nspowner <> '${serviceRole}'::regrole
  union all
  select format('alter schema %I owner to %I', nspname, current_user)
  from pg_namespace
  where ${isTenantSchema} and nspowner = '${serviceRole}'::regrole
  union all
  select format('alter table %s owner to ${serviceRole}', c.oid::regclass)
  from pg_class c
  join pg_namespace n on n.oid = relnamespace
  where ${isOwnSchema} and relowner <> '${serviceRole}'::regrole
    and relkind in ('r', 'p', 'v', 'm', 'S')
    and not (${isTenantSchema} and relname ~ '^_')
    and not exists (
      select from pg_depend d
      where d.objid = c.oid and d.classid = 'pg_class'::regclass
        and c.relkind = 'S' and d.deptype in ('a', 'i'))
  union all
  select format('alter routine %s owner to ${serviceRole}', p.oid::regprocedure)
  from pg_proc p
  join pg_namespace n on n.oid = pronamespace
  where ${isOwnSchema} and proowner <> '${serviceRole}'::regrole
  union all
  select format('alter type %s owner to ${serviceRole}', t.oid::regtype)
  from pg_type t
  join pg_namespace n on n.oid = typnamespace
  where ${isOwnSchema} and typowner <> '${serviceRole}'::regrole
    and typtype in ('e', 'd')`;

/**
 * Creates or updates the role, and returns the URL with which the service connects. `url` is the superuser's. The
 * database must be migrated. The password is new at each start and is not stored.
 */
export async function prepareServiceRole(url: string): Promise<string> {
  const password = randomBytes(24).toString("hex");
  const sql = connect(url, { max: 1 });
  try {
    await grant(sql, new URL(url).pathname.slice(1), password);
  } finally {
    await sql.end({ timeout: 5 });
  }
  const service = new URL(url);
  service.username = serviceRole;
  service.password = password;
  return service.href;
}

async function grant(sql: Sql, database: string, password: string): Promise<void> {
  await sql.begin(async (tx) => {
    const [existing] = await tx`select from pg_roles where rolname = ${serviceRole}`;
    if (!existing) await tx.unsafe(`create role ${serviceRole}`);
    // The password is hexadecimal, so quoting it is safe.
    await tx.unsafe(`
      alter role ${serviceRole} with login nosuperuser nocreatedb nocreaterole noreplication nobypassrls
        password '${password}'`);
    await tx`grant create, connect on database ${tx(database)} to ${tx(serviceRole)}`;
    await tx.unsafe(`
      grant usage on schema waybill to ${serviceRole};
      grant select, insert, update, delete on all tables in schema waybill to ${serviceRole};
      grant execute on function waybill.create_tenant_records(bigint) to ${serviceRole};
      grant execute on function waybill.purge_audit_records(bigint, integer) to ${serviceRole};
      grant usage on sequence waybill.tenant_tables_id_seq to ${serviceRole};
      revoke update, delete, truncate on waybill.audit_log from ${serviceRole};
      revoke insert, update, delete on waybill.schema_migrations, waybill.migrations from ${serviceRole}`);
    for (const { statement } of await tx.unsafe<{ statement: string }[]>(changesOfOwner))
      await tx.unsafe(statement);
    await tx`select waybill.grant_tenant_records(${serviceRole})`;
  });
}
