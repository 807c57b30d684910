/** A body with more members or items than the contract allows is refused before more expensive checks. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { operations } from "../../src/generated/operations.ts";
import { requireWithinBounds } from "../../src/http/bounds.ts";
import { compileValidator } from "../../src/http/validation.ts";
import { parseJson } from "../../src/infrastructure/json.ts";
import { expectProblem } from "../support/problem.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const many = (count: number, value: string) =>
  `{${Array.from({ length: count }, (_, at) => `"m${at}":${value}`).join(",")}}`;
const slug = { "x-active-tenant": "tenant-1" };
const post = (path: string, body: string) => server.request(path, { method: "POST", body, headers: slug });

const tables = "/api/v1/report/1/schema/tables";
const instances = "/api/v1/probis/process-instances";
const finalize = "/api/v1/probis/form-attachments/finalize";

test.each([
  ["unknown members", tables, many(60_000, "1"), ": It must have at most 104 members."],
  [
    "columns",
    tables,
    `{"name":"a","columns":[${"1,".repeat(200_000)}1]}`,
    "/columns: It must have at most 1500 items.",
  ],
  [
    "members of a column",
    tables,
    `{"name":"a","columns":[{},${many(60_000, "1")}]}`,
    "/columns/1: It must have at most 107 members.",
  ],
  [
    "ids",
    finalize,
    `{"attachment_ids":[${'"",'.repeat(200_000)}""]}`,
    "/attachment_ids: It must have at most",
  ],
  [
    "variables",
    instances,
    `{"process_key":"a","variables":${many(300_000, '{"value":1}')}}`,
    "/variables: It must have at most 1000 members.",
  ],
  [
    "members of a variable",
    instances,
    `{"process_key":"a","variables":{"a/b":${many(300_000, "1")}}}`,
    "/variables/a~1b: It must have at most 103 members.",
  ],
  [
    "rows",
    `${tables}/any/rows`,
    `{"rows":[${"{},".repeat(500_000)}{}]}`,
    "/rows: It must have at most 10000 items.",
  ],
  [
    "columns of a row",
    `${tables}/any/rows`,
    `{"rows":[{},${many(300_000, "1")}]}`,
    "/rows/1: It must have at most 1600 members.",
  ],
])("far too many %s are one fault that names the limit", async (_what, path, body, message) => {
  const problem = await expectProblem(await post(path, body), "invalid_body");
  expect(problem.message).toStartWith(message.startsWith(":") ? message.slice(2) : message);
  expect(problem.errors).toHaveLength(1);
});

/** Processor milliseconds, so that other programs on the machine do not count. */
function costOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

test("refusing 100,000 variables costs less than parsing or validating them", () => {
  const { schema } = operations.startProcessInstance.body;
  const text = `{"process_key":"a","variables":${many(100_000, '{"value":1}')}}`;
  let body: unknown;
  const parsing = costOf(() => {
    body = parseJson(text);
  });
  const refusing = costOf(() =>
    expect(() => requireWithinBounds(body, schema)).toThrow("at most 1000 members"),
  );
  expect(refusing).toBeLessThan(parsing);
  expect(costOf(() => compileValidator(schema)(body))).toBeGreaterThan(2 * refusing);
});

test("values of free form have no limit on members and items", () => {
  const { schema } = operations.startProcessInstance.body;
  const items = Array(50_000).fill(1);
  const members = Object.fromEntries(items.map((value, at) => [`m${at}`, value]));
  requireWithinBounds(
    { process_key: "a", variables: { a: { value: items }, b: { value: members } } },
    schema,
  );
  requireWithinBounds({ rows: [{ a: items, b: members }] }, operations.insertRows.body.schema);
});

test("a body may have as many items as the contract allows", () => {
  const variables = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`v${at}`, { value: 1 }]));
  requireWithinBounds({ process_key: "a", variables }, operations.startProcessInstance.body.schema);
  requireWithinBounds({ rows: Array(10_000).fill({}) }, operations.insertRows.body.schema);
  expect(() =>
    requireWithinBounds({ rows: Array(10_001).fill({}) }, operations.insertRows.body.schema),
  ).toThrow("at most 10000 items");
});

test("up to a hundred unknown members are reported one by one", async () => {
  const problem = await expectProblem(await post(tables, many(90, "1")), "invalid_body");
  const unknown = problem.errors?.filter(({ detail }) => detail === "This member does not exist here.");
  expect(unknown).toHaveLength(90);
  const columns = Array.from({ length: 20 }, () => many(60, "1")).join(",");
  const body = `{"name":"a","columns":[${columns}]}`;
  const { errors = [] } = await expectProblem(await post(tables, body), "invalid_body");
  expect(errors).toHaveLength(100);
  expect(errors.filter(({ detail }) => detail === "This member does not exist here.").length).toBeGreaterThan(
    50,
  );
});

test("names of hundreds of kilobytes are refused and not repeated", async () => {
  const long = (at: number) => `${at}`.padEnd(200_000, "k");
  const members = `{${Array.from({ length: 50 }, (_, at) => `"${long(at)}":1`).join(",")}}`;
  for (const [path, body] of [
    [`${tables}/any/rows`, members],
    [`${tables}/any/rows`, `{"rows":[${members}]}`],
    [instances, `{"process_key":"a","variables":${members}}`],
  ] as const) {
    const cost = process.cpuUsage();
    const response = await post(path, body);
    const { user, system } = process.cpuUsage(cost);
    const problem = await expectProblem(response, "invalid_body");
    expect(problem.message).toEndWith("A member's name here must have at most 1000 characters.");
    expect(JSON.stringify(problem).length).toBeLessThan(1_000);
    // Comparing all faults with each other once took several seconds.
    expect(user + system).toBeLessThan(2_000_000);
  }
});

test("a fault repeats at most 4,000 characters of a body", async () => {
  const name = "k".repeat(100_000);
  const value = `{"process_key":"a","variables":{"a":{"value":{"${name}":"\\u0000"}}}}`;
  const { errors = [] } = await expectProblem(await post(instances, value), "invalid_body");
  expect(errors).toHaveLength(1);
  expect(errors[0]?.pointer).toStartWith("/variables/a/value/kkk");
  expect(errors[0]?.pointer.length).toBe(4_001);
});

test("a member with a fault below it is not reported as unknown", async () => {
  const body = '{"process_key":"a","variables":{"a":{"value":1,"x":1},"b":{"value":1,"type":"X"},"c":7}}';
  const { errors = [] } = await expectProblem(await post(instances, body), "invalid_body");
  expect(errors.map(({ pointer }) => pointer).toSorted()).toEqual([
    "/variables/a/x",
    "/variables/b/type",
    "/variables/c",
  ]);
});
