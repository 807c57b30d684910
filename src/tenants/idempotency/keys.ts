/**
 * Requests with an `Idempotency-Key`: their answers are kept for a day, in `_idempotency_keys` of the tenant's schema.
 * An answer commits with the change that it is about, so a repeated request gets it, and nothing happens twice.
 *
 * A key belongs to the user who sends it: the same text of another user is another key.
 */
import { createHash } from "node:crypto";
import type { Queryable, Sql, Tx } from "../../infrastructure/database/connect.ts";
import { quoteTable } from "../../infrastructure/database/identifiers.ts";
import { runShape } from "../../infrastructure/database/prepared.ts";
import { type JsonText, writeJson } from "../../infrastructure/jsonText.ts";
import { Problem } from "../../infrastructure/problem.ts";
import type { Tenant } from "../tenant.ts";

/** A request that names a key. */
export interface IdempotentRequest {
  readonly tenant: Tenant;
  /** The user. */
  readonly subject: string;
  readonly key: string;
  readonly operation: string;
  /** SHA-256 of what the request asks for. */
  readonly fingerprint: Uint8Array;
}

/** An answer as handlers return it. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface KeptAnswer extends Answer {
  readonly body: JsonText<unknown> | undefined;
}

/** How long an answer is kept. */
export const keptHours = 24;
export const recent = `created_at > now() - interval '${keptHours} hours'`;

/** The answer to an equal request. Undefined if there was none yet. Throws `idempotency_key_reused`. */
export async function findAnswer(sql: Sql, request: IdempotentRequest): Promise<KeptAnswer | undefined> {
  const text = `
    select fingerprint, status, headers, body
    from ${tableOf(request)}
    where id = $1
      and ${recent}`;
  const [row] = await runShape<Row>(sql, text, [idOf(request)]);
  if (!row) return undefined;
  if (Buffer.compare(row.fingerprint, request.fingerprint) !== 0) throw reused();
  if (row.status === null) return undefined;
  const body = row.body === null ? undefined : { jsonText: row.body };
  return { status: row.status, body, headers: row.headers ?? {} };
}

interface Row {
  readonly fingerprint: Uint8Array;
  readonly status: number | null;
  readonly headers: Record<string, string> | null;
  readonly body: string | null;
}

/**
 * Takes the key for this transaction. Call it first, so that a request that is repeated meanwhile is refused and does
 * not wait. Throws `idempotency_key_in_use`, also if the key has an answer by now. With a note, the transaction may
 * commit without an answer (pending.ts).
 */
export async function claimKey(
  tx: Tx,
  request: IdempotentRequest,
  note: string | null = null,
): Promise<void> {
  const text = `
    insert into ${tableOf(request)} as k (id, subject, key, operation, fingerprint, body)
    select $1, $2, $3, $4, $5, $7::text
    where pg_try_advisory_xact_lock($6::text::bigint)
    on conflict (id) do update
       set (operation, fingerprint, status, headers, body, created_at) =
           (excluded.operation, excluded.fingerprint, null, null, excluded.body, now())
     where not (k.${recent})
    returning 1`;
  const id = idOf(request);
  const { subject, key, operation, fingerprint } = request;
  const lock = String(id.readBigInt64BE() ^ BigInt(request.tenant.id));
  const values = [id, subject, key, operation, fingerprint as Buffer, lock, note];
  if ((await tx.unsafe(text, values)).length === 0) throw keyInUse();
}

/** Keeps the answer with the change. */
export async function keepAnswer(tx: Queryable, request: IdempotentRequest, answer: Answer): Promise<void> {
  const text = `
    update ${tableOf(request)}
       set status = $2::text::smallint, headers = $3::text::jsonb, body = $4::text
     where id = $1`;
  const { status, headers = {}, body } = answer;
  const kept = body === undefined ? null : writeJson(body);
  await tx.unsafe(text, [idOf(request), String(status), JSON.stringify(headers), kept]);
}

/** Bytes of an answer that is kept. A change that could have a larger one leaves something out of it. */
export const maxKeptBytes = 1024 ** 2;

export const tableOf = ({ tenant }: IdempotentRequest) => keysTable(tenant.schema);

export const keysTable = (schema: string) => quoteTable(schema, "_idempotency_keys");

export const idOf = ({ subject, key }: IdempotentRequest) =>
  createHash("sha256")
    .update(JSON.stringify([subject, key]))
    .digest();

const reused = () =>
  new Problem("idempotency_key_reused", {
    message: "Another request had this Idempotency-Key. Send a new key. Nothing was changed.",
  });

export const keyInUse = (seconds = 1) =>
  new Problem("idempotency_key_in_use", {
    message: "The first request with this Idempotency-Key is still under way. Try again later.",
    headers: { "Retry-After": String(seconds) },
  });
