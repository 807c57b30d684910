import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Finalization } from "../../../sdk/src/generated/index.ts";
import { commit, freshInstance, freshUser, member, slugOf, upload } from "../../support/attachments.ts";
import { end, flow, model, start, userTask } from "../../support/bpmn.ts";
import { completeTask, deploy, freshKey, startInstance, tasksOf } from "../../support/processes.ts";
import { startServer, type TestServer, type TokenClaims } from "../../support/server.ts";
import { refusal, send } from "../../support/tables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const path = "/api/v1/probis/form-attachments/finalize";
const nowhere = "0c8f9f0e-6f0b-4b8a-9d3e-2f4f1d0a7b11";

const finalize = async (finalization: Finalization, by: TokenClaims = member()) => {
  const api = await server.attachments(by);
  return api.finalizeAttachments({ xActiveTenant: slugOf(by), finalization });
};

const drafts = async (count: number, by: TokenClaims = member()) =>
  Promise.all(Array.from({ length: count }, async () => (await upload(server, { by })).attachment_id));

async function statesOf(ids: readonly string[]) {
  const rows = await server.sql`
    select state, process_instance_id, task_id from waybill.attachments
    where id = any(${ids as string[]}::uuid[]) order by array_position(${ids as string[]}::uuid[], id)`;
  return rows.map((row) => [row.state, row.process_instance_id, row.task_id]);
}

test("drafts are committed to the instance and the task", async () => {
  const ids = await drafts(3);
  const answer = await finalize({ attachment_ids: ids, process_instance_id: "4711", task_id: "4712" });
  expect(answer).toEqual({ committed: ids, process_instance_id: "4711", task_id: "4712" });
  expect(await statesOf(ids)).toEqual(ids.map(() => ["committed", "4711", "4712"]));
});

test("finalizing again for the same instance and task is answered 200 again", async () => {
  const attachment_ids = await drafts(2);
  const finalization = { attachment_ids, process_instance_id: "i", task_id: "t" };
  const first = await finalize(finalization);
  expect(await finalize(finalization)).toEqual(first);
  const more = await drafts(1);
  const both = await finalize({ ...finalization, attachment_ids: [...attachment_ids, ...more] });
  expect(both.committed).toEqual([...attachment_ids, ...more]);
});

test("without an instance and task, those of the upload count; empty text means none", async () => {
  const draft = await upload(server, { processInstanceId: "of-upload", taskId: "task-of-upload" });
  const id = draft.attachment_id;
  const expected = { committed: [id], process_instance_id: "of-upload", task_id: "task-of-upload" };
  expect(await finalize({ attachment_ids: [id] })).toEqual(expected);
  expect(await finalize({ attachment_ids: [id], process_instance_id: "", task_id: "" })).toEqual(expected);
  const by = member();
  const [startForm = ""] = await drafts(1, by);
  expect(await finalize({ attachment_ids: [startForm] }, by)).toEqual({
    committed: [startForm],
    process_instance_id: null,
    task_id: null,
  });
});

test("an attachment committed without an instance belongs to the first that takes it", async () => {
  const by = member();
  const ids = await drafts(2, by);
  const nothing = { committed: ids, process_instance_id: null, task_id: "t" };
  expect(await finalize({ attachment_ids: ids, task_id: "t" }, by)).toEqual(nothing);
  expect(await finalize({ attachment_ids: ids }, by)).toEqual(nothing);
  expect(await refusal(finalize({ attachment_ids: ids, task_id: "u" }))).toMatchObject({ status: 409 });
  const stranger = member(freshUser(), 2);
  const bound = { attachment_ids: ids, process_instance_id: "i", task_id: "u" };
  expect(await refusal(finalize(bound, stranger))).toMatchObject({ status: 409, code: "not_committed" });
  const withBad = { ...bound, attachment_ids: [...ids, nowhere] };
  expect(await refusal(finalize(withBad))).toMatchObject({ status: 409, code: "not_committed" });
  expect(await statesOf(ids)).toEqual(ids.map(() => ["committed", null, "t"]));

  for (let again = 0; again < 2; again++)
    expect(await finalize(bound)).toEqual({ committed: ids, process_instance_id: "i", task_id: "u" });
  for (const process_instance_id of ["j", "k"])
    expect(await refusal(finalize({ attachment_ids: ids, process_instance_id }))).toMatchObject({
      status: 409,
      body: { not_committed: expect.arrayContaining(ids) },
    });
  expect(await statesOf(ids)).toEqual(ids.map(() => ["committed", "i", "u"]));
});

test("of two instances that take such an attachment at the same time, one gets it", async () => {
  for (let round = 0; round < 5; round++) {
    const by = member();
    const attachment_ids = await drafts(3, by);
    await finalize({ attachment_ids }, by);
    const instances = Array.from({ length: 6 }, freshInstance);
    const outcomes = await Promise.allSettled(
      instances.map((process_instance_id) => finalize({ attachment_ids, process_instance_id })),
    );
    const winners = instances.filter((_, i) => outcomes[i]?.status === "fulfilled");
    expect(winners).toHaveLength(1);
    expect(await statesOf(attachment_ids)).toEqual(attachment_ids.map(() => ["committed", winners[0], null]));
  }
});

test("only one process can start with a file that was finalized before", async () => {
  const key = freshKey();
  const flows = [start(), userTask("review"), end(), flow("start", "review", "end")];
  await deploy(server, model(key, flows.join("\n")));
  const by = member();
  const metadata = await upload(server, { by });
  const [id] = (await finalize({ attachment_ids: [metadata.attachment_id] }, by)).committed;
  const variables = { card: JSON.stringify(metadata) };
  const instance = await startInstance(server, key, { variables });
  expect(await statesOf([id ?? ""])).toEqual([["committed", instance.process_instance_id, null]]);
  expect(await refusal(startInstance(server, key, { variables }))).toMatchObject({ code: "not_committed" });
});

/** A process with a task for everybody, and an instance of it. */
async function instanceOf(starter: TokenClaims) {
  const key = freshKey();
  await deploy(
    server,
    model(key, [start(), userTask("review"), end(), flow("start", "review", "end")].join("\n")),
  );
  const { process_instance_id } = await startInstance(server, key, { by: starter });
  return { key, process_instance_id };
}

const notCommitted = { status: 409, code: "not_committed" };

test("only the uploader can take a draft, even if others know its id", async () => {
  const [alice, bob, carol] = [member(), member(), member()];
  const metadata = await upload(server, { by: alice });
  const attachment_ids = [metadata.attachment_id];
  const variables = { card: JSON.stringify(metadata) };
  const own = await instanceOf(bob);
  const alices = await instanceOf(alice);

  // Without an instance, as a variable of a start or a task, and for an instance of another user.
  expect(await refusal(finalize({ attachment_ids }, bob))).toMatchObject(notCommitted);
  expect(await refusal(startInstance(server, own.key, { by: bob, variables }))).toMatchObject(notCommitted);
  const [task] = await tasksOf(server, own.process_instance_id);
  expect(await refusal(completeTask(server, task?.task_id ?? "", { by: bob, variables }))).toMatchObject(
    notCommitted,
  );
  const to = { attachment_ids, process_instance_id: alices.process_instance_id };
  expect(await refusal(finalize(to, carol))).toMatchObject(notCommitted);
  expect(await statesOf(attachment_ids)).toEqual([["draft", null, null]]);

  expect((await finalize({ attachment_ids }, alice)).committed).toEqual(attachment_ids);
  expect(await refusal(startInstance(server, own.key, { by: bob, variables }))).toMatchObject(notCommitted);
  expect((await finalize(to, alice)).process_instance_id).toBe(alices.process_instance_id);
});

test("starter, participants, administrators and engines finalize what others uploaded for an instance", async () => {
  const starter = member();
  const { process_instance_id } = await instanceOf(starter);
  for (const by of [starter, { user: freshUser(), roles: ["engine"] }, { user: freshUser() }]) {
    const attachment_ids = await drafts(1);
    expect((await finalize({ attachment_ids, process_instance_id }, by)).committed).toEqual(attachment_ids);
  }
  // Waybill does not know instances of another engine.
  const attachment_ids = await drafts(1);
  const elsewhere = { attachment_ids, process_instance_id: crypto.randomUUID() };
  expect((await finalize(elsewhere, member())).committed).toEqual(attachment_ids);
});

test("an id that appears twice or in capital letters is one attachment", async () => {
  const [id = ""] = await drafts(1);
  const answer = await finalize({ attachment_ids: [id, id.toUpperCase(), id], process_instance_id: "i" });
  expect(answer.committed).toEqual([id]);
});

test("an id that cannot be committed is answered 409 with its name, and none is committed", async () => {
  const ids = await drafts(2);
  const removedBy = member();
  const [removed = ""] = await drafts(1, removedBy);
  const api = await server.attachments(removedBy);
  await api.deleteAttachment({ attachmentId: removed, xActiveTenant: "tenant-1" });
  const foreign = (await upload(server, { by: member(freshUser(), 2) })).attachment_id;
  const bound = (await commit(server)).id;
  for (const bad of [nowhere, removed, foreign, bound]) {
    const answer = await refusal(finalize({ attachment_ids: [...ids, bad], process_instance_id: "i" }));
    expect(answer).toMatchObject({ status: 409, code: "not_committed" });
    expect(answer.body.not_committed).toEqual([bad]);
  }
  expect(await statesOf(ids)).toEqual(ids.map(() => ["draft", null, null]));
  expect(await statesOf([foreign, bound])).toMatchObject([
    ["draft", null, null],
    ["committed", expect.any(String), null],
  ]);
});

test("all ids that cannot be committed are named", async () => {
  const bad = [nowhere, nowhere.replace(/^0/, "1"), (await commit(server)).id];
  const { body } = await refusal(finalize({ attachment_ids: bad, process_instance_id: "i" }));
  expect(body.not_committed.toSorted()).toEqual(bad.toSorted());
});

test("an attachment of another task of the instance is answered 409", async () => {
  const attachment_ids = await drafts(1);
  await finalize({ attachment_ids, process_instance_id: "i", task_id: "one" });
  const other = { attachment_ids, process_instance_id: "i", task_id: "two" };
  expect(await refusal(finalize(other))).toMatchObject({ status: 409, code: "not_committed" });
  expect(await statesOf(attachment_ids)).toEqual([["committed", "i", "one"]]);
});

test("of two simultaneous requests for the same drafts, one gets all of them", async () => {
  for (let round = 0; round < 5; round++) {
    const ids = await drafts(4);
    const instances = Array.from({ length: 6 }, freshInstance);
    const outcomes = await Promise.allSettled(
      instances.map((process_instance_id, i) =>
        finalize({ attachment_ids: i % 2 === 0 ? ids : ids.toReversed(), process_instance_id }),
      ),
    );
    const winners = instances.filter((_, i) => outcomes[i]?.status === "fulfilled");
    expect(winners).toHaveLength(1);
    expect(await statesOf(ids)).toEqual(ids.map(() => ["committed", winners[0], null]));
  }
});

test("a draft that is finalized and deleted at the same time is either one, never both", async () => {
  for (let round = 0; round < 8; round++) {
    const by = member();
    const [id = ""] = await drafts(1, by);
    const api = await server.attachments(by);
    const [finalized, deleted] = await Promise.allSettled([
      finalize({ attachment_ids: [id], process_instance_id: "i" }),
      api.deleteAttachment({ attachmentId: id, xActiveTenant: "tenant-1" }),
    ]);
    expect([finalized.status, deleted.status].toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(await statesOf([id])).toEqual(finalized.status === "fulfilled" ? [["committed", "i", null]] : []);
  }
});

test.each([
  ["no ids", {}, ["/attachment_ids"]],
  ["an empty list", { attachment_ids: [] }, ["/attachment_ids"]],
  ["1,001 ids", { attachment_ids: Array(1001).fill(nowhere) }, ["/attachment_ids"]],
  ["what is no UUID", { attachment_ids: [nowhere, "1'; drop table x"] }, ["/attachment_ids/1"]],
  ["a number", { attachment_ids: [7] }, ["/attachment_ids/0"]],
  ["a member that is not known", { attachment_ids: [nowhere], tenant_id: 2 }, ["/tenant_id"]],
  [
    "an instance that is no string",
    { attachment_ids: [nowhere], process_instance_id: 1 },
    ["/process_instance_id"],
  ],
])("a body that breaks the contract is answered 400: %s", async (_what, body, pointers) => {
  const headers = { "x-active-tenant": "tenant-1" };
  expect(await send(server, `POST ${path}`, { body, headers })).toMatchObject({ status: 400, pointers });
});

test("U+0000 in an instance is answered 400", async () => {
  const body = { attachment_ids: [nowhere], process_instance_id: "a\0" };
  const headers = { "x-active-tenant": "tenant-1" };
  expect(await send(server, `POST ${path}`, { body, headers })).toMatchObject({ status: 400 });
});

test("a caller of another tenant, of none, or with the tenant's number is answered 401", async () => {
  const body = { attachment_ids: await drafts(1) };
  const callers: [TokenClaims, Record<string, string>][] = [
    [member(freshUser(), 2), { "x-active-tenant": "tenant-1" }],
    [member(), { "x-active-tenant": "1" }],
    [member(), {}],
  ];
  for (const [claims, header] of callers) {
    const headers = { authorization: `Bearer ${await server.token(claims)}`, ...header };
    expect(await send(server, `POST ${path}`, { body, headers })).toMatchObject({ status: 401 });
  }
  expect(await statesOf(body.attachment_ids)).toEqual([["draft", null, null]]);
});
