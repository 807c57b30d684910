import { afterAll, beforeAll, expect, test } from "bun:test";
import { freshInstance, freshUser, member } from "../../support/attachments.ts";
import { startServer, type TestServer, type TokenClaims } from "../../support/server.ts";
import { refusal } from "../../support/tables.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const xActiveTenant = "tenant-1";
const discussion = async (processInstanceId: string, by?: TokenClaims) => {
  const api = await server.discussions(by);
  const target = { processInstanceId, xActiveTenant };
  return {
    add: (user: string) => api.addParticipant({ ...target, newParticipant: { user } }),
    remove: (user: string) => api.removeParticipant({ ...target, user }),
    users: async () => (await api.listParticipants(target)).participants.map(({ user }) => user),
  };
};

test("an administrator removes exactly one participant", async () => {
  const { add, remove, users } = await discussion(freshInstance());
  for (const user of ["bob", "bob ", "Bob", "carol"]) await add(user);
  await remove("bob");
  expect(await users()).toEqual(["bob ", "Bob", "carol"]);
});

test("a participant may leave and then has no access", async () => {
  const instance = freshInstance();
  const bob = freshUser();
  await (await discussion(instance)).add(bob);
  const own = await discussion(instance, member(bob));
  await own.remove(bob);
  expect(await refusal(own.users())).toMatchObject({ status: 404, code: "discussion_not_found" });
});

test("removing a user who takes no part answers 404, also after a removal", async () => {
  const { add, remove } = await discussion(freshInstance());
  await add("bob");
  await remove("bob");
  for (const user of ["bob", "nobody", "a/b", "%"])
    expect(await refusal(remove(user))).toMatchObject({ status: 404, code: "participant_not_found" });
});

test("neither an outsider nor another tenant's administrator can remove a participant", async () => {
  const instance = freshInstance();
  const { add, users } = await discussion(instance);
  await add("bob");
  const mallory = await discussion(instance, member());
  expect(await refusal(mallory.remove("bob"))).toMatchObject({ status: 404, code: "discussion_not_found" });
  const foreign = await discussion(instance, { tenant: 2 });
  expect(await refusal(foreign.remove("bob"))).toMatchObject({ status: 401 });
  const api = await server.discussions({ tenant: 2 });
  const theirs = api.removeParticipant({
    processInstanceId: instance,
    user: "bob",
    xActiveTenant: "tenant-2",
  });
  expect(await refusal(theirs)).toMatchObject({ status: 404, code: "participant_not_found" });
  expect(await users()).toEqual(["bob"]);
});
