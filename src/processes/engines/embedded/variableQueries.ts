/** Statements on `waybill.process_variables`. */
import type { Fragment, Queryable } from "../../../infrastructure/database/connect.ts";
import { isUuid } from "../../../infrastructure/uuid.ts";
import type { VariableName } from "../../engine.ts";
import type {
  FileValue,
  ShownVariable,
  ShownVariables,
  StoredVariable,
  TypedValue,
  TypedValues,
  VariableType,
} from "../../variables/variable.ts";

/** Adds the variables, or replaces their values, in one statement. */
export async function writeVariables(
  sql: Queryable,
  processInstanceId: string,
  variables: ReadonlyMap<string, StoredVariable>,
): Promise<void> {
  await variableInsertion(sql, variables, sql`(select ${processInstanceId}::uuid as id) instance`);
}

/** The same as a part of another statement, for the id of `instance`. */
export function variableInsertion(
  sql: Queryable,
  variables: ReadonlyMap<string, StoredVariable>,
  instance: Fragment,
): Fragment {
  const rows = [...variables].map(([name, { type, value, file }]) => ({
    name,
    type,
    value,
    file_name: file?.name ?? null,
    mime_type: file?.mimeType ?? null,
    content: file ? Buffer.from(file.content).toString("base64") : null,
  }));
  return sql`
    insert into waybill.process_variables
      (process_instance_id, name, type, value, file_name, mime_type, content)
    select instance.id, name, type, value, file_name, mime_type, decode(content, 'base64')
    from ${instance},
         json_to_recordset(${JSON.stringify(rows)}::text::json)
           as t(name text, type text, value text, file_name text, mime_type text, content text)
    on conflict (process_instance_id, name) do update
       set type = excluded.type,
           value = excluded.value,
           file_name = excluded.file_name,
           mime_type = excluded.mime_type,
           content = excluded.content`;
}

interface Row {
  readonly name: string;
  readonly type: VariableType;
  readonly value: string;
  readonly fileName: string | null;
  readonly mimeType: string | null;
  readonly size: number | null;
}

/**
 * By name, without the content of files. With a tenant's id, empty for an instance of another tenant. A step needs
 * none: it has locked an instance of its tenant.
 */
export async function readVariables(
  sql: Queryable,
  processInstanceId: string,
  tenantId?: number,
): Promise<ShownVariables> {
  if (!isUuid(processInstanceId)) return new Map();
  const rows = await sql<Row[]>`
    select name, type, value, file_name as "fileName", mime_type as "mimeType", length(content)::float8 as size
    from waybill.process_variables
    where process_instance_id = ${processInstanceId}
      and ${isOfTenant(sql, processInstanceId, tenantId)}
    order by name`;
  return new Map(rows.map((row) => [row.name, shown(row)]));
}

const isOfTenant = (sql: Queryable, processInstanceId: string, tenantId?: number) =>
  tenantId === undefined
    ? sql`true`
    : sql`exists (
        select
        from waybill.process_instances i
        where i.id = ${processInstanceId}
          and i.tenant_id = ${tenantId}
      )`;

function shown({ type, value, fileName, mimeType, size }: Row): ShownVariable {
  if (fileName === null) return { type, value };
  return { type, value, file: { name: fileName, mimeType: mimeType ?? "", size: size ?? 0 } };
}

/** A variable of type File, with its content. With a tenant's id as in `readVariables`. */
export async function readFile(
  sql: Queryable,
  { processInstanceId, name }: VariableName,
  tenantId?: number,
): Promise<FileValue | undefined> {
  if (!isUuid(processInstanceId)) return undefined;
  const [row] = await sql<{ name: string; mimeType: string; content: Uint8Array }[]>`
    select file_name as name, mime_type as "mimeType", content
    from waybill.process_variables
    where process_instance_id = ${processInstanceId}
      and name = ${name}
      and type = 'File'
      and ${isOfTenant(sql, processInstanceId, tenantId)}`;
  return row && { ...row, size: row.content.byteLength };
}

export interface DeliveryRow {
  readonly name: string;
  readonly type: VariableType;
  readonly value: string;
}

/**
 * The variables of the instance in this column, as one JSON list without the content of files. Null if it has no
 * variables.
 */
export const deliveryRows = (sql: Queryable, instanceColumn: string) => sql`(
  select json_agg(json_build_object('name', name, 'type', type, 'value', value))
  from waybill.process_variables v
  where v.process_instance_id = ${sql(instanceColumn)}
)`;

export interface DeliverySize {
  readonly name: string;
  readonly type: VariableType;
  /** Bytes of the value as text, and of a file's content in base64 if `files` has its name. */
  readonly size: number;
}

interface DeliveryNames {
  /** Null: every variable. */
  readonly names: readonly string[] | null;
  /** Variables of which the content is sent if they are files. */
  readonly files: readonly string[];
}

/** The sizes of values, without reading the values. */
export async function sizesForDelivery(
  sql: Queryable,
  processInstanceId: string,
  { names, files }: DeliveryNames,
): Promise<DeliverySize[]> {
  const rows = await sql<DeliverySize[]>`
    select name, type,
           (octet_length(value) + case
             when name in (select json_array_elements_text(${JSON.stringify(files)}::text::json))
             then coalesce(octet_length(content), 0) * 4.0 / 3
             else 0
           end)::float8 as size
    from waybill.process_variables
    where process_instance_id = ${processInstanceId}
      and ${isNamed(sql, names)}`;
  return [...rows];
}

/** Values as they are stored, without the content of files. */
export async function readForDelivery(
  sql: Queryable,
  processInstanceId: string,
  names: readonly string[] | null,
): Promise<DeliveryRow[]> {
  const rows = await sql<DeliveryRow[]>`
    select name, type, value
    from waybill.process_variables
    where process_instance_id = ${processInstanceId}
      and ${isNamed(sql, names)}`;
  return [...rows];
}

const isNamed = (sql: Queryable, names: readonly string[] | null) =>
  names === null
    ? sql`true`
    : sql`name in (select json_array_elements_text(${JSON.stringify(names)}::text::json))`;

/** The values that replace placeholders. A file has no value here (see `readContents`). */
export function forDelivery(rows: readonly DeliveryRow[] | null): TypedValues {
  const variables = (rows ?? []).map(({ name, type, value }): [string, TypedValue] => {
    // The text keeps digits that a number would lose.
    const isNumber = type === "Integer" || type === "Long" || type === "Double";
    return [name, { type, value: isNumber && value !== "null" ? value : JSON.parse(value) }];
  });
  return Object.fromEntries(variables);
}

/** The content of files, in base64. */
export async function readContents(
  sql: Queryable,
  processInstanceId: string,
  names: readonly string[],
): Promise<TypedValues> {
  const rows = await sql<{ name: string; value: string }[]>`
    select name, coalesce(translate(encode(content, 'base64'), ${"\n"}, ''), '') as value
    from waybill.process_variables
    where process_instance_id = ${processInstanceId}
      and type = 'File'
      and name in (select json_array_elements_text(${JSON.stringify(names)}::text::json))`;
  return Object.fromEntries(rows.map(({ name, value }) => [name, { type: "File", value }]));
}
