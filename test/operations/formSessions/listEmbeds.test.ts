import { afterAll, beforeAll, expect, test } from "bun:test";
import { startServer, type TestServer } from "../../support/server.ts";
import { refusal } from "../../support/tables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const xActiveTenant = "tenant-1";

test("it lists the tenant's embeds, newest first, of all processes or of one", async () => {
  const forms = await server.formSessions();
  expect(await forms.listEmbeds({ xActiveTenant })).toEqual([]);
  const allowed_origins = ["https://www.bank.example"];
  const made = [];
  for (const newEmbed of [
    { process_key: "loan", allowed_origins },
    { process_key: "card" },
    { process_key: "loan" },
  ])
    made.unshift(await forms.createEmbed({ xActiveTenant, newEmbed }));
  const listed = await forms.listEmbeds({ xActiveTenant });
  expect(listed.map(({ embed_id, url }) => ({ embed_id, url }))).toEqual(made);
  expect(listed.at(-1)).toMatchObject({ process_key: "loan", allowed_origins, created_by: "alice" });
  expect(await forms.listEmbeds({ xActiveTenant, page: 1, limit: 1 })).toEqual(listed.slice(1, 2));
  const loans = await forms.listEmbeds({ xActiveTenant, processKey: "loan" });
  expect(loans).toEqual(listed.filter(({ process_key }) => process_key === "loan"));
  const others = await server.formSessions({ tenant: 2, roles: ["admin_sop"] });
  expect(await others.listEmbeds({ xActiveTenant: "tenant-2" })).toEqual([]);
});

test("members and engines cannot list embeds", async () => {
  for (const roles of [["member"], ["engine"]]) {
    const forms = await server.formSessions({ roles });
    expect(await refusal(forms.listEmbeds({ xActiveTenant }))).toMatchObject({ status: 401 });
  }
});
