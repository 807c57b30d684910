/** What errors and the log contain, and what they must not contain. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { expectProblem } from "../support/problem.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
const path = "/api/v1/report/1/schema/tables";

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const lineOf = async (requestId: string) => {
  for (let wait = 0; wait < 100; wait++) {
    const line = server.logged.find(({ request_id, msg }) => request_id === requestId && msg === "request");
    if (line) return line;
    await Bun.sleep(10);
  }
  throw new Error("the request was not logged");
};

test("every answer and its log line have the same request id", async () => {
  const failed = await expectProblem(await server.request(`${path}/missing`), "table_not_found");
  expect(await lineOf(failed.request_id)).toMatchObject({ status: 404, operation: "getTable", tenant_id: 1 });
  const succeeded = await server.request(path);
  const id = succeeded.headers.get("x-request-id") ?? "";
  expect(id).not.toBe(failed.request_id);
  expect(await lineOf(id)).toMatchObject({ status: 200, method: "GET", path });
});

test("a request id from the caller is ignored", async () => {
  const mine = "00000000-0000-7000-8000-000000000000";
  const response = await server.request(path, { headers: { "x-request-id": mine } });
  expect(response.headers.get("x-request-id")).not.toBe(mine);
});

test("an internal error is answered 500 without details; the log has the cause", async () => {
  // The registry lists a table that was dropped directly in the database.
  const body = JSON.stringify({ name: "ghost", columns: [{ name: "full_name", type: "text" }] });
  await server.request(path, { method: "POST", body });
  await server.sql`drop table tenant_1.ghost`;
  const problem = await expectProblem(await server.request(`${path}/ghost/rows`), "internal_error");
  expect(JSON.stringify(problem)).not.toMatch(/tenant_1|select|relation|postgres|\.ts\b|node_modules/i);
  const logged = server.logged.find(
    ({ request_id, level }) => request_id === problem.request_id && level === "error",
  );
  expect(logged).toMatchObject({ err: { type: "PostgresError", code: "42P01" } });
});

test("without the database a request is answered 503 with Retry-After", async () => {
  const other = await startServer();
  await other.request(path);
  await other.sql.end({ timeout: 5 });
  const response = await other.request(path);
  expect(response.headers.get("retry-after")).toBe("5");
  await expectProblem(response, "database_unavailable");
  await other.stop();
});

test("no token reaches the log, wherever a client puts one", async () => {
  const token = await server.token({ user: "carol" });
  const headers = { authorization: `Bearer ${token}` };
  const attempts: [string, RequestInit][] = [
    [path, { headers }],
    [`${path}?token=${token}`, { headers }],
    [`${path}?access_token=${token}`, {}],
    [`${path}/missing/rows?authorization=${token}`, { headers }],
    [path, { headers: { authorization: token } }],
    [path, { headers: { authorization: `Basic ${token}` } }],
    [path, { headers: { authorization: `Bearer ${token}x` } }],
    [path, { headers: { "x-probis-form-token": token, cookie: `token=${token}` } }],
    [path, { method: "POST", headers, body: JSON.stringify({ name: "x", token }) }],
    [path, { method: "POST", headers, body: `{"authorization":"${token}"` }],
  ];
  const ids: string[] = [];
  for (const [address, init] of attempts) {
    const response = await server.request(address, init);
    ids.push(response.headers.get("x-request-id") ?? "");
    expect(await response.text()).not.toContain(token);
  }
  for (const id of ids) await lineOf(id);
  expect(JSON.stringify(server.logged)).not.toContain(token);
  expect(JSON.stringify(server.logged)).not.toContain(token.split(".")[2] as string);
});

test("neither the database's password nor a row's values reach the log", async () => {
  const password = new URL(server.database.url).password;
  const logged = JSON.stringify(server.logged);
  if (password !== "") expect(logged).not.toContain(password);
  const body = JSON.stringify({ rows: [{ full_name: "Siti Rahma 3174" }] });
  await server.request(`${path}/ghost/rows`, { method: "POST", body });
  expect(JSON.stringify(server.logged)).not.toContain("Siti Rahma");
});
