/** Addresses and methods that are not in the contract. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { operations } from "../../src/generated/operations.ts";
import { expectProblem } from "../support/problem.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"];
const byPath = Map.groupBy(Object.values(operations), ({ path }) => path);

test.each([
  "/nothing",
  "/healthz/",
  "/Healthz",
  "/api/v1/report/1/schema/tables/",
  "/api/v1/report/1/schema/tables//rows",
  "/api/v2/report/1/schema/tables",
  "/.env",
  "/swagger/assets/package.json",
  "/swagger/assets/..%2fpackage.json",
])("an unknown address is answered 404: %s", async (path) => {
  await expectProblem(await server.request(path), "route_not_found");
});

test.each([...byPath.keys()])("another method on %s is answered 405 with the allowed ones", async (path) => {
  const known = byPath.get(path)?.map(({ method }) => method as string) ?? [];
  const address = path.replaceAll(/\{\w+\}/g, "1");
  for (const method of methods.filter((name) => !known.includes(name))) {
    const response = await fetch(`${server.url}${address}`, { method });
    expect(response.headers.get("allow")?.split(", ").sort()).toEqual([...known].sort());
    if (method === "HEAD") expect(response.status).toBe(405);
    else await expectProblem(response, "method_not_allowed");
  }
});

test("any Host header works, even an invalid one", async () => {
  for (const host of ["a", "api", "localhost", "waybill.example:8443", "]]["]) {
    const response = await fetch(`${server.url}/healthz`, { headers: { host } });
    expect([host, response.status]).toEqual([host, 200]);
  }
});
