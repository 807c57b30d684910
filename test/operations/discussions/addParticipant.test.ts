import { afterAll, beforeAll, expect, test } from "bun:test";
import { freshInstance, freshUser, member } from "../../support/attachments.ts";
import { startServer, type TestServer, type TokenClaims } from "../../support/server.ts";
import { refusal, send } from "../../support/tables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const xActiveTenant = "tenant-1";
const add = async (processInstanceId: string, user: string, by?: TokenClaims) =>
  (await server.discussions(by)).addParticipant({
    processInstanceId,
    xActiveTenant,
    newParticipant: { user },
  });

test("an administrator, an engine and a participant add participants", async () => {
  const instance = freshInstance();
  const bob = freshUser();
  const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  expect(await add(instance, bob)).toEqual({ user: bob, added_by: "alice", added_at: moment });
  expect(await add(instance, freshUser(), { user: "engine-1", roles: ["engine"] })).toMatchObject({
    added_by: "engine-1",
  });
  expect(await add(instance, freshUser(), member(bob))).toMatchObject({ added_by: bob });
});

test("adding a participant again changes nothing", async () => {
  const instance = freshInstance();
  const first = await add(instance, "bob");
  expect(await add(instance, "bob", { user: "carol" })).toEqual(first);
});

test("a user who takes no part cannot add anybody to a discussion: 404", async () => {
  const instance = freshInstance();
  const mallory = member();
  await add(instance, freshUser());
  const missing = { status: 404, code: "discussion_not_found" };
  expect(await refusal(add(instance, mallory.user ?? "", mallory))).toMatchObject(missing);
  expect(await refusal(add(freshInstance(), mallory.user ?? "", mallory))).toMatchObject(missing);
  expect(await refusal(add(instance, freshUser(), mallory))).toMatchObject(missing);
});

test("an administrator of another tenant gets 401, and adds only to their own tenant's discussion", async () => {
  const instance = freshInstance();
  expect(await refusal(add(instance, "x", { tenant: 2 }))).toMatchObject({ status: 401 });
  const theirs = await server.discussions({ tenant: 2 });
  const target = { processInstanceId: instance, xActiveTenant: "tenant-2" };
  await theirs.addParticipant({ ...target, newParticipant: { user: "x" } });
  const ours = await server.discussions();
  const { participants } = await ours.listParticipants({ processInstanceId: instance, xActiveTenant });
  expect(participants).toEqual([]);
});

test("instances and users with any characters in their names are kept apart", async () => {
  const names = ["a/b", "a%2Fb", "a b", "a+b", "é", "e\u0301", "../x", "a?b#c", "👩‍👩‍👧", "' or 1=1"];
  for (const name of names) expect(await add(name, name)).toMatchObject({ user: name });
  const api = await server.discussions();
  for (const processInstanceId of names) {
    const { participants } = await api.listParticipants({ processInstanceId, xActiveTenant });
    expect(participants.map(({ user }) => user)).toEqual([processInstanceId]);
  }
});

test.each([
  ["nobody", {}, ["/user"]],
  ["an empty name", { user: "" }, ["/user"]],
  ["a name that is too long", { user: "x".repeat(256) }, ["/user"]],
  ["an unknown member", { user: "x", role: "admin_sop" }, ["/role"]],
])("an invalid body answers 400: %s", async (_what, body, pointers) => {
  const path = "POST /api/v1/probis/discussions/4711/participants";
  const headers = { "x-active-tenant": xActiveTenant };
  expect(await send(server, path, { body, headers })).toMatchObject({ status: 400, pointers });
});

test("an instance id that is too long or contains U+0000 answers 400", async () => {
  const headers = { "x-active-tenant": xActiveTenant };
  for (const name of ["x".repeat(256), "a%00b", "a%ff"])
    expect(
      await send(server, `POST /api/v1/probis/discussions/${name}/participants`, {
        body: { user: "x" },
        headers,
      }),
    ).toMatchObject({ status: 400 });
});
