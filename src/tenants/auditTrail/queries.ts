/** Statements on a tenant's checkpoints, `_checkpoints`, and on the records that they cover. */
import type postgres from "postgres";
import type { Queryable, Sql } from "../../infrastructure/database/connect.ts";
import { quoteTable } from "../../infrastructure/database/identifiers.ts";
import { utcText } from "../../infrastructure/database/timestamps.ts";
import { auditTable } from "../audit.ts";
import { type CheckpointHead, recordColumns, recordHashSql, recordMembers } from "./hashes.ts";
import type { Checkpoint, HashedRecord } from "./judge.ts";

/** Not prepared: these texts differ from tenant to tenant, and would take the place of those of requests. */
const run = <Row extends postgres.Row>(sql: Queryable, text: string, values: readonly (string | null)[]) =>
  sql.unsafe<Row[]>(text, [...values], { prepare: false });

const checkpointTable = (schema: string) => quoteTable(schema, "_checkpoints");

/** A tenant that has records without a checkpoint. */
export interface Backlog {
  readonly tenant: string;
  /** Its last checkpoint. `number` is null if there is none. */
  readonly number: string | null;
  readonly digest: Uint8Array | null;
  readonly covered: string | null;
  /** The largest id of its records. */
  readonly newest: string;
}

export const findBacklog = (sql: Queryable) =>
  sql<Backlog[]>`
    select tenant, number, digest, covered, newest
    from waybill.tenants_without_checkpoint()`;

/** The transactions that have written audit records, or may do so, and have not ended. */
export async function findWriters(sql: Queryable): Promise<{ schema: string; writer: string }[]> {
  return sql<{ schema: string; writer: string }[]>`
    select n.nspname as schema, l.virtualtransaction as writer
    from pg_locks l
    join pg_class c on c.oid = l.relation
    join pg_namespace n on n.oid = c.relnamespace
    where l.locktype = 'relation'
      and l.database = (select oid from pg_database where datname = current_database())
      and l.mode = 'RowExclusiveLock'
      and c.relname = '_audit'`;
}

/** A record takes 40 bytes of `found`: its id, then its hash. */
const foundSql = "string_agg(int8send(id) || hash, ''::bytea order by id)";

const foundBytes = 40;

export function readFound(found: Uint8Array | null): HashedRecord[] {
  const bytes = Buffer.from(found ?? []);
  return Array.from({ length: bytes.length / foundBytes }, (_, index) => {
    const at = index * foundBytes;
    return { id: bytes.readBigInt64BE(at), hash: bytes.subarray(at + 8, at + foundBytes) };
  });
}

interface NextRange {
  /** The database's time, for the head. */
  readonly now: string;
  readonly newest_at: string;
  readonly records: HashedRecord[];
}

/** The next records after `covered`, up to `until`, `most` at most. */
export async function hashRecords(
  sql: Sql,
  schema: string,
  { covered, until, most }: { covered: bigint; until: bigint; most: number },
): Promise<NextRange | undefined> {
  const text = `
    with range as materialized (
      select a.id, a.at, ${recordHashSql("a")} as hash
      from ${auditTable(schema)} a
      where a.id > $1::text::bigint
        and a.id <= $2::text::bigint
      order by a.id
      limit ${most}
    )
    select ${utcText("now()")} as now,
           ${utcText("max(at)")} as newest_at,
           ${foundSql} as found
    from range
    having count(*) > 0`;
  const [row] = await run<{ now: string; newest_at: string; found: Uint8Array }>(sql, text, [
    String(covered),
    String(until),
  ]);
  return row && { now: row.now, newest_at: row.newest_at, records: readFound(row.found) };
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

/** False if another process has written this checkpoint. */
export async function insertCheckpoint(
  sql: Sql,
  schema: string,
  checkpoint: CheckpointHead & { content: Uint8Array; digest: Uint8Array; entries: Uint8Array },
): Promise<boolean> {
  const { number, at, after_id, last_id, records, newest_at } = checkpoint;
  const text = `
    insert into ${checkpointTable(schema)} (
      number, at, after_id, last_id, records,
      newest_at, content, digest, entries
    ) values (
      $1::text::bigint, $2::text::timestamptz, $3::text::bigint, $4::text::bigint, $5::text::integer,
      $6::text::timestamptz, decode($7::text, 'hex'), decode($8::text, 'hex'), decode($9::text, 'hex')
    )
    on conflict do nothing
    returning 1`;
  const bytes = [checkpoint.content, checkpoint.digest, checkpoint.entries].map(hex);
  const values = [number, at, after_id, last_id, records, newest_at, ...bytes];
  return (await run(sql, text, values)).length > 0;
}

const checkpointColumns = `
           c.number::text,
           ${utcText("c.at")} as at,
           c.after_id::text,
           c.last_id::text,
           c.records::text,
           ${utcText("c.newest_at")} as newest_at,
           c.content,
           c.digest,
           c.entries,
           ${utcText("c.purged_at")} as purged_at`;

export interface CheckedRange {
  readonly checkpoint: Checkpoint;
  readonly found: HashedRecord[];
}

/** More records than any checkpoint covers: whoever adds records cannot make a page of unlimited size. */
const mostFound = 2_000;

/** Checkpoints after the one with the number `after`, with the records that are in their ranges now. */
export async function readCheckpoints(
  sql: Sql,
  schema: string,
  { after, limit }: { after: bigint; limit: number },
): Promise<CheckedRange[]> {
  const text = `
    select ${checkpointColumns},
           (select ${foundSql}
            from (
              select a.id, ${recordHashSql("a")} as hash
              from ${auditTable(schema)} a
              where a.id > case c.number when 1 then -9223372036854775808 else c.after_id end
                and a.id <= c.last_id
              order by a.id
              limit ${mostFound}
            ) r) as found
    from ${checkpointTable(schema)} c
    where c.number > $1::text::bigint
    order by c.number
    limit ${limit}`;
  const rows = await run<Checkpoint & { found: Uint8Array | null }>(sql, text, [String(after)]);
  return rows.map(({ found, ...checkpoint }) => ({ checkpoint, found: readFound(found) }));
}

/** One checkpoint, as the link before another. */
export async function findCheckpoint(sql: Sql, schema: string, number: bigint) {
  const text = `
    select ${checkpointColumns}
    from ${checkpointTable(schema)} c
    where c.number = $1::text::bigint`;
  const [row] = await run<Checkpoint>(sql, text, [String(number)]);
  return row;
}

/** How many records came after the last checkpoint. */
export async function countUncovered(sql: Sql, schema: string): Promise<number> {
  const text = `
    select count(*)::float8 as records
    from ${auditTable(schema)}
    where id > coalesce((select max(last_id) from ${checkpointTable(schema)}), -9223372036854775808)`;
  const [row] = await run<{ records: number }>(sql, text, []);
  return row?.records ?? 0;
}

/** Records as they are exported, one JSON object a row, after the id `after` and up to `until`, in order. */
export async function exportRecords(
  sql: Sql,
  schema: string,
  { after, until, limit }: { after: bigint; until: bigint; limit: number },
): Promise<{ id: string; line: string }[]> {
  const members = recordMembers.map((name, index) => `'${name}', ${recordColumns("a")[index]}`);
  const text = `
    select a.id::text, json_build_object(${members.join(", ")})::text as line
    from ${auditTable(schema)} a
    where a.id > $1::text::bigint
      and a.id <= $2::text::bigint
    order by a.id
    limit ${limit}`;
  return run(sql, text, [String(after), String(until)]);
}

/** Whether the oldest checkpoint that has its records covers only records that are older than `days`. */
export async function findPurgeable(sql: Sql, schema: string, days: number): Promise<boolean> {
  const text = `
    select newest_at < now() - make_interval(days => $1::text::integer) as due
    from ${checkpointTable(schema)}
    where purged_at is null
    order by number
    limit 1`;
  const [row] = await run<{ due: boolean }>(sql, text, [String(days)]);
  return row?.due ?? false;
}
