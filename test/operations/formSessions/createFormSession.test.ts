import { afterAll, beforeAll, expect, test } from "bun:test";
import { freshAddress, trustingLoopback, visit } from "../../support/attachments.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { send } from "../../support/tables.ts";

let server: TestServer;
let embed_id: string;
beforeAll(async () => {
  server = await startServer({ environment: trustingLoopback });
  const forms = await server.formSessions();
  ({ embed_id } = await forms.createEmbed({ xActiveTenant: "tenant-1", newEmbed: { process_key: "loan" } }));
});
afterAll(() => server.stop());

const path = "POST /api/v1/probis/public/form-sessions";
const begin = (body: unknown, from = freshAddress(), to = server) =>
  send(to, path, { body, headers: { authorization: "", "x-forwarded-for": from } });

test("a visitor begins a session without credentials; its token is valid for four hours", async () => {
  const { status, body } = await begin({ embed_id });
  expect(status).toBe(201);
  expect(Object.keys(body)).toEqual(["form_token", "expires_at"]);
  expect(Date.parse(body.expires_at) - Date.now()).toBeWithin(4 * 3_600_000 - 5_000, 4 * 3_600_000 + 1_000);
  expect((await server.visitor(body.form_token).getPublicAllowedTypes()).extensions).toContain("pdf");
});

test("every session has its own id", async () => {
  const tokens = [(await visit(server)).formToken, (await visit(server)).formToken];
  const sessions = tokens.map(
    (token) => JSON.parse(atob((token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/"))).sid,
  );
  expect(sessions[0]).not.toBe(sessions[1]);
  for (const sid of sessions) expect(sid).toMatch(/^[\w-]{22}$/);
});

test("an embed that does not exist answers 404", async () => {
  for (const unknown of [
    "unknown",
    embed_id.slice(0, -1),
    `${embed_id} `,
    "' or 1=1 --",
    "%",
    "_".repeat(22),
  ])
    expect(await begin({ embed_id: unknown })).toMatchObject({ status: 404, code: "embed_not_found" });
});

test.each([
  ["nothing", {}, ["/embed_id"]],
  ["an empty id", { embed_id: "" }, ["/embed_id"]],
  ["a number", { embed_id: 7 }, ["/embed_id"]],
  ["a tenant of the visitor's choice", { embed_id: "x", tenant_id: 2 }, ["/tenant_id"]],
])("an invalid body answers 400: %s", async (_what, body, pointers) => {
  expect(await begin(body)).toMatchObject({ status: 400, pointers });
});

test("embeds cannot be guessed quickly: the 31st request of an address in a minute answers 429", async () => {
  const from = freshAddress();
  const answers = await Promise.all(
    Array.from({ length: 33 }, (_, i) => begin({ embed_id: `guess-${i}` }, from)),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([
    ...Array(30).fill(404),
    ...Array(3).fill(429),
  ]);
  expect(await begin({ embed_id })).toMatchObject({ status: 201 });
});

test("a server without FORM_TOKEN_SECRET answers 501", async () => {
  const closed = await startServer({ environment: { FORM_TOKEN_SECRET: "" } });
  expect(await begin({ embed_id }, freshAddress(), closed)).toMatchObject({
    status: 501,
    code: "not_configured",
  });
  await closed.stop();
});
