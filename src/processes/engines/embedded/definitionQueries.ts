/** Statements on `waybill.process_definitions`. */
import { metadataList } from "../../../files/attachments/queries.ts";
import type { FileMetadata } from "../../../files/fileKind.ts";
import type { ProcessDefinition } from "../../../generated/schemas.ts";
import { type JsonList, listAsJson } from "../../../infrastructure/database/boundedList.ts";
import type { Queryable, Sql, Tx } from "../../../infrastructure/database/connect.ts";
import { utc } from "../../../infrastructure/database/timestamps.ts";
import type { Page } from "../../engine.ts";

const shownColumns = (sql: Queryable) => sql`
  process_key, version, name, deployed_by, ${utc(sql, "deployed_at")} as deployed_at`;

/** The latest version of each process, by key in code-point order. */
export const listDefinitions = (sql: Sql, tenantId: number): Promise<JsonList<ProcessDefinition>> =>
  listAsJson(
    sql,
    sql`
      select distinct on (process_key collate "C") ${shownColumns(sql)}
      from waybill.process_definitions
      where tenant_id = ${tenantId}
      order by process_key collate "C", version desc`,
  );

/** The versions of a process, newest first. */
export const listVersions = (
  sql: Sql,
  { tenantId, processKey }: ProcessRef,
  { offset, limit }: Page,
): Promise<JsonList<ProcessDefinition>> =>
  listAsJson(
    sql,
    sql`
      select ${shownColumns(sql)}
      from waybill.process_definitions
      where tenant_id = ${tenantId}
        and process_key = ${processKey}
      order by version desc
      limit ${limit}
      offset ${offset}`,
  );

export interface DefinitionRow extends ProcessDefinition {
  readonly id: string;
}

export interface ProcessRef {
  readonly tenantId: number;
  readonly processKey: string;
}

/** A version of the process, or else the latest one. */
export async function findDefinitionRow(
  sql: Sql,
  { tenantId, processKey }: ProcessRef,
  version: number | null = null,
): Promise<DefinitionRow | undefined> {
  const [row] = await sql<DefinitionRow[]>`
    select id::text, ${shownColumns(sql)}
    from waybill.process_definitions
    where tenant_id = ${tenantId}
      and process_key = ${processKey}
      and (${version}::integer is null or version = ${version})
    order by version desc
    limit 1`;
  return row;
}

/** What a start needs of the latest version. */
export interface DefinitionRef {
  readonly id: string;
  readonly version: number;
  /** The database's time, in milliseconds since 1970. */
  readonly now: number;
  /** The metadata of those of the attachments that the tenant has. */
  readonly attachments: readonly FileMetadata[];
}

export async function findLatest(
  sql: Queryable,
  { tenantId, processKey }: ProcessRef,
  attachmentIds: readonly string[],
): Promise<DefinitionRef | undefined> {
  const [row] = await sql<DefinitionRef[]>`
    select id::text, version, floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now,
           ${metadataList(sql, tenantId, attachmentIds)} as attachments
    from waybill.process_definitions
    where tenant_id = ${tenantId}
      and process_key = ${processKey}
    order by version desc
    limit 1`;
  return row;
}

export async function isDeployed(sql: Queryable, { tenantId, processKey }: ProcessRef): Promise<boolean> {
  const rows = await sql`
    select
    from waybill.process_definitions
    where tenant_id = ${tenantId}
      and process_key = ${processKey}
    limit 1`;
  return rows.length > 0;
}

export interface ModelRow {
  readonly bpmn: string;
  readonly tenantId: number;
}

/** The model of a definition that is known to exist. */
export async function findBpmn(sql: Queryable, definitionId: string): Promise<ModelRow> {
  const [row] = await sql<ModelRow[]>`
    select bpmn, tenant_id::float8 as "tenantId"
    from waybill.process_definitions
    where id = ${definitionId}`;
  if (!row) throw new Error(`definition ${definitionId} does not exist`);
  return row;
}

/** The JSON text of one of the definition's forms. */
export async function findFormText(sql: Sql, definitionId: string, form: string): Promise<string | null> {
  const [row] = await sql<{ form: string | null }[]>`
    select (forms -> ${form}::text)::text as form
    from waybill.process_definitions
    where id = ${definitionId}`;
  return row?.form ?? null;
}

export interface NewDefinition extends ProcessRef {
  readonly name: string;
  readonly bpmn: string;
  /** JSON text. */
  readonly forms: string;
  readonly deployedBy: string;
}

/** Stores the next version and returns its number. Call it under the tenant's lock. */
export async function insertDefinition(tx: Tx, definition: NewDefinition): Promise<number> {
  const { tenantId, processKey, name, bpmn, forms, deployedBy } = definition;
  const [row] = await tx<{ version: number }[]>`
    insert into waybill.process_definitions
      (tenant_id, process_key, version, name, bpmn, forms, deployed_by)
    select ${tenantId}, ${processKey}, coalesce(max(version), 0) + 1, ${name}, ${bpmn},
           ${forms}::text::json, ${deployedBy}
    from waybill.process_definitions
    where tenant_id = ${tenantId}
      and process_key = ${processKey}
    returning version`;
  return row?.version ?? 1;
}
