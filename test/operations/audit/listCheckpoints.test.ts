import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { addCheckpoints } from "../../../src/tenants/auditTrail/checkpoints.ts";
import { verifyLines } from "../../../src/tenants/auditTrail/export.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { makeTable, send } from "../../support/tables.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ workers: false });
  const table = await makeTable(server, { a: "text" });
  for (let n = 0; n < 5; n++) {
    await table.insert({ a: "x" });
    await addCheckpoints({ sql: server.sql, log: server.deps.log });
  }
});
afterAll(() => server.stop());

const page = async ($after?: string, limit = 2) =>
  (await server.audit()).listCheckpoints({ tenantId: 1, limit, ...($after === undefined ? {} : { $after }) });

async function all() {
  const found = [];
  for (let after: string | undefined, first = true; first || after !== undefined; first = false) {
    const { data } = await page(after);
    found.push(...data.checkpoints);
    after = data.next;
  }
  return found;
}

test("an untouched trail is intact, page by page", async () => {
  const checkpoints = await all();
  expect(
    checkpoints.map(({ number, after_id, last_id, records }) => [number, after_id, last_id, records]),
  ).toEqual([
    ["1", "0", "2", 2],
    ["2", "2", "3", 1],
    ["3", "3", "4", 1],
    ["4", "4", "5", 1],
    ["5", "5", "6", 1],
  ]);
  for (const { intact, faults, digest, purged_at } of checkpoints) {
    expect({ intact, faults, purged_at }).toEqual({ intact: true, faults: [], purged_at: null });
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
  }
  expect((await page()).message).toBe("2 checkpoints, intact.");
});

test("the whole trail can be fetched as a file that proves itself", async () => {
  const headers = { accept: "application/x-ndjson" };
  const answer = await server.request("/api/v1/report/1/schema/audit/checkpoints", { headers });
  expect(answer.headers.get("content-disposition")).toBe('attachment; filename="trail.ndjson"');
  const lines = (await answer.text()).trimEnd().split("\n");
  expect(lines).toHaveLength(1 + 6 + 5);
  const verdicts = await Array.fromAsync(verifyLines(lines));
  expect(verdicts.map(({ faults, records }) => [faults, records])).toEqual(
    [2, 1, 1, 1, 1, 0].map((records) => [[], records]),
  );
});

test("records that were changed, removed and added are named in their checkpoint, and in no other", async () => {
  await server.sql`update tenant_1._audit set actor = 'nobody' where id = 1`;
  await server.sql`delete from tenant_1._audit where id = 4`;
  await server.sql`
    insert into tenant_1._audit (id, actor, action, statement, outcome, request_id) overriding system value
    select -n, 'nobody', 'insert', 's', 'success', gen_random_uuid() from generate_series(1, 200) n`;
  const checkpoints = await all();
  expect(checkpoints.map(({ intact }) => intact)).toEqual([false, true, false, true, true]);
  expect(checkpoints[2]?.faults).toEqual([{ kind: "record_removed", id: "4" }]);
  expect(checkpoints[0]?.faults).toHaveLength(100);
  expect(checkpoints[0]?.faults[0]).toEqual({ kind: "record_added", id: "-200" });
  await server.sql`delete from tenant_1._audit where id < 0`;
  expect((await all())[0]?.faults).toEqual([{ kind: "record_changed", id: "1" }]);
  expect((await page()).message).toBe("2 checkpoints, 1 fault.");
});

test("a page that begins after any number is verified against the checkpoint before", async () => {
  const { data } = await page("4");
  expect(data.checkpoints.map(({ number, intact }) => [number, intact])).toEqual([["5", true]]);
  expect((await page("5")).data.checkpoints).toEqual([]);
  expect((await page("99")).data.checkpoints).toEqual([]);
});

test("what is no number answers 400", async () => {
  for (const after of ["x", "-1", "1.5", "9".repeat(19), ""])
    expect(await send(server, `GET /api/v1/report/1/schema/audit/checkpoints?$after=${after}`)).toMatchObject(
      { status: 400 },
    );
});
