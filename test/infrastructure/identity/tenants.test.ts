/** A tenant is created once, on first use, and shares nothing with another tenant. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { expectProblem } from "../../support/problem.ts";
import { startServer, type TestServer } from "../../support/server.ts";

const secret = "a secret of at least thirty-two characters";
let server: TestServer;
let other: TestServer;

beforeAll(async () => {
  server = await startServer({ secret });
  other = await startServer({ secret, database: server.database });
});
afterAll(async () => {
  await other.stop();
  await server.stop();
});

const ask = async (tenant: number, slug: string, from = server) => {
  const authorization = `Bearer ${await server.token({ tenant, slug })}`;
  return fetch(`${from.url}/api/v1/report/${tenant}/schema/tables`, { headers: { authorization } });
};
const slugs = async (id: number) =>
  (await server.sql`select slug from waybill.tenants where id = ${id}`).map(({ slug }) => slug as string);
const hasSchema = async (id: number) => {
  const [row] = await server.sql`select to_regnamespace(${`tenant_${id}`}) is not null as there`;
  return row?.there as boolean;
};

test("the first request of a tenant creates its row and its schema", async () => {
  expect(await hasSchema(11)).toBe(false);
  expect((await ask(11, "bank-eleven")).status).toBe(200);
  expect(await slugs(11)).toEqual(["bank-eleven"]);
  expect(await hasSchema(11)).toBe(true);
});

test("a schema that the platform created before is used with its content", async () => {
  await server.sql`create schema tenant_12`;
  await server.sql`create table tenant_12.trx_loan (id bigint)`;
  expect((await ask(12, "bank-twelve")).status).toBe(200);
  expect(await server.sql`select * from tenant_12.trx_loan`).toHaveLength(0);
});

test("many simultaneous first requests to two servers create one tenant", async () => {
  const answers = Array.from({ length: 20 }, (_, index) => ask(13, "bank-13", index % 2 ? server : other));
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(await slugs(13)).toEqual(["bank-13"]);
});

test("a refused token creates nothing", async () => {
  const authorization = `Bearer ${await server.token({ tenant: 14, roles: ["member"] })}`;
  await fetch(`${server.url}/api/v1/report/14/schema/tables`, { headers: { authorization } });
  expect(await slugs(14)).toEqual([]);
  expect(await hasSchema(14)).toBe(false);
});

test("an id with another slug, and a slug with another id, get 401 and change nothing", async () => {
  expect((await ask(15, "bank-15")).status).toBe(200);
  await expectProblem(await ask(15, "bank-15b"), "unauthenticated");
  await expectProblem(await ask(16, "bank-15"), "unauthenticated");
  await expectProblem(await ask(15, "BANK-15", other), "unauthenticated");
  expect(await slugs(15)).toEqual(["bank-15"]);
  expect(await slugs(16)).toEqual([]);
  expect(await hasSchema(16)).toBe(false);
  expect((await ask(15, "bank-15")).status).toBe(200);
});

test("of two tenants that claim one slug at the same time, one gets it and the other is refused", async () => {
  const answers = await Promise.all([ask(17, "bank-17"), ask(18, "bank-17", other)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
  expect([...(await slugs(17)), ...(await slugs(18))]).toEqual(["bank-17"]);
});

test.each([
  [21, `Robert'); drop schema waybill cascade; --`],
  [22, '"; select 1'],
  [23, "bank 23 \n\t é 銀行 🏦"],
  [24, "<script>alert(1)</script>"],
  [25, "a".repeat(255)],
  [26, "%s%n\\"],
])("a slug is data, whatever it contains: tenant %i", async (id, slug) => {
  expect((await ask(id, slug)).status).toBe(200);
  expect((await ask(id, slug, other)).status).toBe(200);
  expect(await slugs(id)).toEqual([slug]);
});

test("a slug that is too long or not storable gets 401", async () => {
  for (const slug of ["a".repeat(256), "a\0b"]) await expectProblem(await ask(31, slug), "unauthenticated");
  expect(await slugs(31)).toEqual([]);
});

test("tables with one name in two tenants are two tables", async () => {
  const columns = [{ name: "full_name", type: "text" as const }];
  for (const tenant of [41, 42]) {
    const api = await server.tables({ tenant });
    await api.createTable({ tenantId: tenant, newTable: { name: "customers", columns } });
  }
  const rows = [{ full_name: "Siti" }];
  await (await server.tables({ tenant: 41 })).insertRows({
    tenantId: 41,
    table: "customers",
    newRows: { rows },
  });
  const { data } = await (await server.tables({ tenant: 42 })).listRows({ tenantId: 42, table: "customers" });
  expect(data.total).toBe(0);
});
