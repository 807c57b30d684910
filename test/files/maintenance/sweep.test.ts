import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { exists, mkdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { removeLeftoverUploads, sweepOnce } from "../../../src/files/maintenance/sweep.ts";
import { Problem } from "../../../src/infrastructure/problem.ts";
import type { Storage } from "../../../src/infrastructure/storage/storage.ts";
import { objectKey } from "../../support/attachments.ts";
import type { TestServer } from "../../support/server.ts";
import {
  age,
  finalize,
  type Instances,
  objectKeys,
  remove,
  rowKeys,
  startInstances,
  stateOf,
  upload,
} from "../attachments/instances.ts";

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
  await instances.sql`delete from waybill.attachments`;
  for (const key of await objectKeys(instances.storage)) await instances.storage.remove(key);
});

const sweep = (storage: Storage = instances.storage) => sweepOnce({ ...server.deps, storage });
const away = () => Promise.reject(new Problem("storage_unavailable"));

test("a draft older than the limit is removed, and finalizing it answers 409 with its id", async () => {
  const draft = await upload(server);
  await age(instances.sql, 25);
  expect(await sweep()).toBe(1);
  expect(await objectKeys(instances.storage)).toEqual([]);
  expect(await rowKeys(instances.sql)).toEqual([]);
  const { status, body } = await finalize(server, draft);
  expect(status).toBe(409);
  expect(body).toMatchObject({ code: "not_committed", not_committed: [draft.id] });
});

test("a draft younger than the limit stays", async () => {
  const draft = await upload(server);
  await age(instances.sql, 23);
  expect(await sweep()).toBe(0);
  expect((await finalize(server, draft)).status).toBe(200);
});

test("a committed attachment is never removed, whatever its age", async () => {
  const draft = await upload(server);
  await finalize(server, draft);
  await age(instances.sql, 100_000);
  expect(await sweep()).toBe(0);
  expect(await objectKeys(instances.storage)).toEqual([objectKey(1, draft.id)]);
});

test("an upload that never became a draft is removed after an hour", async () => {
  const { id } = await upload(server);
  await instances.sql`update waybill.attachments set state = 'receiving' where id = ${id}`;
  expect(await sweep()).toBe(0);
  await age(instances.sql, 2);
  expect(await sweep()).toBe(1);
  expect(await objectKeys(instances.storage)).toEqual([]);
});

test("two simultaneous sweeps remove several batches, each file once", async () => {
  await upload(server);
  await instances.sql`
    insert into waybill.attachments select gen_random_uuid(), tenant_id, state, file_name, mime_type, size, sha256,
      process_key, field_name, process_instance_id, task_id, uploader, form_session_id, uploaded_at, state_since
    from waybill.attachments, generate_series(1, 999)`;
  await age(instances.sql, 25);
  const counts = await Promise.all(instances.servers.map(({ deps }) => sweepOnce(deps)));
  expect(counts.reduce((sum, count) => sum + count)).toBe(1000);
  expect(await rowKeys(instances.sql)).toEqual([]);
});

test("the next sweep finishes one that stopped before the object was removed", async () => {
  const draft = await upload(server);
  await age(instances.sql, 25);
  await expect(sweep({ ...instances.storage, remove: away })).rejects.toMatchObject({
    code: "storage_unavailable",
  });
  expect(await stateOf(instances.sql, draft.id)).toBe("deleting");
  expect((await finalize(server, draft)).status).toBe(409);
  await age(instances.sql, 1);
  expect(await sweep()).toBe(1);
  expect(await objectKeys(instances.storage)).toEqual([]);
});

test("the next sweep finishes one that stopped after the object was removed", async () => {
  const draft = await upload(server);
  await age(instances.sql, 25);
  const remove = (key: string) => instances.storage.remove(key).then(away);
  await expect(sweep({ ...instances.storage, remove })).rejects.toMatchObject({
    code: "storage_unavailable",
  });
  expect(await objectKeys(instances.storage)).toEqual([]);
  expect(await stateOf(instances.sql, draft.id)).toBe("deleting");
  await age(instances.sql, 1);
  expect(await sweep()).toBe(1);
  expect(await rowKeys(instances.sql)).toEqual([]);
});

test("one object that cannot be removed does not keep the others from being removed", async () => {
  const drafts = await Promise.all([1, 2, 3].map(() => upload(server)));
  await age(instances.sql, 25);
  const stuck = objectKey(1, drafts[0]?.id ?? "");
  const storage = {
    ...instances.storage,
    remove: (key: string) => (key === stuck ? away() : instances.storage.remove(key)),
  };
  await expect(sweep(storage)).rejects.toMatchObject({ code: "storage_unavailable" });
  expect(await rowKeys(instances.sql)).toEqual([stuck]);
});

test("a deletion whose object cannot be removed answers 204, and the sweep finishes it", async () => {
  const draft = await upload(server);
  const cut = await instances.start({ ...instances.storage, remove: away });
  expect((await remove(cut, draft)).status).toBe(204);
  await cut.stop();
  expect((await remove(server, draft)).status).toBe(404);
  expect(await objectKeys(instances.storage)).toEqual([objectKey(1, draft.id)]);
  await age(instances.sql, 1);
  expect(await sweep()).toBe(1);
  expect(await objectKeys(instances.storage)).toEqual([]);
});

test("the sweep cleans up an upload that failed while nothing could be removed", async () => {
  const put = (...args: Parameters<Storage["put"]>) => instances.storage.put(...args).then(away);
  const cut = await instances.start({ ...instances.storage, put, remove: away });
  await expect(upload(cut)).rejects.toThrow("503");
  await cut.stop();
  expect(await rowKeys(instances.sql)).toHaveLength(1);
  await age(instances.sql, 2);
  expect(await sweep()).toBe(1);
  expect(await objectKeys(instances.storage)).toEqual([]);
});

test("old tokens, form sessions and rate limits are deleted, the others stay", async () => {
  const { sql } = instances;
  for (const hours of [1, -1, -23, -25]) {
    await sql`
      insert into waybill.download_tokens (digest, attachment_id, tenant_id, process_instance_id, expires_at)
      values (${Buffer.from(String(hours))}, gen_random_uuid(), 1, 'i', now() + make_interval(hours => ${hours}))`;
    await sql`
      insert into waybill.form_sessions values (${`s${hours}`}, 1, now() + make_interval(hours => ${hours}))`;
  }
  await sql`delete from waybill.rate_limits`;
  await sql`
    insert into waybill.rate_limits
    values ('quiet', '{}', true, now() - interval '11 minutes'), ('busy', '{}', true, now())`;
  await sweep();
  expect(await sql`select 1 from waybill.download_tokens`).toHaveLength(3);
  expect(await sql`select 1 from waybill.form_sessions`).toHaveLength(3);
  expect([...(await sql`select key from waybill.rate_limits`)]).toEqual([{ key: "busy" }]);
});

test("temporary upload files older than an hour are removed, younger ones stay", async () => {
  const { dataDir } = server.deps.config;
  const folder = join(dataDir, "uploads");
  await mkdir(folder, { recursive: true });
  for (const name of ["old", "young"]) await Bun.write(join(folder, name), "x");
  const before = new Date(Date.now() - 61 * 60 * 1000);
  await utimes(join(folder, "old"), before, before);
  await removeLeftoverUploads(dataDir);
  expect(await exists(join(folder, "old"))).toBe(false);
  expect(await exists(join(folder, "young"))).toBe(true);
});

test("a missing folder of temporary files is not an error", async () => {
  await removeLeftoverUploads(join(server.deps.config.dataDir, "absent"));
});
