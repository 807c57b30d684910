/** The writes of one tenant to the same rows do not delay anybody else. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import postgres from "postgres";
import { startServer, type TestServer } from "../support/server.ts";
import { makeTable, send } from "../support/tables.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test("during forty updates of locked rows, another tenant and /readyz still get answers", async () => {
  const table = await makeTable(server, { n: "integer" });
  await table.insert({ n: 1 });
  const other = await makeTable(server, { n: "integer" }, { caller: { tenant: 2 } });
  await other.insert({ n: 1 });
  const outside = postgres(server.database.url, { max: 1 });
  const release = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const holding = outside.begin(async (tx) => {
    await tx`select from ${tx(`tenant_1.${table.name}`)} for update`;
    locked.resolve();
    await release.promise;
  });
  await locked.promise;
  const updates = Array.from({ length: 40 }, () =>
    send(server, `PATCH ${table.path}`, { body: { where: { n: 1 }, set: { n: 1 } } }),
  );
  const times: number[] = [];
  for (let asked = 0; asked < 9; asked++) {
    const at = performance.now();
    expect(await other.update({ n: 1 }, { n: 1 })).toBe(1);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    times.push(performance.now() - at);
    await Bun.sleep(200);
  }
  const refused = await Promise.race(updates);
  release.resolve();
  await holding;
  const answers = await Promise.all(updates);
  await outside.end();
  expect(Math.max(...times)).toBeLessThan(1_500);
  expect(refused.code).toBe("busy");
  expect(refused.headers.get("retry-after")).toBe("1");
  for (const { status } of answers) expect([200, 503]).toContain(status);
  expect(answers.some(({ status }) => status === 200)).toBe(true);
});
