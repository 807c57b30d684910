import { afterAll, beforeAll, expect, test } from "bun:test";
import { startServer, type TestServer } from "../../support/server.ts";
import { refusal, send } from "../../support/tables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const newEmbed = { process_key: "loan_application" };
const xActiveTenant = "tenant-1";

test("an administrator embeds a form under an id that cannot be guessed", async () => {
  const forms = await server.formSessions();
  const embeds = await Promise.all(
    Array.from({ length: 20 }, () => forms.createEmbed({ xActiveTenant, newEmbed })),
  );
  for (const { embed_id, url } of embeds) {
    expect(embed_id).toMatch(/^[\w-]{22}$/);
    expect(url).toBe(`${server.url}/embed/${embed_id}`);
  }
  expect(new Set(embeds.map(({ embed_id }) => embed_id)).size).toBe(20);
});

test("without a public address the URL is relative to the gateway", async () => {
  const inner = await startServer({ environment: { PUBLIC_BASE_URL: "" } });
  const { embed_id, url } = await (await inner.formSessions()).createEmbed({ xActiveTenant, newEmbed });
  expect(url).toBe(`/embed/${embed_id}`);
  await inner.stop();
});

test("only an administrator of the tenant can embed; anybody else gets 401", async () => {
  for (const claims of [{ roles: ["member"] }, { roles: ["engine"] }, { tenant: 2 }]) {
    const forms = await server.formSessions(claims);
    expect(await refusal(forms.createEmbed({ xActiveTenant, newEmbed }))).toMatchObject({ status: 401 });
  }
  expect(await send(server, "POST /api/v1/probis/embeds", { body: newEmbed })).toMatchObject({ status: 401 });
});

test.each([
  ["no process_key", {}, ["/process_key"]],
  ["an empty one", { process_key: "" }, ["/process_key"]],
  ["one that is too long", { process_key: "x".repeat(256) }, ["/process_key"]],
  ["an unknown member", { ...newEmbed, tenant_id: 2 }, ["/tenant_id"]],
])("an invalid body answers 400: %s", async (_what, body, pointers) => {
  const headers = { "x-active-tenant": xActiveTenant };
  expect(await send(server, "POST /api/v1/probis/embeds", { body, headers })).toMatchObject({
    status: 400,
    pointers,
  });
});

test("the log says who embedded which process", async () => {
  const forms = await server.formSessions({ user: "erin" });
  const { embed_id } = await forms.createEmbed({ xActiveTenant, newEmbed });
  const line = server.logged.find((line) => line.embed_id === embed_id);
  expect(line).toMatchObject({ tenant_id: 1, actor: "erin", process_key: "loan_application", level: "info" });
});
