/** Without the database during admission, the answer says to try again, and the log has the cause. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, type Sql } from "../../src/infrastructure/database/connect.ts";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { type FaultyProxy, startFaultyProxy } from "../support/faultyProxy.ts";
import { expectProblem } from "../support/problem.ts";
import { field, sendParts } from "../support/rawUpload.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { send, tablesPath } from "../support/tables.ts";
import { until } from "../support/until.ts";

let database: TestDatabase;
let proxy: FaultyProxy;
let sql: Sql;
let server: TestServer;
let formToken: string;
beforeAll(async () => {
  database = await createDatabase();
  proxy = await startFaultyProxy(new URL(database.url));
  const through = new URL(database.url);
  through.port = proxy.url.port;
  sql = connect(through.href, { max: 4 });
  server = await startServer({ database, deps: { sql } });
  const forms = await server.formSessions();
  const { embed_id } = await forms.createEmbed({
    xActiveTenant: "tenant-1",
    newEmbed: { process_key: "loan" },
  });
  const session = await send(server, "POST /api/v1/probis/public/form-sessions", { body: { embed_id } });
  formToken = session.body.form_token;
});
afterAll(async () => {
  await server.stop();
  await sql.end({ timeout: 5 });
  await proxy.close();
  await database.drop();
});

async function whileAway<T>(work: () => Promise<T>): Promise<T> {
  proxy.set("refuse");
  try {
    return await work();
  } finally {
    proxy.set("pass");
    await until(async () => (await server.request("/readyz")).status === 200, 15);
  }
}

const json = (body: unknown, headers: Record<string, string> = {}) => ({
  method: "POST",
  body: JSON.stringify(body),
  headers: { "content-type": "application/json", ...headers },
});
const form = async (path: string, headers: Record<string, string> = {}) => {
  const body = new FormData();
  body.set("file", new Blob(["x"]), "x.pdf");
  return server.request(path, { method: "POST", body, headers });
};
const newTenant = async (path: string, body: unknown) => {
  const authorization = `Bearer ${await server.token({ tenant: 77, slug: "new" })}`;
  return server.request(path, json(body, { authorization, "x-active-tenant": "new" }));
};

test.each([
  ["upload", () => form("/api/v1/probis/form-attachments/upload", { "x-active-tenant": "tenant-1" })],
  [
    "public upload",
    () => form("/api/v1/probis/public/form-attachments/upload", { "x-probis-form-token": formToken }),
  ],
  ["starting a form session", () => server.request("/api/v1/probis/public/form-sessions", json({}))],
  [
    "a visitor's start",
    () =>
      server.request(
        "/api/v1/probis/public/process-instances",
        json({ variables: {} }, { "x-probis-form-token": formToken }),
      ),
  ],
  ["the first write of a tenant", () => newTenant("/api/v1/report/77/schema/tables", { name: "t" })],
  ["the first start of a tenant", () => newTenant("/api/v1/probis/process-instances", {})],
] as const)("%s answers 503 with Retry-After, and the log has the cause", async (_what, request) => {
  const response = await whileAway(request);
  expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
  const { request_id } = await expectProblem(response, "database_unavailable");
  const line = server.logged.find((entry) => entry.request_id === request_id && entry.level === "error");
  expect(line).toMatchObject({ code: "database_unavailable", err: { code: expect.any(String) } });
});

test("a refused write that cannot be recorded in the audit trail is answered 503", async () => {
  const request = () => server.request(tablesPath(), { method: "POST", body: "x", headers: plain });
  const plain = { "content-type": "text/plain" };
  // The database accepts everything except audit records of failures.
  await server.sql`alter table tenant_1._audit add constraint none check (outcome <> 'failure') not valid`;
  const refused = await request();
  await server.sql`alter table tenant_1._audit drop constraint none`;
  const { request_id } = await expectProblem(refused, "database_unavailable");
  expect(refused.headers.get("retry-after")).not.toBeNull();
  const line = server.logged.find(({ msg }) => msg === "Failed write not recorded in the audit trail");
  expect(line).toMatchObject({ request_id, code: "unsupported_media_type" });
  expect(await recordsOf(request_id)).toBe(0);
  // Once it accepts them again, the same request is refused and recorded.
  const again = await expectProblem(await request(), "unsupported_media_type");
  expect(await recordsOf(again.request_id)).toBe(1);
});

async function recordsOf(requestId: string): Promise<number> {
  const [row] = await server.sql`
    select count(*)::int as records from tenant_1._audit where request_id = ${requestId}`;
  return row?.records;
}

test("an upload that cannot be stored is answered 503 with Retry-After", async () => {
  const config = { ...server.deps.config, dataDir: "/dev/null" };
  const away = await startServer({ deps: { config } });
  const answer = await sendParts(away, [field("process_key", "loan")]);
  expect(answer).toMatchObject({ status: 503, code: "storage_unavailable" });
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  await away.stop();
});
