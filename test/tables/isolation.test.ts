import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { startServer, type TestServer } from "../support/server.ts";
import { makeTable, rowsPath, send, type TestTable, tablePath, tablesPath } from "../support/tables.ts";

let server: TestServer;
let own: TestTable;
let theirs: TestTable;
beforeAll(async () => {
  server = await startServer();
  own = await makeTable(server, { a: "text" }, { name: "own" });
  theirs = await makeTable(server, { a: "text" }, { name: "theirs", caller: { tenant: 2 } });
  await theirs.insert({ a: "theirs" });
  await server.sql.unsafe(`
    create table tenant_1.trx_loan as select 1::bigint as id, now() as created_at, now() as updated_at, 'x' as a;
    create table public.elsewhere (id bigint, a text);
    create view tenant_1.some_view as select 1 as id, 'x'::text as a;
    create materialized view tenant_1.some_matview as select 1 as id;
    create sequence tenant_1.some_sequence;
    create index some_index on tenant_1.trx_loan (a);
    create type tenant_1.some_enum as enum ('x');
    create type tenant_1.some_composite as (a text);
    create domain tenant_1.some_domain as text;
    create table tenant_1.some_partitioned (id bigint) partition by range (id);
    create function tenant_1.some_function() returns integer language sql as 'select 1';`);
});
afterAll(() => server.stop());

let before: unknown;
beforeEach(async () => {
  before = await everything();
});

/** Everything that nobody may change through the API: relations outside of the registry, and their rows. */
async function everything(): Promise<unknown> {
  const relations = await server.sql`
    select nspname, relname, relkind, relnatts, reltype from pg_class c join pg_namespace n on n.oid = relnamespace
    where (nspname like 'tenant_%' or nspname in ('waybill', 'public')) order by 1, 2`;
  const rows = await server.sql`select * from tenant_1.trx_loan`;
  const tenants = await server.sql`select id, slug from waybill.tenants where id in (1, 2) order by id`;
  return [[...relations], [...rows], [...tenants], await theirs.rows(), await own.rows()];
}

/** Names that have another meaning somewhere, as a URL has them. */
const names = [
  ...["trx_loan", "TRX_LOAN", "Own", "OWN", "own%20", "%20own", "own%0A", "%EF%BD%8Fwn"],
  ...[
    "tenant_1.trx_loan",
    "tenant_1.own",
    "tenant_2.theirs",
    "theirs",
    "%22own%22",
    "%22tenant_2%22.%22theirs%22",
  ],
  ...[
    "own%22.%22trx_loan",
    "own%22;drop%20table%20tenant_1.trx_loan;--",
    "own'%20or%20''='",
    "own%2F..%2Ftrx_loan",
  ],
  ...[
    "pg_class",
    "pg_catalog.pg_class",
    "pg_authid",
    "information_schema.tables",
    "tenants",
    "waybill.tenants",
  ],
  ...[
    "waybill.audit_log",
    "audit_log",
    "_audit",
    "_tables",
    "tenant_1._audit",
    "public.elsewhere",
    "elsewhere",
    "some_view",
    "some_index",
  ],
  ...[
    "some_matview",
    "some_sequence",
    "some_enum",
    "some_partitioned",
    "own_pkey",
    "own_id_seq",
    "__proto__",
  ],
  ...["constructor", "..%2Fown", "*", "own,trx_loan", "a".repeat(64), "a".repeat(5_000), "%F0%9F%91%A9"],
];

test("every operation answers 404 for a name that the registry does not list, in any spelling", async () => {
  const where = { a: "x" };
  for (const name of names)
    for (const [request, body] of [
      [`GET ${tablePath(name)}`, undefined],
      [`GET ${rowsPath(name)}`, undefined],
      [`POST ${rowsPath(name)}`, { rows: [{ a: "intruder" }] }],
      [`PATCH ${rowsPath(name)}`, { where, set: { a: "intruder" } }],
      [`DELETE ${rowsPath(name)}`, { where }],
      [`PATCH ${tablePath(name)}?confirm=true`, { description: "intruder", drop_columns: ["a"] }],
      [`DELETE ${tablePath(name)}?confirm=true`, undefined],
      [`DELETE ${tablePath(name)}?confirm=true&$purge=true`, undefined],
    ] as const) {
      const answer = await send(server, request, { body });
      expect({ request, status: answer.status, code: answer.code }).toEqual({
        request,
        status: 404,
        code: "table_not_found",
      });
    }
  expect(await everything()).toEqual(before);
}, 30_000);

test("a name that is badly encoded or contains U+0000 answers 400", async () => {
  for (const name of ["%", "%zz", "%ff", "%ed%a0%80", "%00", "own%00", "own%00.trx_loan"])
    for (const path of [tablePath(name), rowsPath(name)])
      expect(await send(server, `GET ${path}`)).toMatchObject({ status: 400 });
});

test("a percent-encoded name is the same name", async () => {
  expect(await send(server, `GET ${tablePath("%6f%77n")}`)).toMatchObject({ body: { data: own.record } });
});

test("the name of any relation or type in the schema is refused, and nothing is overwritten", async () => {
  const taken = [
    ...[
      "own",
      "own_pkey",
      "own_id_seq",
      "trx_loan",
      "some_view",
      "some_matview",
      "some_sequence",
      "some_index",
    ],
    ...["some_enum", "some_composite", "some_domain", "some_partitioned"],
  ];
  for (const name of taken) {
    const body = { name, columns: [{ name: "a", type: "text" }] };
    expect(await send(server, `POST ${tablesPath()}`, { body })).toMatchObject({
      status: 400,
      code: "table_name_in_use",
      pointers: ["/name"],
    });
  }
  expect(await everything()).toEqual(before);
  const { body } = await send(server, `GET ${tablesPath()}`);
  expect(body.data.tables).toEqual([own.record]);
});

test("the names of functions and of tables in other schemas are free", async () => {
  for (const name of [
    "some_function",
    "elsewhere",
    "theirs",
    "tenants",
    "audit",
    "tables",
    "pg_class",
    "pg_temp",
  ]) {
    await makeTable(server, { a: "text" }, { name });
    await send(server, `DELETE ${tablePath(name)}?confirm=true&$purge=true`);
  }
  expect(await everything()).toEqual(before);
});

test("no table, index or column of a tenant can take the name of a record", async () => {
  for (const name of ["_audit", "_tables", "_x"]) {
    const body = { name, columns: [{ name: "a", type: "text" }] };
    const answer = await send(server, `POST ${tablesPath()}`, { body });
    expect(answer).toMatchObject({ status: 400, pointers: ["/name"] });
  }
});

test("two tenants' tables of the same name are separate tables", async () => {
  const [one, two] = await Promise.all(
    [3, 4].map((tenant) => makeTable(server, { a: "text" }, { name: "shared", caller: { tenant } })),
  );
  await one?.insert({ a: "of tenant 3" });
  expect(await two?.rows()).toEqual([]);
  expect(await two?.remove({ a: "of tenant 3" })).toBe(0);
  await two?.drop();
  expect(await one?.values()).toEqual([{ a: "of tenant 3" }]);
});

test("an administrator has no access to another tenant, in any spelling of its id", async () => {
  const headers = { authorization: `Bearer ${await server.token({ tenant: 2 })}` };
  for (const tenant of [
    "1",
    "01",
    "%31",
    "1.0",
    "+1",
    "1e0",
    "-1",
    "0",
    "x",
    "2%00",
    "2.1",
    "99999999999999999999",
  ]) {
    const answer = await send(server, `GET ${tablesPath(tenant)}`, { headers });
    expect({ tenant, status: answer.status }).toEqual({ tenant, status: 401 });
  }
  expect(await send(server, `GET ${tablesPath(2)}`, { headers })).toMatchObject({ status: 200 });
});

test("every operation without an administrator's valid token answers the same 401", async () => {
  const operations = [
    ...[`GET ${tablesPath()}`, `POST ${tablesPath()}`, `GET ${tablePath("own")}`],
    ...[`DELETE ${tablePath("own")}?confirm=true`, `GET ${rowsPath("own")}`, `POST ${rowsPath("own")}`],
    ...[`PATCH ${rowsPath("own")}`, `DELETE ${rowsPath("own")}`, `GET ${rowsPath("nowhere")}`],
  ];
  const tokens = await Promise.all([
    server.token({ roles: ["member"] }),
    server.token({ roles: ["engine"] }),
    server.token({ roles: [] }),
    server.token({ roles: ["ADMIN_SOP"] }),
    server.token({ ttlSeconds: -10 }),
    server.token({ tenant: 2 }),
  ]);
  const [member = ""] = tokens;
  const schemes = [
    ...tokens.map((token) => `Bearer ${token}`),
    "",
    "Bearer",
    "Bearer x.y.z",
    `Basic ${member}`,
  ];
  for (const operation of operations)
    for (const authorization of schemes) {
      const answer = await send(server, operation, { headers: { authorization } });
      expect(answer).toMatchObject({ status: 401, code: "unauthenticated" });
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      const { request_id: _, ...body } = answer.body;
      expect(body).toEqual({
        success: false,
        message: "A valid access token of an authorised user is needed.",
        type: "/problems/unauthenticated",
        title: "Not authenticated",
        status: 401,
        code: "unauthenticated",
      });
    }
  expect(await everything()).toEqual(before);
});

test("a table that the platform creates under a dropped table's name does not belong to the tenant", async () => {
  const table = await makeTable(server, { a: "text" });
  for (let use = 0; use < 5; use++) await table.rows();
  await table.drop();
  await server.sql.unsafe(`create table tenant_1.${table.name} as select * from tenant_1.trx_loan`);
  for (const request of [`GET ${tablePath(table.name)}`, `GET ${table.path}`])
    expect(await send(server, request)).toMatchObject({ status: 404 });
  const body = { rows: [{ a: "intruder" }] };
  expect(await send(server, `POST ${table.path}`, { body })).toMatchObject({ status: 404 });
  expect(await send(server, `DELETE ${tablePath(table.name)}?confirm=true`)).toMatchObject({ status: 404 });
  const [seen] = await server.sql.unsafe(`select count(*)::int as rows from tenant_1.${table.name}`);
  expect(seen?.rows).toBe(1);
});
