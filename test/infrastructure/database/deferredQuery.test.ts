import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, type Sql } from "../../../src/infrastructure/database/connect.ts";
import { createDatabase, type TestDatabase } from "../../support/database.ts";

let database: TestDatabase;
let sql: Sql;
beforeAll(async () => {
  database = await createDatabase();
  sql = connect(database.url, { max: 2 });
  await sql`create table things (id integer primary key, name text)`;
});
afterAll(async () => {
  await sql.end({ timeout: 5 });
  await database.drop();
});

test("queries inside of a query are parts of it, also those that the pool made for a transaction", async () => {
  const conditions = [sql`id > ${1}`, sql`and id < ${3}`];
  const rows = await sql.begin(async (tx) => {
    await tx`insert into things ${tx([1, 2, 3].map((id) => ({ id, name: `n${id}` })))}`;
    return tx`select ${sql("name")} from things where ${conditions}`;
  });
  expect([...rows]).toEqual([{ name: "n2" }]);
});

test("a query runs once, when somebody waits for it, and never if nobody does", async () => {
  sql`insert into things values (10, 'never')`;
  const insert = sql`insert into things values (11, 'once')`;
  await Promise.all([insert, insert]);
  await insert;
  expect([...(await sql`select name from things where id >= 10`)]).toEqual([{ name: "once" }]);
});

test("lists are parameters, and come back as lists", async () => {
  const [row] = await sql`
    select ${["a", 'b"\\,']}::text[] as texts,
           ${[1, 2]}::int[] as integers,
           array[null, 'NULL']::text[] as nulls,
           5 = any(${[]}::int[]) as empty`;
  expect(row).toEqual({ texts: ["a", 'b"\\,'], integers: [1, 2], nulls: [null, "NULL"], empty: false });
});
