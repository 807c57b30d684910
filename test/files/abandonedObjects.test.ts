/** Uploads to a storage that hangs: how long the client waits, and what happens to an object that is stored late. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sweepOnce } from "../../src/files/maintenance/sweep.ts";
import { s3Storage } from "../../src/infrastructure/storage/s3.ts";
import type { LocalFile, Storage } from "../../src/infrastructure/storage/storage.ts";
import { fixture, member, objectKey, slugOf, upload, uploadPath } from "../support/attachments.ts";
import { type LocalFiles, openLocalFiles } from "../support/localFiles.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let files: LocalFiles;
let storage: Storage;
/** Runs instead of `put`. */
let instead: ((key: string) => Promise<void>) | undefined;

beforeAll(async () => {
  server = await startServer();
  files = await openLocalFiles();
  ({ storage } = server.deps);
  const put = (key: string, file: LocalFile) => (instead ? instead(key) : storage.put(key, file));
  Object.assign(server.deps, { storage: { ...storage, put } });
});
afterAll(async () => {
  await files.close();
  await server.stop();
});

async function send(to: TestServer): Promise<Response> {
  const by = member();
  const form = new FormData();
  form.set("file", await fixture("pillow.png"));
  form.set("process_key", "loan_application");
  form.set("field_name", "identity_card");
  const headers = { authorization: `Bearer ${await to.token(by)}`, "x-active-tenant": slugOf(by) };
  return to.request(uploadPath, { method: "POST", headers, body: form });
}

const keys = async () => (await Array.fromAsync(storage.list("attachments/"))).map(({ key }) => key);
const pass = (minutes: number) =>
  server.sql`update waybill.given_up_objects set next_at = next_at - make_interval(mins => ${minutes})`;
const known = async () => (await server.sql`select key from waybill.given_up_objects`).length;

test("the sweep removes an object that is stored after its upload was abandoned, even an hour later", async () => {
  let late = "";
  instead = async (key) => {
    late = key;
    throw new Error("the connection broke");
  };
  expect((await send(server)).status).toBe(500);
  instead = undefined;
  expect(await server.sql`select from waybill.attachments`).toHaveLength(0);
  for (const minutes of [2, 10, 51]) {
    await storage.put(late, await files.make(100));
    await sweepOnce(server.deps);
    expect(await keys()).toEqual([late]);
    await pass(minutes);
    await sweepOnce(server.deps);
    expect(await keys()).toEqual([]);
  }
  expect(await known()).toBe(0);
});

test("a removal that fails is tried again, and does not stop the rest of the sweep", async () => {
  instead = async () => {
    throw new Error("the connection broke");
  };
  await send(server);
  instead = undefined;
  await pass(2);
  const remove = async () => {
    throw new Error("away");
  };
  await expect(sweepOnce({ ...server.deps, storage: { ...storage, remove } })).rejects.toThrow("away");
  expect(await known()).toBe(1);
  for (const minutes of [2, 10, 51]) {
    await pass(minutes);
    await sweepOnce(server.deps);
  }
  expect(await known()).toBe(0);
});

test("a file that was finalized without an instance is removed after a month, unless an instance took it", async () => {
  const by = member();
  const [unbound, bound] = [await upload(server, { by }), await upload(server, { by })];
  const api = await server.attachments(by);
  const finalize = (id: string, process_instance_id = "") =>
    api.finalizeAttachments({
      xActiveTenant: slugOf(by),
      finalization: { attachment_ids: [id], process_instance_id, task_id: "" },
    });
  await finalize(unbound.attachment_id);
  await finalize(bound.attachment_id);
  await finalize(bound.attachment_id, "4711");
  const age = (days: number) =>
    server.sql`update waybill.attachments set state_since = now() - make_interval(days => ${days})`;
  await age(29);
  await sweepOnce(server.deps);
  expect((await keys()).length).toBe(2);
  await age(31);
  await sweepOnce(server.deps);
  expect(await keys()).toEqual([objectKey(1, bound.attachment_id)]);
  expect(await server.sql`select state from waybill.attachments`).toEqual([{ state: "committed" }] as never);
});

test("an upload to a storage that hangs answers 503 with Retry-After within ten seconds", async () => {
  const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } });
  const endpoint = new URL(`http://127.0.0.1:${silent.port}`);
  const hanging = s3Storage({
    endpoint,
    region: "us-east-1",
    bucket: "objects",
    accessKey: "a",
    secretKey: "s",
  });
  const cut = await startServer({
    database: server.database,
    deps: { storage: { ...hanging, prepare: async () => {} } },
  });
  try {
    const begun = performance.now();
    const answer = await send(cut);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
    const waited = performance.now() - begun;
    expect(waited).toBeGreaterThan(2_000);
    expect(waited).toBeLessThan(10_000);
    // The sweep will remove what the storage may still store.
    expect(await known()).toBe(1);
  } finally {
    await cut.stop();
    silent.stop(true);
  }
}, 30_000);
