/** Uploads keep the disk's reserve free, and downloads from S3 leave no copies behind. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDiskSpace } from "../../src/infrastructure/diskSpace.ts";
import { s3Storage } from "../../src/infrastructure/storage/s3.ts";
import { unavailable } from "../../src/infrastructure/storage/storage.ts";
import {
  commit,
  fixtureBytes,
  issueOne,
  member,
  remains,
  slugOf,
  upload,
  uploadPath,
} from "../support/attachments.ts";
import { type OpenBucket, openBucket } from "../support/s3Server.ts";
import { startServer, type TestServer } from "../support/server.ts";

const roomy = createDiskSpace({ path: tmpdir(), reserveBytes: 0 });
const full = createDiskSpace({ path: tmpdir(), reserveBytes: 1024 ** 5 });
/** A real disk whose reserve is either nothing or everything. */
let disk = roomy;
const changing = {
  hold: (bytes: number) => disk.hold(bytes),
  holdCopy: (bytes: number, group: string) => disk.holdCopy(bytes, group),
  isLow: () => disk.isLow(),
};

let bucket: OpenBucket;
let server: TestServer;
beforeAll(async () => {
  bucket = await openBucket();
  server = await startServer({ deps: { storage: s3Storage(bucket.config), disk: changing } });
});
afterAll(async () => {
  await server.stop();
  await bucket.close();
});

async function whileFull<T>(act: () => Promise<T>): Promise<T> {
  disk = full;
  try {
    return await act();
  } finally {
    disk = roomy;
  }
}

async function send(): Promise<Response> {
  const by = member();
  const form = new FormData();
  form.set("file", new File([await fixtureBytes("pillow.png")], "pillow.png"));
  form.set("process_key", "loan_application");
  form.set("field_name", "identity_card");
  const headers = { authorization: `Bearer ${await server.token(by)}`, "x-active-tenant": slugOf(by) };
  return server.request(uploadPath, { method: "POST", headers, body: form });
}

test("below the reserve, an upload answers 507 and leaves nothing, and readiness warns", async () => {
  const before = await remains(server);
  const [refused, ready] = await whileFull(async () => [await send(), await fetch(`${server.url}/readyz`)]);
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([
    507,
    "insufficient_storage",
  ]);
  expect(await remains(server)).toEqual(before);
  expect([ready.status, await ready.json()]).toEqual([
    200,
    { status: "ok", warnings: [{ code: "disk_low", message: expect.any(String) }] },
  ]);
  expect((await send()).status).toBe(201);
  expect(await (await fetch(`${server.url}/readyz`)).json()).toEqual({ status: "ok" });
});

test("bytes that running uploads have announced count as written", async () => {
  const { bavail, bsize } = await import("node:fs").then(({ statfsSync }) => statfsSync(tmpdir()));
  const small = createDiskSpace({ path: tmpdir(), reserveBytes: bavail * bsize - 1024 ** 3 });
  const first = await small.hold(0.7 * 1024 ** 3);
  await expect(small.hold(0.7 * 1024 ** 3)).rejects.toMatchObject({ code: "insufficient_storage" });
  first();
  first();
  (await small.hold(0.7 * 1024 ** 3))();
});

test("a disk that is full in the middle of a write answers 507", () => {
  for (const code of ["ENOSPC", "EDQUOT", "XMinioStorageFull"])
    expect(unavailable(Object.assign(new Error("no space left"), { code }))).toMatchObject({ status: 507 });
  expect(unavailable(new Error("away"))).toMatchObject({ status: 503, headers: { "Retry-After": "5" } });
});

test("a download without disk space for its file does not use up the link", async () => {
  const url = await issueOne(server, await commit(server));
  const refused = await whileFull(() => fetch(url));
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  const sent = await fetch(url);
  const bytes = await fixtureBytes("pillow.png");
  expect([sent.status, sent.headers.get("content-length")]).toEqual([200, String(bytes.length)]);
  expect(await sent.bytes()).toEqual(bytes);
});

test("copies of files from S3 are removed soon after they were sent", async () => {
  const big = new Uint8Array(await fixtureBytes("pillow.png"));
  const attachments = await Promise.all(Array.from({ length: 8 }, () => commit(server)));
  const urls = await Promise.all(attachments.map((attachment) => issueOne(server, attachment)));
  const bodies = await Promise.all(urls.map(async (url) => (await fetch(url)).bytes()));
  for (const body of bodies) expect(body).toEqual(big);
  await Bun.sleep(1_500);
  expect(await readdir(join(server.deps.config.dataDir, "uploads"))).toEqual([]);
});

test("a file that is removed while it is sent reaches a slow receiver completely", async () => {
  const path = join(tmpdir(), `waybill-${crypto.randomUUID()}`);
  const bytes = 24 * 1024 ** 2;
  await writeFile(path, new Uint8Array(bytes).fill(7));
  const site = Bun.serve({
    port: 0,
    fetch: () => {
      setTimeout(() => Bun.file(path).delete(), 100);
      return new Response(Bun.file(path));
    },
  });
  const response = await fetch(site.url);
  const reader = response.body?.getReader();
  let received = (await reader?.read())?.value?.length ?? 0;
  await Bun.sleep(500);
  for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read())
    received += chunk.value.length;
  await site.stop(true);
  expect([received, response.headers.get("content-length")]).toEqual([bytes, String(bytes)]);
});

test("the downloads of a tenant do not block those of others", async () => {
  const by = member();
  expect((await upload(server, { by })).file_name).toBe("pillow.png");
  const held = await Promise.all([0, 1, 2, 3].map(() => roomy.holdCopy(64 * 1024 ** 2, "greedy")));
  const url = await issueOne(server, await commit(server));
  expect((await fetch(url)).status).toBe(200);
  for (const release of held) release();
});
