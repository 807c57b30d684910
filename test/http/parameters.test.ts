/** Path and query: everything that breaks the contract is refused with its pointer. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { expectProblem } from "../support/problem.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
const tables = "/api/v1/report/1/schema/tables";

beforeAll(async () => {
  server = await startServer();
  const body = JSON.stringify({ name: "customers", columns: [{ name: "full_name", type: "text" }] });
  await server.request(tables, { method: "POST", body });
});
afterAll(() => server.stop());

const refused = async (path: string) => {
  const { errors } = await expectProblem(await server.request(path), "invalid_parameter");
  return errors?.map(({ pointer }) => pointer);
};

test("an unknown parameter is answered 400", async () => {
  expect(await refused(`${tables}?page=1&x=2`)).toEqual(["/query/page", "/query/x"]);
  expect(await refused(`${tables}/customers?`.concat("verbose"))).toEqual(["/query/verbose"]);
  expect(await refused(`${tables}/customers/rows?$sort=id`)).toEqual(["/query/$sort"]);
});

test("a parameter that appears twice is answered 400, with equal values or not", async () => {
  for (const query of ["page=1&page=1", "page=1&page=2", "page=1&p%61ge=1", "full_name=a&full_name=b"])
    expect(await refused(`${tables}/customers/rows?${query}`)).toHaveLength(1);
});

test("broken percent-encoding is answered 400", async () => {
  for (const query of ["full_name=%zz", "full_name=%", "%ff=1", "full_name=%c3", "full_name=%ed%a0%80"])
    await refused(`${tables}/customers/rows?${query}`);
  expect(await refused(`${tables}/%zz`)).toEqual(["/path/table"]);
  expect(await refused(`${tables}/%ff`)).toEqual(["/path/table"]);
});

test("U+0000 in a path is answered 400", async () => {
  expect(await refused(`${tables}/cust%00omers`)).toEqual(["/path/table"]);
});

test("only the canonical spelling of a number or boolean is accepted", async () => {
  const pages = ["01", "1.0", "%201", "1e0", "0x1", "+1", "", "one", "9007199254740993", "1,2"];
  for (const page of pages)
    expect(await refused(`${tables}/customers/rows?page=${page}`)).toEqual(["/query/page"]);
  for (const total of ["1", "TRUE", "yes", ""])
    expect(await refused(`${tables}/customers/rows?$total=${total}`)).toEqual(["/query/$total"]);
});

test("numbers outside of their range are answered 400", async () => {
  for (const limit of ["0", "-1", "501", "99999999999999999999"])
    expect(await refused(`${tables}/customers/rows?limit=${limit}`)).toEqual(["/query/limit"]);
});

test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
  "a filter called %s is refused as an unknown column",
  async (name) => {
    const response = await server.request(`${tables}/customers/rows?${name}=1`);
    await expectProblem(response, "unknown_column");
  },
);

test("an encoded slash or dot stays part of the name", async () => {
  for (const name of ["a%2Fb", "%2e%2e", "waybill.tenants", "..%2f..%2fhealthz"]) {
    const response = await server.request(`${tables}/${name}`);
    expect([404, 400]).toContain(response.status);
    await response.body?.cancel();
  }
});
