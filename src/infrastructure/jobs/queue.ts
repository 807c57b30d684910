/**
 * A queue whose jobs run at least once, many at a time, in whichever process fetches them first.
 *
 * A job belongs to the process that fetched it for as long as that process sends heartbeats. After that another process
 * gets it. pg-boss keeps the jobs. docs/decisions/service-tasks.md, "Our own loop over pg-boss", says why its own
 * workers are not used.
 */
import type { ConstructorOptions, JobInsert } from "pg-boss";
import type { Fragment, Queryable } from "../database/connect.ts";
import { statementOf } from "./database.ts";
import { createRunner, type Runner, type RunnerContext, type RunnerOptions } from "./runner.ts";

export interface Queue<Data extends object> extends Omit<Runner<Data>, "drain"> {
  /** Adds jobs, in a transaction or at once. Call `notify` when it is committed. */
  enqueue(on: Queryable, jobs: readonly Data[], startAfter?: Date): Promise<void>;
  /** The statement that adds jobs, to be a part of another one: `with added as (…)`. */
  addition(jobs: readonly NewJob<Data>[]): Promise<Addition>;
  /** Removes jobs that wait. A job that runs already runs to its end. */
  remove(on: Queryable, ids: readonly string[]): Promise<void>;
}

export interface NewJob<Data> {
  readonly data: Data;
  /** A UUID by which the job can be removed. */
  readonly id?: string;
  /** By the database's clock. Absent: at once. */
  readonly at?: Date;
}

/** Adds its jobs if the condition holds. */
export type Addition = (sql: Queryable, condition: Fragment) => Fragment;

/** What all queues of a process share. */
export interface QueueContext extends RunnerContext {
  /** Runs pg-boss's statements on a pool, or in a transaction of it. */
  readonly databaseOf: (on: Queryable) => NonNullable<ConstructorOptions["db"]>;
}

export type QueueOptions<Data> = Partial<RunnerOptions<Data>>;

const defaults = { pollMs: 1_000, lostAfterSeconds: 10 };
const year = 365 * 86_400;

export async function createQueue<Data extends object>(
  name: string,
  context: QueueContext,
  options: QueueOptions<Data> = {},
): Promise<Queue<Data> & Runner<Data>> {
  const { boss, databaseOf } = context;
  const settings = { ...defaults, ...options };
  await boss.createQueue(name, {
    retryLimit: 1_000_000,
    retryDelay: 2,
    heartbeatSeconds: settings.lostAfterSeconds,
    // Missing heartbeats say that a job is lost. How long it takes does not.
    expireInSeconds: 86_399,
    retentionSeconds: year,
    deleteAfterSeconds: 3_600,
  });
  const jobOf = (data: Data) => ({
    data,
    ...(settings.groupOf ? { group: { id: settings.groupOf(data) } } : {}),
  });
  const insert = async (on: Queryable, jobs: JobInsert[]) =>
    void (await boss.insert(name, jobs, { db: databaseOf(on) }));
  return {
    ...createRunner(name, context, settings),
    enqueue: (on, jobs, startAfter) => {
      const when = startAfter ? { startAfter } : {};
      return insert(
        on,
        jobs.map((data) => ({ ...jobOf(data), ...when })),
      );
    },
    addition: async (jobs) => {
      const inserts = jobs.map(({ data, id, at }) => ({
        ...jobOf(data),
        ...(id && { id }),
        ...(at && { startAfter: at }),
      }));
      const insertion = await statementOf((db) => boss.insert(name, inserts, { db }));
      return (sql, condition) =>
        insertion(sql, (list) => sql`(select case when ${condition} then ${list}::text else '[]' end)`);
    },
    remove: async (on, ids) => {
      if (ids.length > 0) await boss.deleteJob(name, [...ids], { db: databaseOf(on) });
    },
  };
}
