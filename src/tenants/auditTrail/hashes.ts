/**
 * The hashes that prove an audit trail. docs/security.md has the recipe, so that anybody can compute them.
 *
 * - A record's hash: SHA-256 of its canonical form, a JSON array of texts and nulls with ", " between them.
 * - A checkpoint's content: SHA-256 of its records' hashes, in the order of their ids.
 * - A checkpoint's digest: SHA-256 of the digest before it, its head as such an array, and its content. The digest
 *   before   the first one is the SHA-256 of the tenant's schema.
 *
 * PostgreSQL computes the hashes of stored records, and this file those of exported ones. A property test compares
 * them.
 */
import { utcText } from "../../infrastructure/database/timestamps.ts";

/** A record as it is exported: numbers are texts of digits, so that no program rounds them. */
export interface TrailRecord {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly table_name: string | null;
  readonly statement: string;
  readonly affected_rows: string | null;
  readonly outcome: string;
  readonly error: string | null;
  readonly request_id: string;
}

/** The members of a record in their canonical order. */
export const recordMembers = [
  "id",
  "at",
  "actor",
  "action",
  "table_name",
  "statement",
  "affected_rows",
  "outcome",
  "error",
  "request_id",
] as const satisfies (keyof TrailRecord)[];

/** What a digest says of its checkpoint besides the records. Numbers are texts of digits. */
export interface CheckpointHead {
  readonly number: string;
  readonly at: string;
  readonly after_id: string;
  readonly last_id: string;
  readonly records: string;
  /** The time of the newest of its records. */
  readonly newest_at: string;
}

/** The columns of a record of the table `t`, as texts. */
export const recordColumns = (t: string) =>
  recordMembers.map((name) => (name === "at" ? utcText(`${t}.at`) : `${t}.${name}::text`));

/** SQL for the hash of a record of the table `t`. */
export const recordHashSql = (t: string) =>
  `sha256(convert_to(json_build_array(${recordColumns(t).join(", ")})::text, 'UTF8'))`;

export const hashOf = (record: TrailRecord): Uint8Array =>
  sha256(canonical(recordMembers.map((name) => record[name])));

export const firstDigest = (schema: string): Uint8Array => sha256(schema);

export function contentOf(hashes: Iterable<Uint8Array>): Uint8Array {
  const hasher = new Bun.CryptoHasher("sha256");
  for (const hash of hashes) hasher.update(hash);
  return hasher.digest();
}

export function digestOf(before: Uint8Array, head: CheckpointHead, content: Uint8Array): Uint8Array {
  const { number, at, after_id, last_id, records, newest_at } = head;
  const text = canonical([number, at, after_id, last_id, records, newest_at]);
  return new Bun.CryptoHasher("sha256").update(before).update(text).update(content).digest();
}

const canonical = (values: readonly (string | null)[]) =>
  `[${values.map((value) => JSON.stringify(value)).join(", ")}]`;

const sha256 = (text: string): Uint8Array => new Bun.CryptoHasher("sha256").update(text).digest();
