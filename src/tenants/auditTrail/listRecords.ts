/**
 * Pages of a tenant's audit trail, newest first. A page begins after a record, so the last one is as fast as the first.
 */
import { createHash } from "node:crypto";
import type { AuditRecord } from "../../generated/schemas.ts";
import { type BoundedRows, boundedList, jsonOf } from "../../infrastructure/database/boundedList.ts";
import type { Sql } from "../../infrastructure/database/connect.ts";
import { utcText } from "../../infrastructure/database/timestamps.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { auditTable } from "../audit.ts";

export interface AuditFilters {
  readonly table?: string;
  readonly actor?: string;
  readonly action?: string;
  readonly outcome?: string;
  /** Moments of RFC 3339. */
  readonly from?: string;
  readonly to?: string;
}

interface Wanted {
  readonly filters: AuditFilters;
  /** The cursor of the page before. */
  readonly after: string | undefined;
  readonly limit: number;
}

interface Page {
  readonly records: { readonly jsonText: string; readonly saying?: AuditRecord[] };
  /** The cursor of the next page. */
  readonly next: string | undefined;
}

const conditions = {
  table: "table_name = $::text",
  actor: "actor = $::text",
  action: "action = $::text",
  outcome: "outcome = $::text",
  from: "at >= $::text::timestamptz",
  to: "at < $::text::timestamptz",
} as const satisfies Record<keyof AuditFilters, string>;

/** Throws `answer_too_large`, and `invalid_parameter` for a cursor that is none, or was made for other filters. */
export async function listRecords(
  sql: Sql,
  schema: string,
  { filters, after, limit }: Wanted,
): Promise<Page> {
  const position = after === undefined ? undefined : readCursor(after, filters);
  const { query, values } = selectRecords(schema, { filters, position, limit });
  const text = `
    ${boundedList().before}
    ${query}
    ${
      boundedList(`, (select count(*)::int from page) as count,
      (select json_build_array(at, id)::text from page order by at, id::bigint limit 1) as last`).after
    }`;
  const [row] = await sql.unsafe<(BoundedRows & { count: number; last: string | null })[]>(text, values, {
    prepare: false,
  });
  const records = jsonOf(row);
  return { records, next: row?.last && row.count === limit ? cursorOf(row.last, filters) : undefined };
}

/** The place after a record. */
interface Position {
  readonly at: string;
  readonly id: string;
}

function selectRecords(
  schema: string,
  { filters, position, limit }: { filters: AuditFilters; position: Position | undefined; limit: number },
) {
  const values: string[] = [];
  const use = (condition: string, value: string) => condition.replace("$", `$${values.push(value)}`);
  const terms = Object.entries(conditions).flatMap(([name, condition]) => {
    const value = filters[name as keyof AuditFilters];
    return value === undefined ? [] : [use(condition, value)];
  });
  if (position) {
    const [at, id] = [use("$::text::timestamptz", position.at), use("$::text::bigint", position.id)];
    terms.push(`(at, id) < (${at}, ${id})`);
  }
  const query = `
      select id::text, ${utcText("at")} as at, actor, action, table_name,
             statement, affected_rows::float8, outcome, error, request_id
      from ${auditTable(schema)} a
      where ${terms.join(" and ") || "true"}
      order by a.at desc, a.id desc
      limit ${limit}`;
  return { query, values };
}

/** A page has 8 MiB of text at most, if every statement is as long as it can be. */
const recordsAtOnce = 200;

/** All records that match, newest first, page by page. It holds no connection between two pages. */
export async function* readRecords(
  sql: Sql,
  schema: string,
  filters: AuditFilters,
): AsyncGenerator<AuditRecord[]> {
  for (let position: Position | undefined; ; ) {
    const { query, values } = selectRecords(schema, { filters, position, limit: recordsAtOnce });
    const page: AuditRecord[] = await sql.unsafe<AuditRecord[]>(query, values, { prepare: false });
    yield page;
    position = page.at(-1);
    if (!position || page.length < recordsAtOnce) return;
  }
}

/** `last` is the JSON of the last record's moment and id. */
function cursorOf(last: string, filters: AuditFilters): string {
  const [at, id] = JSON.parse(last) as [string, string];
  return Buffer.from(JSON.stringify([at, id, digestOf(filters)])).toString("base64url");
}

function readCursor(cursor: string, filters: AuditFilters): Position {
  const [at, id, digest] = partsOf(cursor);
  if (!isMoment(at) || !/^-?\d{1,18}$/.test(id))
    throw refused("It is not a cursor of this list. Take it from data.next.");
  if (digest !== digestOf(filters)) throw refused("It was made for other filters.");
  return { at, id };
}

/** As PostgreSQL wrote it, and a day that exists. */
function isMoment(text: string): boolean {
  if (!/^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(text)) return false;
  const moment = new Date(text);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().slice(0, 19) === text.slice(0, 19);
}

function partsOf(cursor: string): [string, string, string] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    const [at, id, digest] = Array.isArray(parts) ? parts.map(String) : [];
    return [at ?? "", id ?? "", digest ?? ""];
  } catch {
    return ["", "", ""];
  }
}

function digestOf(filters: AuditFilters): string {
  const names = Object.keys(conditions) as (keyof AuditFilters)[];
  const text = JSON.stringify(names.map((name) => filters[name] ?? null));
  return createHash("sha256").update(text).digest("base64url").slice(0, 22);
}

const refused = (detail: string) =>
  new Problem("invalid_parameter", { errors: [{ pointer: "/query/$after", detail }] });
