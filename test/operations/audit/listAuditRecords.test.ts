import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import type { AuditRecord } from "../../../sdk/src/generated/index.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { makeTable, refusal, send } from "../../support/tables.ts";

setDefaultTimeout(60_000);
const path = (tenant: number | string) => `/api/v1/report/${tenant}/schema/audit`;
const target = { tenantId: 1 };
let server: TestServer;
let records: AuditRecord[];
beforeAll(async () => {
  server = await startServer({ workers: false });
  const table = await makeTable(server, { a: "text" }, { name: "loans" });
  await table.insert({ a: "x" }, { a: "y" });
  const bob = await server.tables({ user: "bob" });
  await refusal(bob.insertRows({ ...target, table: "loans", newRows: { rows: [{ b: 1 }] } }));
  await refusal(bob.dropTable({ ...target, table: "nowhere", confirm: true }));
  await (await server.integration()).putAddon({
    xActiveTenant: "tenant-1",
    key: "score",
    newAddon: { url: "https://score.example/" },
  });
  await makeTable(server, { a: "text" }, { name: "theirs", caller: { tenant: 2 } });
  // Records of one moment, and of moments in another order than the ids.
  await server.sql`
    insert into tenant_1._audit (at, actor, action, statement, outcome, request_id)
    select '2020-01-01T00:00:00.123456Z'::timestamptz + (n % 3) * interval '1 microsecond', 'old', 'insert', 's',
           'success', gen_random_uuid()
    from generate_series(1, 20) n`;
  records = (await api()).data.records;
});
afterAll(() => server.stop());

type Wanted = Omit<Parameters<Awaited<ReturnType<TestServer["audit"]>>["listAuditRecords"]>[0], "tenantId">;
const api = async (wanted: Wanted = {}) =>
  (await server.audit()).listAuditRecords({ ...target, limit: 500, ...wanted });
const list = async (wanted: Wanted) => (await api(wanted)).data.records;

test("the newest record comes first, and each says who did what and how it ended", () => {
  expect(records).toHaveLength(25);
  expect(records.slice(0, 5)).toMatchObject([
    { actor: "alice", action: "put_addon", table_name: null, outcome: "success" },
    {
      actor: "bob",
      action: "drop_table",
      table_name: "nowhere",
      outcome: "failure",
      error: 'table_not_found: Table "nowhere" does not exist.',
      affected_rows: null,
    },
    { actor: "bob", action: "insert", table_name: "loans", outcome: "failure" },
    {
      actor: "alice",
      action: "insert",
      statement: 'insert into "tenant_1"."loans" ("a")',
      affected_rows: 2,
      outcome: "success",
      error: null,
    },
    { actor: "alice", action: "create_table", table_name: "loans", affected_rows: null },
  ]);
  const times = records.map(({ at }) => String(at));
  expect(times).toEqual(times.toSorted().reverse());
});

test("a failed attempt says what failed", async () => {
  const [failed] = await list({ table: "loans", outcome: "failure" });
  expect(failed?.error).toStartWith("unknown_column: ");
});

test("filters are combined, and their values are never SQL", async () => {
  expect(await list({ table: "loans" })).toHaveLength(3);
  expect(await list({ table: "loans", actor: "bob" })).toHaveLength(1);
  expect(await list({ action: "insert", outcome: "success", actor: "alice" })).toHaveLength(1);
  expect(await list({ outcome: "failure" })).toHaveLength(2);
  for (const text of ["' or true --", "$1", "", "%", "loans'"])
    expect(await list({ table: text })).toEqual([]);
  const from = "2020-01-01T00:00:00Z";
  expect(await list({ from, to: "2020-01-02T00:00:00Z" })).toHaveLength(20);
  const [first] = (await send(server, `GET ${path(1)}?to=2020-01-01T01:00:00.123457%2B01:00&limit=500`)).body
    .data.records;
  expect(first.at).toBe("2020-01-01T00:00:00.123456Z");
});

test("pages of any size have every record once, also while new ones arrive", async () => {
  for (const limit of [1, 3, 7, 24, 25, 500]) {
    const seen: string[] = [];
    for (let after: string | undefined, page = 0; page === 0 || after !== undefined; page++) {
      const { data } = await api({ limit, ...(after === undefined ? {} : { $after: after }) });
      seen.push(...data.records.map(({ id }) => id));
      after = data.next;
      if (page === 1)
        await server.sql`
          insert into tenant_1._audit (actor, action, statement, outcome, request_id)
          values ('new', 'insert', 's', 'success', gen_random_uuid())`;
    }
    expect(seen.slice(-25)).toEqual(records.map(({ id }) => id));
    await server.sql`delete from tenant_1._audit where actor = 'new'`;
  }
});

test("a cursor works only with the filters that it was made for", async () => {
  const { data } = await api({ limit: 1, actor: "bob" });
  expect(await list({ actor: "bob", $after: data.next ?? "" })).toHaveLength(1);
  for (const wanted of [{}, { actor: "alice" }, { actor: "bob", table: "loans" }])
    expect(await refusal(list({ ...wanted, $after: data.next ?? "" }))).toMatchObject({
      status: 400,
      code: "invalid_parameter",
      pointers: ["/query/$after"],
    });
});

test("whatever else is sent as a cursor answers 400", async () => {
  const forged = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString("base64url");
  const { data } = await api({ limit: 1 });
  const [at, id, digest] = JSON.parse(Buffer.from(data.next ?? "", "base64url").toString());
  const cursors = [
    ...["", "x", "W10", forged(1), forged(null), forged([at, id]), forged([at, id, "x"])],
    ...["2026-02-30T00:00:00.000000Z", "0000-01-01T00:00:00.000000Z", "infinity", "", 1].map((moment) =>
      forged([moment, id, digest]),
    ),
    ...["x", "9".repeat(30), "1.5", ""].map((number) => forged([at, number, digest])),
  ];
  for (const cursor of cursors)
    expect(await send(server, `GET ${path(1)}?$after=${cursor}`)).toMatchObject({ status: 400 });
  await fc.assert(
    fc.asyncProperty(fc.string({ maxLength: 150 }), async (text) => {
      const cursor = encodeURIComponent(Buffer.from(text).toString("base64url"));
      expect([400, 200]).toContain((await send(server, `GET ${path(1)}?$after=${cursor}`)).status);
    }),
    { numRuns: 30 },
  );
});

test("moments that do not exist and texts with U+0000 answer 400", async () => {
  for (const moment of [
    "yesterday",
    "2026-02-30T00:00:00Z",
    "2026-06-30T23:59:60Z",
    "2026-01-01",
    "infinity",
  ])
    for (const name of ["from", "to"])
      expect(await send(server, `GET ${path(1)}?${name}=${moment}`)).toMatchObject({
        status: 400,
        pointers: [`/query/${name}`],
      });
  for (const name of ["table", "actor", "action"])
    expect(await send(server, `GET ${path(1)}?${name}=%00`)).toMatchObject({ status: 400 });
});

const file = (accept: string, query = "") => server.request(`${path(1)}${query}`, { headers: { accept } });

test("lines of JSON have every record that matches, as the list has them", async () => {
  const answer = await file("application/x-ndjson");
  expect(answer.headers.get("content-type")).toBe("application/x-ndjson");
  expect(answer.headers.get("content-disposition")).toBe('attachment; filename="audit.ndjson"');
  const lines = (await answer.text()).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual(JSON.parse(JSON.stringify(records)));
  const some = await (await file("application/x-ndjson", "?actor=bob")).text();
  expect(some.trimEnd().split("\n")).toHaveLength(2);
  expect(await (await file("application/x-ndjson", "?actor=nobody")).text()).toBe("");
});

test("CSV follows RFC 4180, and $safe keeps a spreadsheet from running a cell", async () => {
  const header = "id,at,actor,action,table_name,statement,affected_rows,outcome,error,request_id\r\n";
  expect(await (await file("text/csv", "?actor=nobody")).text()).toBe(header);
  const formula = '=HYPERLINK("http://a.example"),\n';
  await server.sql`
    insert into tenant_1._audit (at, actor, action, table_name, statement, outcome, error, request_id)
    values ('2026-01-01T00:00:00Z', ${formula}, 'insert', '', '+1', 'failure', null,
            '01991348-9f6e-7bb2-8f3a-2f4f1d0a7b11')`;
  const query = `?actor=${encodeURIComponent(formula)}`;
  const quoted = '"=HYPERLINK(""http://a.example""),\n"';
  const rest = "failure,,01991348-9f6e-7bb2-8f3a-2f4f1d0a7b11\r\n";
  const lineWith = (actor: string, statement: string) =>
    `2026-01-01T00:00:00.000000Z,${actor},insert,"",${statement},,${rest}`;
  expect(await (await file("text/csv", query)).text()).toEndWith(lineWith(quoted, "+1"));
  const safe = await (await file("text/csv", `${query}&$safe=true`)).text();
  expect(safe).toEndWith(lineWith(quoted.replace("=", "'="), "'+1"));
  await server.sql`delete from tenant_1._audit where actor = ${formula}`;
});

test("a file of many pages has every record once, and places are free again after readers that left", async () => {
  await server.sql`
    insert into tenant_1._audit (actor, action, statement, outcome, request_id)
    select 'many', 'insert', repeat('x', 1000), 'success', gen_random_uuid() from generate_series(1, 1111) n`;
  for (let reader = 0; reader < 12; reader++) {
    const answer = await file("text/csv", "?actor=many");
    await answer.body?.cancel();
  }
  const lines = (await (await file("text/csv", "?actor=many")).text()).trimEnd().split("\r\n");
  expect(new Set(lines).size).toBe(1_112);
  await server.sql`delete from tenant_1._audit where actor = 'many'`;
});

test("a file has no pages", async () => {
  for (const query of ["limit=1", "$after=W10"])
    for (const accept of ["text/csv", "application/x-ndjson"])
      expect(await send(server, `GET ${path(1)}?${query}`, { headers: { accept } })).toMatchObject({
        status: 400,
        pointers: [`/query/${query.split("=")[0]}`],
      });
});

test("only administrators of the tenant can read it, and reading leaves no record", async () => {
  const claims = [{ roles: ["member"] }, { roles: ["engine"] }, { tenant: 2 }];
  for (const claim of claims) {
    const headers = { authorization: `Bearer ${await server.token(claim)}` };
    for (const at of [path(1), `${path(1)}/checkpoints`])
      expect(await send(server, `GET ${at}`, { headers })).toMatchObject({ status: 401 });
  }
  const theirs = await (await server.audit({ tenant: 2 })).listAuditRecords({ tenantId: 2 });
  expect(theirs.data.records.map(({ table_name }) => table_name)).toEqual(["theirs"]);
  expect(await list({})).toHaveLength(25);
});
