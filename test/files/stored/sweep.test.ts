/** The sweep cleans up uploads of stored files that were interrupted at any point, and reconcile finds nothing. */
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { utimes } from "node:fs/promises";
import { type Finding, reconcile } from "../../../src/files/maintenance/reconcile.ts";
import { sweepOnce } from "../../../src/files/maintenance/sweep.ts";
import { Problem } from "../../../src/infrastructure/problem.ts";
import type { Storage } from "../../../src/infrastructure/storage/storage.ts";
import { fixture, freshUser } from "../../support/attachments.ts";
import { openLocalFiles } from "../../support/localFiles.ts";
import { discussionOn, idOfPath, storedRemains, uploadGeneral } from "../../support/messages.ts";
import type { TestServer } from "../../support/server.ts";
import { refusal } from "../../support/tables.ts";
import { type Instances, startInstances } from "../attachments/instances.ts";

setDefaultTimeout(30_000);
let instances: Instances;
let server: TestServer;
beforeAll(async () => {
  instances = await startInstances();
  server = instances.servers[0];
});
afterAll(() => instances.stop());

/** Each test starts without files. */
beforeEach(async () => {
  await instances.sql`truncate waybill.stored_files, waybill.discussion_messages`;
  for await (const { key } of instances.storage.list("files/")) await instances.storage.remove(key);
});

const png = await fixture("pillow.png");
const admin = () => ({ user: freshUser() });
const nothing = { rows: 0, messages: 0, objects: 0, temporary: 0 };
const away = () => Promise.reject(new Problem("storage_unavailable"));
const sweep = (storage: Storage = instances.storage) => sweepOnce({ ...server.deps, storage });
const find = (repair = false): Promise<Finding[]> => Array.fromAsync(reconcile(server.deps, { repair }));
const age = (hours: number) => instances.sql`
  update waybill.stored_files set state_since = state_since - make_interval(hours => ${hours})`;

/** Runs `act` with a server whose storage has these functions replaced. */
async function cutting<T>(storage: Partial<Storage>, act: (cut: TestServer) => Promise<T>): Promise<T> {
  const cut = await instances.start({ ...instances.storage, ...storage });
  try {
    return await act(cut);
  } finally {
    await cut.stop();
  }
}

/** Stores only the first file and removes nothing, as if the process had ended. */
function failingAfterFirst(): Partial<Storage> {
  let stored = 0;
  return {
    put: (...args) => (stored++ === 0 ? instances.storage.put(...args) : away()),
    remove: away,
  };
}

/** Stores an object with a time two hours ago. */
async function putObject(key: string): Promise<void> {
  const files = await openLocalFiles();
  await instances.storage.put(key, await files.make(10));
  await files.close();
  const object = await instances.storage.get(key);
  await object?.body.cancel();
  const at = new Date(Date.now() - 2 * 3_600_000);
  await utimes(object?.path ?? "", at, at);
}

test("a stored file stays, whatever its age", async () => {
  await uploadGeneral(server, admin(), png);
  await discussionOn(server).post(admin(), { text: "x", files: [png, png] });
  await age(100_000);
  expect(await sweep()).toBe(0);
  expect(await storedRemains(server)).toEqual({ rows: 3, messages: 1, objects: 3, temporary: 0 });
  expect(await find()).toEqual([]);
});

test("if one of a message's files cannot be stored, there is no message and nothing is left", async () => {
  const { remove: _, ...first } = failingAfterFirst();
  await cutting(first, async (cut) => {
    const discussion = discussionOn(cut);
    const answer = await refusal(discussion.post(admin(), { text: "x", files: [png, png, png] }));
    expect(answer).toMatchObject({ status: 503, code: "storage_unavailable" });
    expect(await discussion.list({})).toMatchObject({ messages: [] });
  });
  expect(await storedRemains(server)).toEqual(nothing);
});

test("the sweep removes once what could not be cleaned up", async () => {
  await cutting(failingAfterFirst(), async (cut) => {
    await refusal(discussionOn(cut).post(admin(), { text: "x", files: [png, png, png] }));
    await refusal(uploadGeneral(cut, admin(), png));
  });
  expect(await storedRemains(server)).toEqual({ rows: 4, messages: 0, objects: 1, temporary: 0 });
  await age(1);
  const counts = await Promise.all(instances.servers.map(({ deps }) => sweepOnce(deps)));
  expect(counts.reduce((sum, count) => sum + count)).toBe(4);
  expect(await storedRemains(server)).toEqual(nothing);
  expect(await find()).toEqual([]);
});

test("an upload that never became stored is removed after an hour, not before", async () => {
  await uploadGeneral(server, admin(), png);
  await instances.sql`update waybill.stored_files set state = 'receiving'`;
  expect(await sweep()).toBe(0);
  await age(2);
  expect(await sweep()).toBe(1);
  expect(await storedRemains(server)).toEqual(nothing);
});

test("the next sweep finishes one that stopped before or after the object was removed", async () => {
  for (const remove of [away, (key: string) => instances.storage.remove(key).then(away)]) {
    await uploadGeneral(server, admin(), png);
    await instances.sql`update waybill.stored_files set state = 'receiving'`;
    await age(2);
    const cut = sweep({ ...instances.storage, remove });
    await expect(cut).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(await sweep()).toBe(0);
    await age(1);
    expect(await sweep()).toBe(1);
    expect(await storedRemains(server)).toEqual(nothing);
  }
});

test("an attachment that cannot be removed does not keep stored files from being removed", async () => {
  await uploadGeneral(server, admin(), png);
  await instances.sql`update waybill.stored_files set state = 'receiving'`;
  await age(2);
  const remove = (key: string) => (key.startsWith("files/") ? instances.storage.remove(key) : away());
  await instances.sql`
    insert into waybill.attachments (id, tenant_id, state, file_name, mime_type, size, sha256, process_key, field_name,
                                     uploader, state_since)
    values (gen_random_uuid(), 1, 'deleting', 'x', 'image/png', 1, '', 'p', 'f', 'u', now() - interval '1 day')`;
  await expect(sweep({ ...instances.storage, remove })).rejects.toMatchObject({
    code: "storage_unavailable",
  });
  expect(await storedRemains(server)).toEqual(nothing);
  await instances.sql`delete from waybill.attachments`;
});

test("an upload that the sweep removed because it was slow answers 408 and leaves nothing", async () => {
  const put: Storage["put"] = async (...args) => {
    await age(2);
    expect(await sweep()).toBe(1);
    await instances.storage.put(...args);
  };
  const answer = await cutting({ put }, (cut) => refusal(uploadGeneral(cut, admin(), png)));
  expect(answer).toMatchObject({ status: 408, code: "request_timeout" });
  expect(await storedRemains(server)).toEqual(nothing);
});

test("a message shows up with all of its files, never with some", async () => {
  const put: Storage["put"] = async (...args) => {
    await Bun.sleep(30);
    await instances.storage.put(...args);
  };
  await cutting({ put }, async (cut) => {
    const discussion = discussionOn(server);
    let posting = true;
    const posted = discussionOn(cut, discussion.id)
      .post(admin(), { text: "x", files: [png, png, png, png] })
      .finally(() => {
        posting = false;
      });
    while (posting)
      for (const { attachments } of (await discussion.list({})).messages) expect(attachments).toHaveLength(4);
    expect((await discussion.list({})).messages).toEqual([await posted]);
  });
});

test("reconcile reports stored files without objects, and removes objects without rows", async () => {
  const kept = idOfPath(await uploadGeneral(server, admin(), png));
  const left = idOfPath(await uploadGeneral(server, admin(), png));
  await instances.sql`update waybill.stored_files set state = 'receiving' where id = ${left}`;
  await age(2);
  for (const id of [kept, left]) await instances.storage.remove(`files/1/${id}`);
  const stray = `files/2/${crypto.randomUUID()}`;
  for (const key of [stray, "files/1/notes.txt"]) await putObject(key);
  const lost = { kind: "row without object" as const, tenantId: 1 };
  const unknown = { kind: "unknown object" as const, key: "files/1/notes.txt", repaired: false as const };
  expect(await find(true)).toEqual([
    unknown,
    { kind: "object without row", key: stray, repaired: true },
    { ...lost, id: kept, state: "stored", repaired: false },
    { ...lost, id: left, state: "receiving", repaired: true },
  ]);
  expect(await find(true)).toEqual([unknown, { ...lost, id: kept, state: "stored", repaired: false }]);
});

test("an object in the attachments' folder does not belong to a stored file with its id", async () => {
  const id = idOfPath(await uploadGeneral(server, admin(), png));
  await age(2);
  const key = `attachments/1/${id}`;
  await putObject(key);
  expect(await find(true)).toEqual([{ kind: "object without row", key, repaired: true }]);
});
