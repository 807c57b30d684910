/** The database's clock decides. A process with a wrong clock works, and reports it. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { warnOfClock } from "../../../src/infrastructure/database/clock.ts";
import { createLog } from "../../../src/infrastructure/log.ts";
import { commit, issueOne } from "../../support/attachments.ts";
import { createDatabase, type TestDatabase } from "../../support/database.ts";
import { startServer, type TestServer } from "../../support/server.ts";

setDefaultTimeout(60_000);
const hour = 3_600_000;
let database: TestDatabase;
let server: TestServer;
let offMs = 0;
beforeAll(async () => {
  database = await createDatabase();
  server = await startServer({ database, deps: { now: () => new Date(Date.now() + offMs) } });
});
afterAll(async () => {
  await server.stop();
  await database.drop();
});

const readiness = async () => (await fetch(`${server.url}/readyz`)).json();

test.each([-hour, hour])(
  "a process whose clock is %d ms off issues URLs that work for as long as they should",
  async (ms) => {
    offMs = ms;
    const url = await issueOne(server, await commit(server));
    const [row] = await server.sql`
    select extract(epoch from expires_at - now())::float8 as seconds
    from waybill.download_tokens order by issued_at desc limit 1`;
    expect(row?.seconds).toBeWithin(880, 901);
    expect((await fetch(url)).status).toBe(200);
  },
);

test("readiness reports a clock that is more than five seconds off, and stays 200", async () => {
  offMs = 0;
  expect(await readiness()).toEqual({ status: "ok" });
  offMs = 2 * hour;
  const message = "This process's clock is 7200 seconds ahead of the database's.";
  expect(await readiness()).toEqual({ status: "ok", warnings: [{ code: "clock_off", message }] });
  offMs = -8_000;
  expect((await readiness()).warnings[0].message).toContain("8 seconds behind");
  offMs = -3_000;
  expect(await readiness()).toEqual({ status: "ok" });
});

test("the log reports it at the start", async () => {
  const lines: Record<string, unknown>[] = [];
  const log = createLog("info", { write: (line) => void lines.push(JSON.parse(line)) });
  for (const ms of [0, hour])
    await warnOfClock({ control: server.sql, log, now: () => new Date(Date.now() + ms) });
  expect(lines).toMatchObject([{ level: "warn", clock_offset_seconds: 3_600 }]);
});
