import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { connect, type Sql } from "../../../src/infrastructure/database/connect.ts";
import { type Jobs, type Queue, startJobs } from "../../../src/infrastructure/jobs/jobs.ts";
import { createLog } from "../../../src/infrastructure/log.ts";
import { createDatabase, type TestDatabase } from "../../support/database.ts";
import { until } from "../../support/until.ts";

setDefaultTimeout(60_000);
const log = createLog("silent");
let database: TestDatabase;
let sql: Sql;
beforeAll(async () => {
  database = await createDatabase();
  sql = connect(database.url);
});
afterAll(async () => {
  await sql.end({ timeout: 5 });
  await database.drop();
});

interface Numbered {
  readonly number: number;
}

/** The queue as one server process has it. */
async function startProcess(name: string): Promise<{ jobs: Jobs; queue: Queue<Numbered> }> {
  const jobs = await startJobs(sql, { log });
  return { jobs, queue: await jobs.queue<Numbered>(name, { pollMs: 100 }) };
}

const numbers = (count: number) => Array.from({ length: count }, (_, number) => ({ number }));

test("hundreds of jobs in three processes run once each", async () => {
  const processes = await Promise.all([1, 2, 3].map(() => startProcess("many")));
  const runs = new Map<number, number>();
  for (const { queue } of processes)
    queue.work(10, async ({ number }) => {
      runs.set(number, (runs.get(number) ?? 0) + 1);
      await Bun.sleep(5);
    });
  await processes[0]?.queue.enqueue(sql, numbers(300));
  for (const { queue } of processes) queue.notify();
  await until(() => runs.size === 300);
  for (const { jobs } of processes) await jobs.stop();
  expect([...runs.values()].filter((count) => count !== 1)).toEqual([]);
});

test("a statement that adds jobs can be a part of another one, with a condition", async () => {
  const { jobs, queue } = await startProcess("addition");
  const seen: number[] = [];
  queue.work(2, async ({ number }) => void seen.push(number));
  const id = crypto.randomUUID();
  const add = await queue.addition([{ data: { number: 1 } }, { data: { number: 2 } }]);
  const later = await queue.addition([{ data: { number: 3 }, id, at: new Date(Date.now() + 3_600_000) }]);
  const run = (condition: boolean) => sql`
    with added as (${add(sql, sql`${condition}::boolean`)}),
    scheduled as (${later(sql, sql`${condition}::boolean`)})
    select 1`;
  await run(false);
  queue.notify();
  await Bun.sleep(300);
  expect(seen).toEqual([]);
  await run(true);
  queue.notify();
  await until(() => seen.length === 2);
  await Bun.sleep(300);
  expect(seen.toSorted()).toEqual([1, 2]);
  const [waiting] = await sql`select data ->> 'number' as number from pgboss.job where id = ${id}`;
  expect(waiting?.number).toBe("3");
  await jobs.stop();
});

test("a job that is enqueued in a transaction runs if that commits, and never if it does not", async () => {
  const { jobs, queue } = await startProcess("transaction");
  const seen: number[] = [];
  queue.work(2, async ({ number }) => void seen.push(number));
  const rolledBack = sql.begin(async (tx) => {
    await queue.enqueue(tx, [{ number: 1 }]);
    throw new Error("rolled back");
  });
  expect(rolledBack).rejects.toThrow("rolled back");
  await sql.begin((tx) => queue.enqueue(tx, [{ number: 2 }]));
  queue.notify();
  await until(() => seen.length > 0);
  await Bun.sleep(300);
  await jobs.stop();
  expect(seen).toEqual([2]);
});

test("a job that fails runs again", async () => {
  const { jobs, queue } = await startProcess("failing");
  let runs = 0;
  queue.work(1, async () => {
    if (++runs === 1) throw new Error("not yet");
  });
  await queue.enqueue(sql, [{ number: 1 }]);
  await until(() => runs === 2);
  await jobs.stop();
});

test("a job waits for its moment", async () => {
  const { jobs, queue } = await startProcess("later");
  const moment = new Date(Date.now() + 1_500);
  let ranAt = 0;
  queue.work(1, async () => {
    ranAt = Date.now();
  });
  await queue.enqueue(sql, [{ number: 1 }], moment);
  await until(() => ranAt > 0);
  await jobs.stop();
  expect(ranAt).toBeGreaterThanOrEqual(moment.getTime());
});

test("a slow job does not delay the others", async () => {
  const { jobs, queue } = await startProcess("slow");
  const release = Promise.withResolvers<void>();
  const done: number[] = [];
  queue.work(2, async ({ number }) => {
    if (number === 0) await release.promise;
    done.push(number);
  });
  await queue.enqueue(sql, numbers(20));
  queue.notify();
  await until(() => done.length === 19);
  release.resolve();
  await until(() => done.length === 20);
  await jobs.stop();
  expect(done.at(-1)).toBe(0);
});

test("a group whose jobs hang runs a quarter of all at most, and the jobs of others run", async () => {
  const jobs = await startJobs(sql, { log });
  const queue = await jobs.queue<Numbered>("groups", {
    pollMs: 60_000,
    groupOf: ({ number }) => (number < 100 ? "hangs" : "works"),
  });
  const release = Promise.withResolvers<void>();
  const done: number[] = [];
  let hanging = 0;
  let most = 0;
  queue.work(8, async ({ number }) => {
    if (number < 100) {
      most = Math.max(most, ++hanging);
      await release.promise;
      hanging--;
    }
    done.push(number);
  });
  await queue.enqueue(sql, numbers(150));
  queue.notify();
  await until(() => done.length === 50);
  expect(done.filter((number) => number < 100)).toEqual([]);
  expect(hanging).toBe(2);
  release.resolve();
  await until(() => done.length === 150);
  await jobs.stop();
  expect(most).toBe(2);
});

test("completing an attempt that another process has taken over has no effect", async () => {
  const { jobs, queue } = await startProcess("lost");
  const second = Promise.withResolvers<void>();
  let runs = 0;
  queue.work(2, async () => {
    const run = ++runs;
    // The first run ends while the second is under way.
    if (run === 1) await sql`update pgboss.job set state = 'retry', start_after = now() where name = 'lost'`;
    if (run === 1) await until(() => runs === 2);
    else await second.promise;
  });
  await queue.enqueue(sql, [{ number: 1 }]);
  queue.notify();
  await until(() => runs === 2);
  await Bun.sleep(300);
  const state = async () => (await sql`select state from pgboss.job where name = 'lost'`)[0]?.state;
  expect(await state()).toBe("active");
  second.resolve();
  for (let left = 100; (await state()) !== "completed"; left--) {
    if (left === 0) throw new Error("the job is not completed");
    await Bun.sleep(50);
  }
  await jobs.stop();
});

test("a process whose pool is in use for longer than lostAfterSeconds keeps its jobs", async () => {
  const busy = connect(database.url, { max: 2 });
  const control = connect(database.url, { max: 3 });
  const [one, another] = await Promise.all([
    startJobs(busy, { log, control }),
    startJobs(sql, { log, control: sql }),
  ]);
  const [mine, theirs] = await Promise.all(
    [one, another].map((jobs) => jobs.queue<Numbered>("alive", { pollMs: 100 })),
  );
  const release = Promise.withResolvers<void>();
  let runs = 0;
  const work = async () => {
    runs++;
    await release.promise;
  };
  mine?.work(1, work);
  await mine?.enqueue(sql, [{ number: 1 }]);
  await until(() => runs === 1);
  theirs?.work(1, work);
  const taken = await Promise.all([busy.reserve(), busy.reserve()]);
  // A process counts as lost after 10 s. pg-boss looks for lost ones every 5 s.
  await Bun.sleep(17_000);
  expect(runs).toBe(1);
  for (const connection of taken) connection.release();
  release.resolve();
  await Promise.all([one.stop(), another.stop()]);
  await Promise.all([busy.end({ timeout: 5 }), control.end({ timeout: 5 })]);
});

test("a process that stops runs the jobs that it is fetching", async () => {
  const { jobs, queue } = await startProcess("stopping");
  const ended: number[] = [];
  await queue.enqueue(sql, numbers(3));
  queue.work(4, async ({ number }) => {
    await Bun.sleep(100);
    ended.push(number);
  });
  await jobs.stop();
  expect(ended.toSorted()).toEqual([0, 1, 2]);
});

test("a job knows the age of its last confirmed heartbeat", async () => {
  const { jobs, queue } = await startProcess("heartbeat");
  const release = Promise.withResolvers<void>();
  let age = () => Number.NaN;
  queue.work(1, async (_data, { heartbeatAgeMs }) => {
    age = heartbeatAgeMs;
    await release.promise;
  });
  await queue.enqueue(sql, [{ number: 1 }]);
  queue.notify();
  await until(() => age() >= 0);
  const first = age();
  expect(first).toBeLessThan(2_000);
  await until(() => age() > 2_000);
  // The next heartbeat comes after 2.5 s and is confirmed.
  await until(() => age() < 1_000);
  await sql`update pgboss.job set state = 'retry', start_after = now() + interval '1 hour' where name = 'heartbeat'`;
  // From now on no heartbeat is confirmed, because this process has lost the job.
  await until(() => age() > 4_000);
  release.resolve();
  await jobs.stop();
});
