/** What a plan says is what happens: random changes of random tables are planned, made, and compared. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import type { TableRecord } from "../../../sdk/src/generated/index.ts";
import { columnTypes } from "../../../src/tables/columnTypes/index.ts";
import { definitionOf } from "../../support/alterations.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { freshName, send, tablePath, tablesPath } from "../../support/tables.ts";

setDefaultTimeout(300_000);

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  await send(server, `POST ${tablesPath()}`, {
    body: { name: "others", columns: [{ name: "a", type: "text" }] },
  });
  await send(server, `POST ${tablePath("others")}/rows`, { body: { rows: [{ a: "1" }, { a: "2" }] } });
});
afterAll(() => server.stop());

const types = ["text", "integer", "bigint", "numeric", "boolean", "date", "timestamp", "jsonb"] as const;
/** Values of each type, few enough to meet each other. */
const valuesOf: Readonly<Record<(typeof types)[number], readonly unknown[]>> = {
  text: ["x", "y", "now()", "'"],
  integer: [1, 2, 3],
  bigint: ["1", "2", "3"],
  numeric: ["1", "1.0", "2.50"],
  boolean: [true, false],
  date: ["2026-01-02", "2026-01-03", "now()"],
  timestamp: ["2026-01-02T03:04:05Z", "now()"],
  jsonb: [{ a: 1 }, [1.5], "x"],
};
const isStorable = (value: unknown, type: (typeof types)[number]) => columnTypes[type].accepts(value);

const type = fc.constantFrom(...types);
const name = fc.constantFrom("a", "b", "c", "d");
/** Mostly free. */
const newName = fc.constantFrom("a", "e", "f", "g", "h", "i");
const anyDefault = type.chain((of) => fc.constantFrom(...valuesOf[of]));
const reference = fc.record({
  table: fc.constantFrom("others", "others", "others", "nowhere"),
  on_delete: fc.constantFrom("restrict", "cascade", "set_null"),
});
const definitionOfA = (names: fc.Arbitrary<string>) =>
  type.chain((of) =>
    fc.record(
      {
        name: names,
        type: fc.constant(of),
        nullable: fc.boolean(),
        default: fc.constantFrom(...valuesOf[of]),
        unique: fc.boolean(),
      },
      { requiredKeys: ["name", "type"] },
    ),
  );
const columnsOf = fc.uniqueArray(name, { minLength: 1, maxLength: 2 });
const columnChange = fc.oneof(
  fc.record({ name, type: fc.constantFrom("text", "text", "bigint", "numeric") }),
  fc.record({ name, nullable: fc.boolean() }),
  fc.record({ name, default: fc.oneof(anyDefault, fc.constant(null)) }),
  fc.record({ name, unique: fc.boolean() }),
  fc.record({ name, references: fc.oneof(reference, fc.constant(null)) }),
  fc.record({
    name,
    type: fc.constant("text"),
    nullable: fc.boolean(),
    unique: fc.boolean(),
    default: fc.constant("x"),
  }),
);
const one = { minLength: 1, maxLength: 1 } as const;
/** Each kind of change alone, and sometimes two of them together. */
const kinds = [
  fc.record({ description: fc.constantFrom("", "other") }),
  fc.record({ drop_columns: fc.uniqueArray(name, { minLength: 1, maxLength: 2 }) }),
  fc.record({ rename_columns: fc.array(fc.record({ from: name, to: newName }), one) }),
  fc.constant({
    rename_columns: [
      { from: "a", to: "b" },
      { from: "b", to: "a" },
    ],
  }),
  fc.record({ alter_columns: fc.array(columnChange, one) }),
  fc.record({
    alter_columns: fc.uniqueArray(columnChange, { ...one, maxLength: 2, selector: ({ name }) => name }),
  }),
  fc.record({
    add_columns: fc.uniqueArray(definitionOfA(newName), {
      ...one,
      maxLength: 2,
      selector: ({ name }) => name,
    }),
  }),
  fc.record({ restore_columns: fc.array(fc.record({ name, as: newName }, { requiredKeys: ["name"] }), one) }),
  fc.record({ drop_indexes: fc.array(fc.record({ columns: columnsOf }), one) }),
  fc.record({ add_indexes: fc.array(fc.record({ columns: columnsOf, unique: fc.boolean() }), one) }),
] as const;
const kind = fc.oneof(...kinds);
const alteration = fc.oneof(
  kind,
  fc.tuple(kind, kind).map(([a, b]): object => ({ ...a, ...b })),
);
const rowSeeds = fc.array(fc.array(fc.nat(5), { minLength: 5, maxLength: 5 }), { maxLength: 4 });

/** A row for the columns as they are now. Some of its values are null, and others appear twice. */
function rowFor({ columns }: TableRecord, seeds: readonly number[]): Record<string, unknown> {
  const values = columns.map(({ name, type, nullable }, at) => {
    const fitting = valuesOf[type].filter((value) => isStorable(value, type));
    const seed = seeds[at % seeds.length] ?? 0;
    return [name, seed === 5 && nullable ? null : fitting[seed % fitting.length]] as const;
  });
  return Object.fromEntries(values);
}

const fileOf = async (table: string) =>
  (await server.sql`select pg_relation_filenode(${`tenant_1."${table}"`}::regclass) as file`)[0]
    ?.file as number;

const withoutTimes = (text: string) => JSON.parse(text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "some time"));

/** The columns as PostgreSQL has them, in the words of the registry. */
async function columnsInDatabase(table: string) {
  const rows = await server.sql<{ name: string; type: string; nullable: boolean; has_default: boolean }[]>`
    select attname as name, format_type(atttypid, -1) as type, not attnotnull as nullable, atthasdef as has_default
    from pg_attribute
    where attrelid = ${`tenant_1."${table}"`}::regclass
      and attnum > 3
      and not attisdropped
      and attname !~ '^_'`;
  return [...rows].sort((a, b) => a.name.localeCompare(b.name));
}

async function indexesInDatabase(table: string) {
  const rows = await server.sql<{ columns: string[]; unique: boolean }[]>`
    select x.indisunique as unique,
           (select json_agg(a.attname order by k.at)
            from unnest(x.indkey::int2[]) with ordinality k(attnum, at)
            join pg_attribute a on a.attrelid = x.indrelid and a.attnum = k.attnum) as columns
    from pg_index x
    where x.indrelid = ${`tenant_1."${table}"`}::regclass and not x.indisprimary`;
  return rows.map(({ columns, unique }) => `${columns} ${unique}`).sort();
}

async function requireAgreement(table: string, record: TableRecord): Promise<void> {
  const expected = record.columns.map(({ name, type, nullable, ...more }) => ({
    name,
    type: type === "timestamp" ? "timestamp with time zone" : type,
    nullable,
    has_default: "default" in more,
  }));
  expect(await columnsInDatabase(table)).toEqual(expected.sort((a, b) => a.name.localeCompare(b.name)));
  const indexes = record.indexes?.map(({ columns, unique }) => `${columns} ${unique}`) ?? [];
  expect(await indexesInDatabase(table)).toEqual(indexes.sort());
}

const outcomes = new Map<number, number>();

async function planAndMake(table: string, body: unknown): Promise<void> {
  const path = tablePath(table);
  const planned = await send(server, `PATCH ${path}?$dry_run=true&confirm=true`, { body });
  const before = await fileOf(table);
  const made = await send(server, `PATCH ${path}?confirm=true`, { body });
  outcomes.set(made.status, (outcomes.get(made.status) ?? 0) + 1);
  if (planned.status !== 200) {
    expect([made.status, made.code, made.pointers]).toEqual([400, planned.code, planned.pointers]);
    return;
  }
  const { plan, table: preview } = planned.body.data;
  if (plan.failures.length > 0) {
    expect([made.status, made.code]).toEqual([409, "change_impossible"]);
    expect(made.body.failures).toEqual(plan.failures);
    return;
  }
  expect([made.status, made.text]).toEqual([200, expect.any(String)]);
  const { updated_at: _, ...expected } = withoutTimes(JSON.stringify(preview));
  expect(withoutTimes(made.text).data.table).toMatchObject(expected);
  expect(withoutTimes(made.text).data.plan).toEqual(withoutTimes(planned.text).data.plan);
  expect((await fileOf(table)) !== before).toBe(plan.rewrites_table);
}

test("random changes do what their plan says, and the registry and PostgreSQL agree", async () => {
  const columns = fc.tuple(...["a", "b", "c", "d"].map((given) => definitionOfA(fc.constant(given))));
  const changes = fc.array(fc.tuple(alteration, rowSeeds), { minLength: 2, maxLength: 5 });
  const check = async (given: readonly object[], steps: readonly (readonly [object, number[][]])[]) => {
    const name = freshName();
    const created = await send(server, `POST ${tablesPath()}`, { body: { name, columns: given } });
    expect([created.status, created.text]).toEqual([201, expect.any(String)]);
    for (const [body, rows] of steps) {
      const now = await definitionOf(server, name);
      for (const seeds of rows)
        await send(server, `POST ${tablePath(name)}/rows`, { body: { rows: [rowFor(now, seeds)] } });
      await planAndMake(name, JSON.parse(JSON.stringify(body)));
      await requireAgreement(name, await definitionOf(server, name));
    }
    expect(await send(server, `GET ${tablePath(name)}/rows`)).toMatchObject({ status: 200 });
  };
  await fc.assert(fc.asyncProperty(columns, changes, check), { seed: 20261122, numRuns: 40 });
  // Otherwise the test says little.
  expect([...outcomes.keys()].sort()).toEqual([200, 400, 409]);
});
