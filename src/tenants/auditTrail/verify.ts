/** Verifies a tenant's audit trail in the database: checkpoint by checkpoint, with what is wrong in its range. */
import type { Sql } from "../../infrastructure/database/connect.ts";
import { firstDigest } from "./hashes.ts";
import { type Checkpoint, chainStart, judge, type Link, linkOf, type TrailFault } from "./judge.ts";
import { findCheckpoint, readCheckpoints } from "./queries.ts";

export interface Verdict {
  readonly checkpoint: Checkpoint;
  /** Empty if nothing was changed. */
  readonly faults: readonly TrailFault[];
}

/** The checkpoints after the one with this number. */
export async function verifyPage(
  sql: Sql,
  schema: string,
  { after, limit }: { after: bigint; limit: number },
): Promise<Verdict[]> {
  const ranges = await readCheckpoints(sql, schema, { after, limit });
  let before = await linkBefore(sql, schema, after);
  return ranges.map(({ checkpoint, found }) => {
    const faults = judge(before, checkpoint, found);
    before = linkOf(checkpoint);
    return { checkpoint, faults };
  });
}

async function linkBefore(sql: Sql, schema: string, after: bigint): Promise<Link> {
  const start = chainStart(firstDigest(schema));
  if (after <= 0n) return start;
  const checkpoint = await findCheckpoint(sql, schema, after);
  return checkpoint ? linkOf(checkpoint) : start;
}

const pageSize = 50;

/** All checkpoints of a tenant. */
export async function* verifyTrail(sql: Sql, schema: string): AsyncGenerator<Verdict> {
  for (let after = 0n; ; ) {
    const page = await verifyPage(sql, schema, { after, limit: pageSize });
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < pageSize) return;
    after = BigInt(last.checkpoint.number);
  }
}
