/**
 * Adds checkpoints to the audit trails of all tenants. Nothing of it happens when a record is written.
 *
 * A record's id is taken before its transaction commits, so a record with a smaller id can appear late. A checkpoint
 * covers only ids below which nobody can appear any more: the job notes the largest id, then which transactions hold
 * the lock that every insert takes before its id, and waits until these have ended. Whoever comes later gets a larger
 * id.
 */
import type { Logger } from "pino";
import type { Sql } from "../../infrastructure/database/connect.ts";
import { schemaOf } from "../tenant.ts";
import { contentOf, digestOf, firstDigest } from "./hashes.ts";
import { entriesOf } from "./judge.ts";
import { type Backlog, findBacklog, findWriters, hashRecords, insertCheckpoint } from "./queries.ts";

/** The most records of one checkpoint. */
const mostRecords = 1_000;
/** The most checkpoints of one run. The next run continues. */
const mostCheckpoints = 500;
/** How long a run waits for transactions. Their tenants' records wait for the next run. */
const patienceMs = 5_000;
const pauseMs = 100;

interface Chain {
  readonly schema: string;
  number: bigint;
  covered: bigint;
  digest: Uint8Array;
  /** No record up to this id can appear any more. */
  readonly until: bigint;
}

/** Returns how many checkpoints it has added. */
export async function addCheckpoints({ sql, log }: { sql: Sql; log: Logger }): Promise<number> {
  const chains = await settled(sql, await findBacklog(sql));
  let added = 0;
  // In turn, so that a tenant with a long trail does not hold up the others.
  while (chains.length > 0 && added < mostCheckpoints)
    for (const chain of chains.splice(0)) {
      if (!(await addCheckpoint(sql, chain))) continue;
      added++;
      if (chain.covered < chain.until) chains.push(chain);
    }
  if (added > 0) log.debug({ checkpoints: added }, "Checkpoints added to audit trails");
  return added;
}

/** The chains of the tenants whose writers have ended in time. */
async function settled(sql: Sql, backlog: readonly Backlog[]): Promise<Chain[]> {
  if (backlog.length === 0) return [];
  let writers = await findWriters(sql);
  for (const deadline = Date.now() + patienceMs; writers.length > 0 && Date.now() < deadline; ) {
    await Bun.sleep(pauseMs);
    const remaining = new Set((await findWriters(sql)).map(({ writer }) => writer));
    writers = writers.filter(({ writer }) => remaining.has(writer));
  }
  const busy = new Set(writers.map(({ schema }) => schema));
  return backlog.map(chainOf).filter(({ schema }) => !busy.has(schema));
}

function chainOf({ tenant, number, digest, covered, newest }: Backlog): Chain {
  const schema = schemaOf(Number(tenant));
  return {
    schema,
    number: BigInt(number ?? 0),
    covered: BigInt(covered ?? 0),
    digest: digest ?? firstDigest(schema),
    until: BigInt(newest),
  };
}

/** False if another process was faster. */
async function addCheckpoint(sql: Sql, chain: Chain): Promise<boolean> {
  const { schema, covered, until } = chain;
  const range = await hashRecords(sql, schema, { covered, until, most: mostRecords });
  const last = range?.records.at(-1);
  if (!range || !last) return false;
  const { records } = range;
  const head = {
    number: String(chain.number + 1n),
    at: range.now,
    after_id: String(covered),
    last_id: String(last.id),
    records: String(records.length),
    newest_at: range.newest_at,
  };
  const content = contentOf(records.map(({ hash }) => hash));
  const digest = digestOf(chain.digest, head, content);
  const added = await insertCheckpoint(sql, schema, {
    ...head,
    content,
    digest,
    entries: entriesOf(records),
  });
  Object.assign(chain, { number: chain.number + 1n, covered: last.id, digest });
  return added;
}
