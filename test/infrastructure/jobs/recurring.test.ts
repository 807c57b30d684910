import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { connect, type Sql } from "../../../src/infrastructure/database/connect.ts";
import { type Jobs, startJobs } from "../../../src/infrastructure/jobs/jobs.ts";
import { createLog } from "../../../src/infrastructure/log.ts";
import { createDatabase, type TestDatabase } from "../../support/database.ts";
import { startFaultyProxy } from "../../support/faultyProxy.ts";
import { until } from "../../support/until.ts";

setDefaultTimeout(60_000);
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

interface Process {
  readonly jobs: Jobs;
  readonly logged: Record<string, unknown>[];
}

/** The job as one server process has it. */
async function startProcess(name: string, run: () => Promise<void>, pool: Sql = sql): Promise<Process> {
  const logged: Record<string, unknown>[] = [];
  const log = createLog("info", { write: (line) => void logged.push(JSON.parse(line)) });
  const job = { name, everySeconds: 1, run, runHere: async () => {} };
  const jobs = await startJobs(pool, { log });
  await jobs.recur(job);
  return { jobs, logged };
}

test("the job runs once in each interval, for any number of processes", async () => {
  let runs = 0;
  const run = async () => void runs++;
  const processes = await Promise.all(Array.from({ length: 5 }, () => startProcess("once", run)));
  await until(() => runs >= 5);
  for (const { jobs, logged } of processes) {
    await jobs.stop();
    expect(logged).toEqual([]);
  }
  const jobs = await sql<{ interval: Date; count: number }[]>`
    select singleton_on as interval, count(*)::int as count from pgboss.job where name = 'once' group by 1 order by 1`;
  expect(jobs.map(({ count }) => count)).toEqual(jobs.map(() => 1));
  expect(runs).toBeLessThanOrEqual(jobs.length);
});

test("a job that fails is logged and recurs", async () => {
  let runs = 0;
  const { jobs, logged } = await startProcess("failing", async () => {
    runs++;
    throw new Error("the storage is away");
  });
  await until(() => runs >= 3);
  await jobs.stop();
  expect(logged.length).toBeGreaterThanOrEqual(2);
  expect(logged[0]).toMatchObject({
    level: "warn",
    job: "failing",
    msg: "Recurring job failed; it runs again in the next interval",
  });
});

test("after an outage of the database the job goes on; the outage is two lines in the log", async () => {
  const proxy = await startFaultyProxy(new URL(database.url));
  const url = Object.assign(new URL(database.url), { port: proxy.url.port });
  const pool = connect(url.href);
  let runs = 0;
  const { jobs, logged } = await startProcess("outage", async () => void runs++, pool);
  await until(() => runs >= 1);
  proxy.set("refuse");
  await until(() => logged.length > 0);
  // The outage lasts several intervals.
  await Bun.sleep(3_000);
  const before = runs;
  proxy.set("pass");
  await until(() => runs > before + 1);
  await jobs.stop();
  await pool.end({ timeout: 5 });
  await proxy.close();
  expect(logged.map(({ level, msg }) => [level, msg])).toEqual([
    ["warn", "Background jobs are delayed"],
    ["info", "Background jobs are no longer delayed"],
  ]);
});
