/**
 * Follows the variables that the engine stores, and binds the files that other clients have written into them.
 *
 * Two kinds of readings:
 * - A quick one, every ten seconds: what was written since the last one, so that files are bound soon.
 * - A complete one, every half an hour: also what became visible late, because its transaction took long. Only this one
 *   moves `complete_until`. The sweep removes a draft only if `complete_until` is later than the moment at which the
 *   draft became old. So a file that a variable named in time is never removed, however long the engine is away.
 *
 * The engine's clock and the database's may differ by less than `latenessMs`.
 */
import { databaseTimeIn } from "../../../../files/attachments/tokenQueries.ts";
import type { Recurring } from "../../../../infrastructure/jobs/recurring.ts";
import type { OperatonContext } from "../operatonContext.ts";
import { isJudgement } from "../restErrors.ts";
import { bindNamedFiles } from "./bindFiles.ts";
import { findReadings, type Reading, saveReading } from "./readingQueries.ts";
import { beginAt, type Position, readUpdates, type VariableUpdate } from "./variableUpdates.ts";

export interface FollowTimes {
  /** How much a quick reading reads again. */
  readonly overlapMs: number;
  /** How long a transaction of the engine may take, and how much its clock may be off. */
  readonly latenessMs: number;
  /** From one complete reading to the next. */
  readonly completeEveryMs: number;
}

const minutes = 60_000;

export const followTimes: FollowTimes = {
  overlapMs: 5_000,
  latenessMs: 10 * minutes,
  completeEveryMs: 30 * minutes,
};

const everySeconds = 10;

/** Pages of one tenant in one run, so that one that has much to read does not hold up the others. */
const pagesOfARun = 40;

export interface FollowOptions {
  readonly times?: FollowTimes;
  /** Whether the process is ending. */
  readonly draining?: () => boolean;
}

export const followJob = (context: OperatonContext, options: FollowOptions = {}): Recurring => ({
  name: "follow-engine-variables",
  everySeconds,
  run: () => followVariables(context, options),
});

/**
 * Reads on in each tenant that has files which an instance can still take. Throws if the engine is away. What the
 * engine refuses in one tenant is logged and asked again in the next run.
 */
export async function followVariables(
  context: OperatonContext,
  { times = followTimes, draining = () => false }: FollowOptions = {},
): Promise<void> {
  for (const reading of await findReadings(context.sql)) {
    if (draining()) return;
    try {
      await follow(context, reading, times);
    } catch (err) {
      if (!isJudgement(err)) throw err;
      const { tenantId: tenant_id } = reading;
      context.log.warn(
        { tenant_id, err },
        "Variables of the engine not read; reading continues in the next run",
      );
    }
  }
}

async function follow(context: OperatonContext, reading: Reading, times: FollowTimes): Promise<void> {
  let progress = beginningOf(reading, times);
  let position: Position | undefined = beginAt(progress.from);
  for (let pages = 0; position && pages < pagesOfARun; pages++) {
    const asked = await databaseTimeIn(context.sql, 0);
    const { updates, next } = await readUpdates(context, reading, { position, now: asked });
    await bind(context, reading, updates);
    progress = advanced(progress, next?.from ?? asked, { asked, times });
    await saveReading(context.sql, { tenantId: reading.tenantId, ...progress });
    position = next;
  }
}

interface Progress {
  readonly from: Date;
  readonly isComplete: boolean;
  readonly seenUntil: Date;
  readonly completeUntil: Date;
}

/** Where a run begins. Nothing named a file before it was uploaded, so nothing before that has to be read. */
function beginningOf(
  { now, oldestUpload, seenUntil, completeUntil }: Reading,
  { overlapMs, latenessMs, completeEveryMs }: FollowTimes,
): Progress {
  const complete = later(completeUntil, before(oldestUpload, latenessMs));
  const isComplete = seenUntil === null || now.getTime() - complete.getTime() >= latenessMs + completeEveryMs;
  const seen = seenUntil ?? complete;
  const from = isComplete ? complete : later(before(seen, overlapMs), complete);
  return { from, isComplete, seenUntil: seen, completeUntil: complete };
}

/**
 * After a page that was asked for at `asked` and leads up to `readUntil`. A transaction that may still run, or whose
 * entry bears an earlier time, began at most `latenessMs` before the page was asked for.
 */
function advanced(
  progress: Progress,
  readUntil: Date,
  { asked, times }: { readonly asked: Date; readonly times: FollowTimes },
): Progress {
  const surely = before(asked, times.latenessMs);
  const completeUntil = readUntil < surely ? readUntil : surely;
  return {
    ...progress,
    seenUntil: later(progress.seenUntil, readUntil),
    completeUntil: progress.isComplete
      ? later(progress.completeUntil, completeUntil)
      : progress.completeUntil,
  };
}

async function bind(
  context: OperatonContext,
  { tenantId, slug }: Reading,
  updates: readonly VariableUpdate[],
): Promise<void> {
  const values = updates.flatMap(({ processInstanceId, rootProcessInstanceId, value }) => {
    const rootInstanceId = rootProcessInstanceId ?? processInstanceId;
    return rootInstanceId === null ? [] : [{ rootInstanceId, value }];
  });
  const { length: count } = await bindNamedFiles(context, tenantId, values);
  if (count > 0)
    context.log.info({ tenant_id: tenantId, tenant: slug, count }, "Files in engine variables bound");
}

const before = (moment: Date, ms: number) => new Date(moment.getTime() - ms);

const later = (one: Date | null, other: Date) => (one !== null && one > other ? one : other);
