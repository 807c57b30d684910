import { afterAll, beforeAll, expect, test } from "bun:test";
import { freshInstance, freshUser, likeness, member } from "../../support/attachments.ts";
import { startServer, type TestServer, type TokenClaims } from "../../support/server.ts";
import { refusal, send } from "../../support/tables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const xActiveTenant = "tenant-1";
const add = async (processInstanceId: string, user: string) =>
  (await server.discussions()).addParticipant({ processInstanceId, xActiveTenant, newParticipant: { user } });
const list = async (processInstanceId: string, by?: TokenClaims) =>
  (await server.discussions(by)).listParticipants({ processInstanceId, xActiveTenant });

test("participants come in the order in which they joined", async () => {
  const instance = freshInstance();
  const users = ["zoe", "bob", "Alice", "carol"];
  const added = [];
  for (const user of users) added.push(await add(instance, user));
  expect(await list(instance)).toEqual({ participants: added });
});

test("a participant and an engine see the discussion too", async () => {
  const instance = freshInstance();
  const bob = freshUser();
  await add(instance, bob);
  for (const by of [member(bob), { roles: ["engine"] }])
    expect((await list(instance, by)).participants.map(({ user }) => user)).toEqual([bob]);
});

test("for anybody else a discussion does not exist: 404", async () => {
  const instance = freshInstance();
  await add(instance, freshUser());
  const mallory = member();
  const there = await refusal(list(instance, mallory));
  const nowhere = await refusal(list(freshInstance(), mallory));
  expect(there).toMatchObject({ status: 404, code: "discussion_not_found" });
  expect(likeness(there)).toEqual(likeness(nowhere));
});

test("a discussion without participants is an empty list for those who manage it", async () => {
  expect(await list(freshInstance())).toEqual({ participants: [] });
});

test("the request needs a login of the tenant and the tenant's slug", async () => {
  expect(await refusal(list(freshInstance(), { tenant: 2 }))).toMatchObject({ status: 401 });
  const path = "GET /api/v1/probis/discussions/4711/participants";
  expect(await send(server, path)).toMatchObject({ status: 401 });
  expect(await send(server, path, { headers: { "x-active-tenant": "1" } })).toMatchObject({ status: 401 });
});
