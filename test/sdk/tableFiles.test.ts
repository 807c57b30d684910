import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTableFiles, ProblemError, type TableFiles } from "../../sdk/src/index.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { makeTable } from "../support/tables.ts";

let server: TestServer;
let files: TableFiles;
beforeAll(async () => {
  server = await startServer();
  files = createTableFiles({ baseUrl: server.url, token: () => server.token(), tenant: { id: 1 } });
});
afterAll(() => server.stop());

const columns = { s: "text", n: "integer" } as const;

test("importRows sends a file and shows the progress", async () => {
  const table = await makeTable(server, columns);
  const lines = Array.from({ length: 20_000 }, (_, n) => `${"x".repeat(50)},${n}`);
  const file = new Blob([`s,n\n${lines.join("\n")}`]);
  const seen: number[] = [];
  expect(await files.importRows(table.name, file, { onProgress: (fraction) => seen.push(fraction) })).toBe(
    20_000,
  );
  expect(seen.length).toBeGreaterThan(1);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  expect(seen.at(-1)).toBe(1);
});

test("importRows knows dry runs, decimal commas, columns to skip and lines of JSON", async () => {
  const table = await makeTable(server, { p: "numeric" });
  expect(
    await files.importRows(table.name, "p;q\n1,5;x", { decimalComma: true, skip: ["q"], dryRun: true }),
  ).toBe(1);
  expect(await table.values()).toEqual([]);
  expect(await files.importRows(table.name, "p;q\n1,5;x", { decimalComma: true, skip: ["q"] })).toBe(1);
  expect(await files.importRows(table.name, '{"p":"2"}\n', { format: "ndjson" })).toBe(1);
  expect(await table.values()).toEqual([{ p: "1.5" }, { p: "2" }]);
});

test("importRows throws the faults with line, column and value", async () => {
  const table = await makeTable(server, columns);
  const error = await files.importRows(table.name, "s,n\na,1\nb,x").catch((error) => error);
  expect(error).toBeInstanceOf(ProblemError);
  expect(error.errors).toMatchObject([{ line: 3, column: "n", value: "x" }]);
});

test("exportFile streams a file that importRows takes", async () => {
  const [from, to] = [await makeTable(server, columns), await makeTable(server, columns)];
  await from.insert({ s: "=1+1", n: 1 }, { s: "b", n: 2 });
  const text = await new Response(
    await files.exportFile(from.name, { filters: { n: "1" }, safe: true }),
  ).text();
  expect(text).toEndWith(",'=1+1,1\r\n");
  const whole = await new Response(await files.exportFile(from.name)).blob();
  expect(await files.importRows(to.name, whole, { skip: ["id", "created_at", "updated_at"] })).toBe(2);
  expect(await to.values()).toEqual(await from.values());
});

test("exportRows yields every row, and ends the request when nobody wants the rest", async () => {
  const table = await makeTable(server, columns);
  await files.importRows(table.name, `n\n${Array.from({ length: 30_000 }, (_, n) => n).join("\n")}`);
  let next = 0;
  for await (const row of files.exportRows(table.name)) expect(row.n).toBe(next++);
  expect(next).toBe(30_000);
  for await (const row of files.exportRows(table.name, { filters: { $filter: "n ge 10" } })) {
    expect(row.n).toBe(10);
    break;
  }
});

test("a table that does not exist is a ProblemError", async () => {
  await expect(files.exportFile("nothing")).rejects.toMatchObject({ code: "table_not_found" });
  await expect(files.importRows("nothing", "a\n1")).rejects.toMatchObject({ code: "table_not_found" });
});
