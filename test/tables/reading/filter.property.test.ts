import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { connect, type Sql } from "../../../src/infrastructure/database/connect.ts";
import { createMigratedDatabase, type TestDatabase } from "../../support/database.ts";
import { anyFilter, anyModelRow, type ModelRow, modelColumns } from "../../support/filterModel.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { makeTable, send, type TestTable } from "../../support/tables.ts";

/** A session whose settings would change days and timestamps if a statement depended on them. */
let database: TestDatabase;
let odd: Sql;
let server: TestServer;
let table: TestTable;
beforeAll(async () => {
  database = await createMigratedDatabase();
  odd = connect(database.url, { settings: { TimeZone: "Asia/Jakarta" } });
  server = await startServer({ database, deps: { sql: odd } });
  table = await makeTable(server, modelColumns);
});
afterAll(async () => {
  await server.stop();
  await odd.end({ timeout: 5 });
  await database.drop();
});

const list = (filter: string) =>
  send(server, `GET ${table.path}?limit=500&$filter=${encodeURIComponent(filter)}`);

test("a filter finds exactly the rows that OData's rules say", async () => {
  const check = async (
    rows: readonly ModelRow[],
    filters: readonly (typeof anyFilter extends fc.Arbitrary<infer F> ? F : never)[],
  ) => {
    await server.sql.unsafe(`truncate tenant_1.${table.name} restart identity`);
    await table.insert(...rows);
    for (const filter of filters) {
      const answer = await list(filter.text);
      const found = answer.body.data?.rows.map(({ id }: { id: string }) => Number(id) - 1);
      const expected = rows.flatMap((row, index) => (filter.of(row) === true ? [index] : []));
      expect([filter.text, found ?? answer.text]).toEqual([filter.text, expected]);
      expect(answer.body.data.total).toBe(expected.length);
    }
  };
  const rows = fc.array(anyModelRow, { minLength: 20, maxLength: 40 });
  const filters = fc.array(anyFilter, { minLength: 20, maxLength: 20 });
  await fc.assert(fc.asyncProperty(rows, filters, check), { seed: 20261122, numRuns: 40 });
});
