import { expect, test } from "bun:test";
import { databaseProblem } from "../../../src/infrastructure/database/databaseProblem.ts";

const failure = (code: string, more: object = {}) => Object.assign(new Error("inside"), { code, ...more });

test.each([
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "CONNECT_TIMEOUT",
  "57P01",
  "57P02",
  "57P03",
  "08006",
  "08P01",
  "53300",
  "25006",
])("%s is answered 503 database_unavailable with Retry-After", (code) => {
  const problem = databaseProblem(failure(code));
  expect(problem).toMatchObject({
    code: "database_unavailable",
    status: 503,
    headers: { "Retry-After": "5" },
  });
});

test.each(["55P03", "57014", "40P01", "40001", "25P03", "POOL_TIMEOUT"])(
  "%s is answered 503 busy with Retry-After",
  (code) => {
    expect(databaseProblem(failure(code))).toMatchObject({
      code: "busy",
      status: 503,
      headers: { "Retry-After": "1" },
    });
  },
);

test("a network failure counts as the database's only if its error has a query", () => {
  expect(databaseProblem(failure("ECONNREFUSED", { query: "select 1" }))?.code).toBe("database_unavailable");
  expect(databaseProblem(failure("ECONNREFUSED"))).toBeUndefined();
});

test("the message for the caller does not show the cause", () => {
  const cause = failure("57P01");
  const problem = databaseProblem(cause);
  expect(problem?.message).toBe("The database is not available.");
  expect(problem?.cause).toBe(cause);
});

test("any other error is not a database problem", () => {
  const others = [
    failure("23505"),
    failure("42P01"),
    new Error("other"),
    "57P01",
    undefined,
    { code: "57P01" },
  ];
  expect(others.map(databaseProblem)).toEqual(others.map(() => undefined));
});
