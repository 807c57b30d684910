import { afterAll, beforeAll, expect, test } from "bun:test";
import { fixture, freshInstance, freshUser, member, upload, visit } from "../../support/attachments.ts";
import { startServer, type TestServer, type TokenClaims } from "../../support/server.ts";
import { refusal, send } from "../../support/tables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const path = "/api/v1/internal/form-attachments/bindings";
const nowhere = "0c8f9f0e-6f0b-4b8a-9d3e-2f4f1d0a7b11";

const bind = async (attachment_ids: string[], process_instance_id: string, task_id?: string) =>
  (await server.engine()).bindAttachments({
    binding: {
      tenant_id: 1,
      process_instance_id,
      attachment_ids,
      ...(task_id === undefined ? {} : { task_id }),
    },
  });

const draft = async () => (await upload(server)).attachment_id;
const stateOf = async (id: string) =>
  (await server.sql`select state from waybill.attachments where id = ${id}`)[0]?.state as string;

test("an engine binds uploads of visitors and of users", async () => {
  const { api } = await visit(server);
  const visitors = await api.uploadPublicAttachment({ file: await fixture("pillow.png"), fieldName: "f" });
  const ids = [visitors.attachment_id, await draft()];
  expect(await bind(ids, "4711", "4712")).toEqual({
    committed: ids,
    process_instance_id: "4711",
    task_id: "4712",
  });
  for (const id of ids) expect(await stateOf(id)).toBe("committed");
});

test("binding again to the same instance is 200; to another instance or task it is 409", async () => {
  const id = await draft();
  const instance = freshInstance();
  const first = await bind([id], instance, "t");
  expect(await bind([id], instance, "t")).toEqual(first);
  expect(await bind([id], instance)).toEqual(first);
  for (const [other, task] of [
    [freshInstance(), "t"],
    [instance, "other"],
  ] as const) {
    const answer = await refusal(bind([id], other, task));
    expect(answer).toMatchObject({ status: 409, code: "not_committed" });
    expect(answer.body.not_committed).toEqual([id]);
  }
});

test("an engine can bind what a user finalized for the instance, and a user can finalize what it bound", async () => {
  const id = await draft();
  const users = await server.attachments(member());
  const finalization = { attachment_ids: [id], process_instance_id: "both" };
  await users.finalizeAttachments({ xActiveTenant: "tenant-1", finalization });
  await bind([id], "both");
  await users.finalizeAttachments({ xActiveTenant: "tenant-1", finalization });
  expect(await stateOf(id)).toBe("committed");
});

test("an attachment that cannot be bound is a 409 with its id, and none is bound", async () => {
  const good = await draft();
  const foreign = (await upload(server, { by: member(freshUser(), 2) })).attachment_id;
  for (const bad of [nowhere, foreign]) {
    const answer = await refusal(bind([good, bad], freshInstance()));
    expect(answer).toMatchObject({ status: 409, code: "not_committed" });
    expect(answer.body.not_committed).toEqual([bad]);
  }
  expect(await stateOf(good)).toBe("draft");
  expect(await stateOf(foreign)).toBe("draft");
});

test("a thousand ids are bound in one request", async () => {
  const id = await draft();
  expect((await bind(Array(1000).fill(id), freshInstance())).committed).toEqual([id]);
});

test("only an engine of that tenant can bind; any other caller is a 401", async () => {
  const id = await draft();
  const body = { tenant_id: 1, process_instance_id: "4711", attachment_ids: [id] };
  const callers: TokenClaims[] = [
    { roles: ["admin_sop"] },
    { roles: ["member"] },
    { tenant: 2, roles: ["engine"] },
  ];
  for (const claims of callers) {
    const headers = { authorization: `Bearer ${await server.token(claims)}` };
    expect(await send(server, `POST ${path}`, { body, headers })).toMatchObject({ status: 401 });
  }
  expect(await stateOf(id)).toBe("draft");
});

test.each([
  ["no instance", { process_instance_id: undefined }, ["/process_instance_id"]],
  ["an empty instance", { process_instance_id: "" }, ["/process_instance_id"]],
  ["no ids", { attachment_ids: [] }, ["/attachment_ids"]],
  ["a text that is not a UUID", { attachment_ids: ["x"] }, ["/attachment_ids/0"]],
  ["no tenant", { tenant_id: undefined }, ["/tenant_id"]],
])("a body that breaks its schema is a 400: %s", async (_what, changes, pointers) => {
  const body = { tenant_id: 1, process_instance_id: "4711", attachment_ids: [nowhere], ...changes };
  const headers = { authorization: `Bearer ${await server.token({ roles: ["engine"] })}` };
  expect(await send(server, `POST ${path}`, { body, headers })).toMatchObject({ status: 400, pointers });
});
