import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { startServer, type TestServer } from "../support/server.ts";
import { freshName, makeTable, send, tablePath, tablesPath } from "../support/tables.ts";

setDefaultTimeout(30_000);

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const settings = { seed: 20260904, numRuns: 20 };
const rule = /^[a-z][a-z0-9_]*$/;
const builtIn = ["id", "created_at", "updated_at", "ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"];
const names = fc.stringMatching(/^[a-z][a-z0-9_]{0,62}$/).filter((name) => !builtIn.includes(name));

const create = (name: string, ...columns: string[]) => {
  const definitions = columns.map((column) => ({ name: column, type: "text" }));
  return send(server, `POST ${tablesPath()}`, { body: { name, columns: definitions } });
};

test("every valid name works for a table and for a column, without collisions", async () => {
  const check = async (name: string, columns: string[]) => {
    const table = await makeTable(server, Object.fromEntries(columns.map((column) => [column, "text"])), {
      name,
    });
    const row = Object.fromEntries(columns.map((column) => [column, `of ${column}`]));
    await table.insert(row);
    expect(await table.values(columns.includes("page") || columns.includes("limit") ? {} : row)).toEqual([
      row,
    ]);
    expect(await table.update(row, row)).toBe(1);
    expect(await table.remove(row)).toBe(1);
    await table.drop();
  };
  const columns = fc.uniqueArray(names, { minLength: 1, maxLength: 5 });
  await fc.assert(fc.asyncProperty(names, columns, check), settings);
});

const relations = () => server.sql`
  select relname
  from pg_class c
  join pg_namespace n on n.oid = relnamespace
  where nspname = 'tenant_1'
  order by 1`;

test("every other text is refused as the name of a table or column, and nothing is created", async () => {
  const edges = [
    "",
    "A",
    "1a",
    "_a",
    "a-b",
    "a b",
    "a.b",
    'a"b',
    "a'b",
    "a\n",
    "\na",
    "é",
    "aé",
    "a$",
    "ａ",
    "ı",
  ];
  const texts = fc.oneof(
    fc.constantFrom(...edges),
    fc.string(),
    fc.string({ unit: "grapheme" }),
    fc.string({ unit: "binary" }),
  );
  const check = async (text: string) => {
    const answer = await create(text, text);
    expect(answer).toMatchObject({
      status: 400,
      code: "invalid_body",
      pointers: ["/name", "/columns/0/name"],
    });
  };
  const others = texts.filter((text) => !rule.test(text) && !text.includes("\0"));
  const before = await relations();
  await fc.assert(fc.asyncProperty(others, check), { ...settings, numRuns: 40 });
  expect(await relations()).toEqual(before);
});

test("a name has at most 63 characters", async () => {
  const [longest, longer] = ["a".repeat(63), "a".repeat(64)];
  expect(await create(longer, "ok")).toMatchObject({ status: 400, pointers: ["/name"] });
  expect(await create(freshName(), longer)).toMatchObject({ status: 400, pointers: ["/columns/0/name"] });
  expect(await create(longest, longest)).toMatchObject({ status: 201 });
  for (const path of [tablePath(longer), `${tablePath(longer)}/rows`])
    expect(await send(server, `GET ${path}`)).toMatchObject({ status: 404 });
  const body = { rows: [{ [longer]: "x" }] };
  expect(await send(server, `POST ${tablePath(longest)}/rows`, { body })).toMatchObject({
    code: "unknown_column",
  });
});

test("names that differ only in their 63rd character are different tables and columns", async () => {
  const stem = "b".repeat(62);
  const columns = { [`${stem}0`]: "text", [`${stem}1`]: "text" } as const;
  const tables = [];
  for (const end of ["x", "y", "z"]) tables.push(await makeTable(server, columns, { name: stem + end }));
  for (const [n, table] of tables.entries())
    await table.insert({ [`${stem}0`]: `${n}`, [`${stem}1`]: "same" });
  for (const [n, table] of tables.entries())
    expect(await table.values()).toEqual([{ [`${stem}0`]: `${n}`, [`${stem}1`]: "same" }]);
});

test("every keyword of SQL can be a column's name", async () => {
  const words = await keywords("true");
  const columns = Object.fromEntries(words.map((word) => [word, "text" as const]));
  const table = await makeTable(server, columns);
  const row = Object.fromEntries(words.map((word) => [word, word]));
  await table.insert(row);
  const { limit: _, ...filters } = row;
  expect(await table.values(filters)).toEqual([row]);
  expect(await table.update(row, { select: "changed" })).toBe(1);
  expect(await table.remove({ ...row, select: "changed" })).toBe(1);
});

test("every reserved word can be a table's name", async () => {
  for (const word of await keywords("catcode = 'R'")) {
    const table = await makeTable(server, { user: "text" }, { name: word });
    await table.insert({ user: word });
    expect(await table.values()).toEqual([{ user: word }]);
    expect((await table.drop()).table_name).toBe(word);
  }
});

async function keywords(condition: string): Promise<string[]> {
  const rows = await server.sql.unsafe(`select word from pg_get_keywords() where ${condition} order by word`);
  return rows.map(({ word }) => word).filter((word) => rule.test(word));
}
