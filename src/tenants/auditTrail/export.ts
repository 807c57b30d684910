/**
 * An audit trail as lines of JSON that prove themselves, and the check of such lines without the server.
 *
 * The first line names the tenant's schema. Then come the records in the order of their ids, each checkpoint after its
 * records. Records at the end that have no checkpoint yet prove nothing.
 */
import type { Sql } from "../../infrastructure/database/connect.ts";
import { firstDigest, hashOf, type TrailRecord } from "./hashes.ts";
import { type Checkpoint, chainStart, type HashedRecord, judge, linkOf, type TrailFault } from "./judge.ts";
import { exportRecords, readCheckpoints } from "./queries.ts";

const recordsAtOnce = 500;
const checkpointsAtOnce = 20;
const [smallest, largest] = [-(2n ** 63n), 2n ** 63n - 1n];

/** The lines, without line feeds. */
export async function* exportTrail(sql: Sql, schema: string): AsyncGenerator<string> {
  yield JSON.stringify({ trail: schema });
  let covered = smallest;
  for (let after = 0n; ; ) {
    const page = await readCheckpoints(sql, schema, { after, limit: checkpointsAtOnce });
    for (const { checkpoint } of page) {
      const until = BigInt(checkpoint.last_id);
      yield* recordLines(sql, schema, { after: covered, until });
      yield JSON.stringify({ checkpoint: exportedCheckpoint(checkpoint) });
      covered = until;
      after = BigInt(checkpoint.number);
    }
    if (page.length < checkpointsAtOnce) break;
  }
  yield* recordLines(sql, schema, { after: covered, until: largest });
}

async function* recordLines(sql: Sql, schema: string, range: { after: bigint; until: bigint }) {
  for (let { after } = range; ; ) {
    const page = await exportRecords(sql, schema, { ...range, after, limit: recordsAtOnce });
    for (const { line } of page) yield `{"record":${line}}`;
    const last = page.at(-1);
    if (!last || page.length < recordsAtOnce) return;
    after = BigInt(last.id);
  }
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

const exportedCheckpoint = ({ content, digest, entries, ...head }: Checkpoint) => ({
  ...head,
  content: hex(content),
  digest: hex(digest),
  entries: entries && hex(entries),
});

const readCheckpoint = ({ content, digest, entries, ...head }: ReturnType<typeof exportedCheckpoint>) => ({
  ...head,
  content: Buffer.from(content, "hex"),
  digest: Buffer.from(digest, "hex"),
  entries: entries === null ? null : Buffer.from(entries, "hex"),
});

interface Line {
  readonly trail?: string;
  readonly record?: TrailRecord;
  readonly checkpoint?: ReturnType<typeof exportedCheckpoint>;
}

export interface FileVerdict {
  readonly checkpoint: Checkpoint | undefined;
  readonly faults: readonly TrailFault[];
  /** How many records the verdict is about. Without a checkpoint: records after the last one. */
  readonly records: number;
}

/** The verdict on each checkpoint of an exported trail, then one on the records without a checkpoint. */
export async function* verifyLines(
  lines: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<FileVerdict> {
  let before = chainStart(new Uint8Array());
  let found: HashedRecord[] = [];
  for await (const text of lines) {
    const { trail, record, checkpoint } = JSON.parse(text) as Line;
    if (trail !== undefined) before = chainStart(firstDigest(trail));
    if (record) found.push({ id: BigInt(record.id), hash: hashOf(record) });
    if (!checkpoint) continue;
    const read = readCheckpoint(checkpoint);
    yield { checkpoint: read, faults: judge(before, read, found), records: found.length };
    before = linkOf(read);
    found = [];
  }
  yield { checkpoint: undefined, faults: [], records: found.length };
}
