/** A server process that is killed with SIGKILL between a change and its answer: the client repeats the request. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { secretsFrom, startServer, type TestServer } from "../../support/server.ts";
import { makeTable } from "../../support/tables.ts";
import { longerEach, startWaybill } from "../../support/waybillProcess.ts";

setDefaultTimeout(240_000);

const secret = "a secret that the killed process and the other one share";
let server: TestServer;
let dataDir: string;
beforeAll(async () => {
  server = await startServer({ secret });
  dataDir = await mkdtemp(join(tmpdir(), "waybill-killed-"));
});
afterAll(async () => {
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const clients = 8;
const rounds = 4;

test("after kill -9, repeated requests make each change once, and some get the lost answer", async () => {
  const table = await makeTable(server, { n: "integer" });
  const authorization = `Bearer ${await server.token({ ttlSeconds: 3_600 })}`;
  let sent = 0;
  let found = 0;

  const insert = (url: string, n: number) =>
    fetch(url + table.path, {
      method: "POST",
      headers: { authorization, "content-type": "application/json", "Idempotency-Key": `key-${n}` },
      body: JSON.stringify({ rows: [{ n }] }),
    });

  /** Inserts until the process is gone, and repeats what it did not answer at the other one. */
  async function client(url: string): Promise<void> {
    for (;;) {
      const n = sent++;
      const answer = await insert(url, n).then(
        ({ status }) => status,
        () => undefined,
      );
      if (answer === 201) continue;
      for (;;) {
        const again = await insert(server.url, n);
        if (again.headers.get("idempotency-replayed") === "true") found++;
        if (again.status === 201) return;
        expect(again.status).toBe(409);
        await Bun.sleep(50);
      }
    }
  }

  for (let round = 0; round < rounds || (found === 0 && round < 5 * rounds); round++) {
    const environment = { DATABASE_URL: server.database.url, DATA_DIR: dataDir, ...secretsFrom(secret) };
    const child = startWaybill({ cwd: dataDir, environment });
    const url = await child.listening;
    const running = Array.from({ length: clients }, () => client(url));
    await Bun.sleep(300 + Math.random() * 500 * longerEach(round, rounds));
    child.kill("SIGKILL");
    await child.exited;
    await Promise.all(running);
  }

  const [row] = await server.sql.unsafe(
    `select count(*)::int as rows, count(distinct n)::int as changes from tenant_1."${table.name}"`,
  );
  expect({ ...row }).toEqual({ rows: sent, changes: sent });
  expect(found).toBeGreaterThan(0);
});
