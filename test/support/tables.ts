/** Steps of tests of the table builder: make tables for one test, send requests written as text, take errors apart. */
import { ResponseError, type Row, type TableRecord } from "../../sdk/src/generated/index.ts";
import type { ColumnType } from "../../src/generated/schemas.ts";
import type { TestServer, TokenClaims } from "./server.ts";

/** Column to type, such as `{ name: "text not null", income: "numeric" }`. */
export type Columns = Readonly<Record<string, ColumnType | `${ColumnType} not null`>>;
export type Values = Readonly<Record<string, unknown>>;

export interface TestTable {
  readonly name: string;
  /** The rows' path, for `send`. */
  readonly path: string;
  readonly record: TableRecord;
  /** How many rows were inserted. A number with more digits than a double's goes in as `exactly("1.20")`. */
  insert(...rows: Values[]): Promise<number>;
  rows(filters?: Record<string, string>): Promise<Row[]>;
  /** The rows without the built-in columns. */
  values(filters?: Record<string, string>): Promise<Values[]>;
  update(where: Values, set: Values): Promise<number>;
  remove(where: Values): Promise<number>;
  drop(): Promise<TableRecord>;
}

export interface TableOptions {
  readonly name?: string;
  readonly caller?: TokenClaims;
}

let made = 0;
/** A name that no other test uses. */
export const freshName = () => `table_${++made}`;

export const tablesPath = (tenant: number | string = 1) => `/api/v1/report/${tenant}/schema/tables`;
/** `table` is the name as it is written in the URL. */
export const tablePath = (table: string, tenant?: number | string) => `${tablesPath(tenant)}/${table}`;
export const rowsPath = (table: string, tenant?: number | string) => `${tablePath(table, tenant)}/rows`;

export const definitions = (columns: Columns) =>
  Object.entries(columns).map(([name, text]) => ({
    name,
    type: text.replace(" not null", "") as ColumnType,
    nullable: !text.endsWith(" not null"),
  }));

/** A table made and used through the SDK. */
export async function makeTable(
  server: TestServer,
  columns: Columns,
  { name = freshName(), caller }: TableOptions = {},
): Promise<TestTable> {
  const api = await server.tables(caller);
  const target = { tenantId: caller?.tenant ?? 1, table: name };
  const newTable = { name, columns: definitions(columns) };
  const { data: record } = await api.createTable({ ...target, newTable });
  const affected = async (answer: Promise<{ data: { affected_rows: number } }>) =>
    (await answer).data.affected_rows;
  const rows = async (filters: Record<string, string> = {}) =>
    (await api.listRows({ ...target, limit: 500, filters })).data.rows as Row[];
  return {
    name,
    path: rowsPath(name, target.tenantId),
    record,
    insert: (...rows) => affected(api.insertRows({ ...target, newRows: { rows } })),
    rows,
    values: async (filters) => (await rows(filters)).map(withoutBuiltIn),
    update: (where, set) => affected(api.updateRows({ ...target, rowUpdate: { where, set } })),
    remove: (where) => affected(api.deleteRows({ ...target, rowDeletion: { where } })),
    drop: async () => (await api.dropTable({ ...target, confirm: true })).data,
  };
}

export const withoutBuiltIn = ({ id: _, created_at: __, updated_at: ___, ...own }: Row): Values => own;

/** A number that goes into a body digit by digit. */
export const exactly = (digits: string): unknown => JSON.rawJSON(digits);

export interface Answer {
  readonly status: number;
  /** The problem's code; undefined on success. */
  readonly code: string | undefined;
  /** The places of the faults, in order. */
  readonly pointers: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: whatever came, for the test to look at.
  readonly body: any;
  readonly text: string;
  readonly headers: Headers;
}

/** Plain HTTP. A body that is a string is sent as it is, anything else as its JSON. */
export async function send(
  server: TestServer,
  request: string,
  { body, headers }: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const [method = "", path = ""] = request.split(" ", 2);
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const init = { method, ...(text === undefined ? {} : { body: text }), ...(headers ? { headers } : {}) };
  return answerOf(await server.request(path, init));
}

/** The answer with which a call of the SDK was refused. */
export async function refusal(call: Promise<unknown>): Promise<Answer> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ResponseError) return answerOf(error.response);
    throw error;
  }
  throw new Error("the call was expected to be refused");
}

export async function answerOf(response: Response): Promise<Answer> {
  const { status, headers } = response;
  const text = await response.text();
  const body = text === "" ? undefined : JSON.parse(text);
  const faults: { pointer: string }[] = body?.errors ?? [];
  return { status, code: body?.code, pointers: faults.map(({ pointer }) => pointer), body, text, headers };
}

export interface AuditRow {
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  readonly table_name: string | null;
  readonly statement: string;
  readonly affected_rows: number | null;
  readonly outcome: string;
  readonly error: string | null;
  readonly request_id: string;
}

/** The audit records of one table, oldest first. */
export async function auditOf({ sql }: TestServer, table: string, tenant = 1): Promise<AuditRow[]> {
  const rows = await sql<AuditRow[]>`
    select at, actor, action, table_name, statement, affected_rows::int, outcome, error, request_id
    from ${sql(`tenant_${tenant}`)}._audit where table_name = ${table} order by id`;
  return [...rows];
}
