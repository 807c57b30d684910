/** The audit trail records what administrators do with addons, embeds and participants. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { startServer, type TestServer } from "../../support/server.ts";
import { refusal } from "../../support/tables.ts";

setDefaultTimeout(60_000);
const xActiveTenant = "tenant-1";
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  // The first request of a tenant makes its trail.
  await (await server.tables()).listTables({ tenantId: 1 });
});
afterAll(() => server.stop());

/** The records that `work` added, oldest first. */
async function recordsOf(work: () => Promise<unknown>) {
  const [last] = await server.sql`select coalesce(max(id), 0)::text as id from tenant_1._audit`;
  await work();
  const rows = await server.sql`
    select actor, action, table_name, statement, outcome, error from tenant_1._audit
    where id > ${last?.id} order by id`;
  return [...rows];
}

const by = { actor: "alice", table_name: null };
const success = { ...by, outcome: "success", error: null };

test("addons: set, deleted, and failures", async () => {
  const api = await server.integration();
  const addon = { url: "https://score.example/v1?key=secret" };
  const records = await recordsOf(async () => {
    await api.putAddon({ xActiveTenant, key: "score", newAddon: addon });
    await api.deleteAddon({ xActiveTenant, key: "score" });
    await refusal(api.deleteAddon({ xActiveTenant, key: "score" }));
    await refusal(
      api.putAddon({ xActiveTenant, key: "score", newAddon: { url: "https://a:b@score.example" } }),
    );
  });
  expect(records).toMatchObject([
    { ...success, action: "put_addon", statement: "put addon score at score.example" },
    { ...success, action: "delete_addon", statement: "delete addon score" },
    { ...by, action: "delete_addon", statement: "delete addon score", outcome: "failure" },
    { ...by, action: "put_addon", statement: "put addon score", outcome: "failure" },
  ]);
  expect(JSON.stringify(records)).not.toContain("secret");
});

test("embeds: created, deleted, and failures", async () => {
  const api = await server.formSessions();
  let embedId = "";
  const records = await recordsOf(async () => {
    const newEmbed = { process_key: "loan", allowed_origins: ["https://bank.example"] };
    embedId = (await api.createEmbed({ xActiveTenant, newEmbed })).embed_id;
    await api.deleteEmbed({ xActiveTenant, embedId });
    await refusal(api.deleteEmbed({ xActiveTenant, embedId }));
  });
  const created = `create embed ${embedId} of process loan, allowed origins: https://bank.example`;
  expect(records).toMatchObject([
    { ...success, action: "create_embed", statement: created },
    { ...success, action: "delete_embed", statement: `delete embed ${embedId}` },
    { ...by, action: "delete_embed", statement: `delete embed ${embedId}`, outcome: "failure" },
  ]);
});

test("participants: added, removed, and failures", async () => {
  const api = await server.discussions();
  const target = { xActiveTenant, processInstanceId: "4711" };
  const records = await recordsOf(async () => {
    await api.addParticipant({ ...target, newParticipant: { user: "bob" } });
    await api.removeParticipant({ ...target, user: "bob" });
    await refusal(api.removeParticipant({ ...target, user: "bob" }));
  });
  expect(records).toMatchObject([
    { ...success, action: "add_participant", statement: "add participant bob to process instance 4711" },
    {
      ...success,
      action: "remove_participant",
      statement: "remove participant bob from process instance 4711",
    },
    { ...by, action: "remove_participant", outcome: "failure" },
  ]);
});

test("reads, and changes that a member is not allowed to make, leave no record", async () => {
  const admin = await server.integration();
  const member = await server.integration({ roles: ["member"] });
  const records = await recordsOf(async () => {
    await admin.listAddons({ xActiveTenant });
    await refusal(member.deleteAddon({ xActiveTenant, key: "score" }));
  });
  expect(records).toEqual([]);
});

test("a change is not made if its record cannot be written", async () => {
  const api = await server.integration();
  await server.sql`alter table tenant_1._audit add constraint none check (action <> 'put_addon') not valid`;
  const refused = refusal(
    api.putAddon({ xActiveTenant, key: "unrecorded", newAddon: { url: "https://a.example" } }),
  );
  // The failure cannot be recorded either, so the answer says nothing about the change.
  expect((await refused).status).toBe(503);
  await server.sql`alter table tenant_1._audit drop constraint none`;
  const { addons } = await api.listAddons({ xActiveTenant });
  expect(addons.map(({ key }) => key)).not.toContain("unrecorded");
});
