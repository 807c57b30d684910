import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { s3Storage } from "../../../src/infrastructure/storage/s3.ts";
import type { LocalFile, Storage } from "../../../src/infrastructure/storage/storage.ts";
import { type FaultyProxy, startFaultyProxy } from "../../support/faultyProxy.ts";
import { digestOf, type LocalFiles, openLocalFiles } from "../../support/localFiles.ts";
import { type OpenBucket, openBucket } from "../../support/s3Server.ts";
import { until } from "../../support/until.ts";
import { storageConformance } from "./conformance.ts";

storageConformance("an S3 server", async () => {
  const { config, close } = await openBucket();
  return { storage: s3Storage(config), close };
});

// Long enough for an answer of a busy machine, and short enough to wait for.
const stallMs = 1500;
const hookMs = 60_000;
const unavailable = { code: "storage_unavailable", status: 503 };

describe("an S3 server that fails", () => {
  let bucket: OpenBucket;
  let proxy: FaultyProxy;
  let files: LocalFiles;
  let storage: Storage;
  let file: LocalFile;

  beforeAll(async () => {
    bucket = await openBucket();
    proxy = await startFaultyProxy(bucket.config.endpoint);
    files = await openLocalFiles();
    file = await files.make(12 * 1024 * 1024);
    storage = s3Storage({ ...bucket.config, endpoint: proxy.url }, { stallMs });
    await storage.prepare();
    await storage.put("kept/object", file);
  }, hookMs);
  afterEach(async () => {
    // The next call works, whatever the test did to the server.
    proxy.set("pass");
    await storage.ready();
    expect(await digestOf((await storage.get("kept/object"))?.body)).toBe(file.sha256);
  });
  afterAll(async () => {
    await files?.close();
    await proxy?.close();
    await bucket?.close();
  }, hookMs);

  async function expectUnavailable(storage: Storage): Promise<void> {
    const calls = [
      storage.ready(),
      storage.prepare(),
      storage.get("kept/object"),
      storage.put("kept/object", file),
      storage.remove("kept/object"),
      Array.fromAsync(storage.list("")),
    ];
    const outcomes = await Promise.allSettled(calls);
    const codes = outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason.code);
    expect(codes).toEqual(calls.map(() => unavailable.code));
  }

  test("unreachable: every call throws storage_unavailable", async () => {
    proxy.set("refuse");
    await expectUnavailable(storage);
  });

  test("nothing listens: every call throws storage_unavailable", async () => {
    const gone = await startFaultyProxy(bucket.config.endpoint);
    await gone.close();
    await expectUnavailable(s3Storage({ ...bucket.config, endpoint: gone.url }));
  });

  test("silent: every call throws storage_unavailable after the stall time, and closes its connection", async () => {
    proxy.set("hang");
    const started = performance.now();
    await expectUnavailable(storage);
    expect(performance.now() - started).toBeGreaterThan(stallMs - 10);
    expect(performance.now() - started).toBeLessThan(2 * stallMs);
    await until(() => proxy.open() === 0, 2);
  });

  test("a wrong secret key or access key is storage_unavailable", async () => {
    await expectUnavailable(s3Storage({ ...bucket.config, secretKey: "not-the-secret" }));
    await expectUnavailable(s3Storage({ ...bucket.config, accessKey: "not-a-user" }));
  });

  test("a missing bucket is storage_unavailable, not a missing object", async () => {
    const elsewhere = s3Storage({ ...bucket.config, bucket: `${bucket.config.bucket.slice(0, -4)}none` });
    await expect(elsewhere.ready()).rejects.toMatchObject(unavailable);
    await expect(elsewhere.get("kept/object")).rejects.toMatchObject(unavailable);
    await expect(elsewhere.put("kept/object", file)).rejects.toMatchObject(unavailable);
    await expect(Array.fromAsync(elsewhere.list(""))).rejects.toMatchObject(unavailable);
  });

  test("cut in the middle of a download: the body fails and does not end early", async () => {
    proxy.set("cut", { cutAfter: 5_000_000 });
    const object = await storage.get("kept/object");
    expect(object?.size).toBe(file.size);
    await expect(digestOf(object?.body)).rejects.toMatchObject(unavailable);
  });

  test("silent in the middle of a download: the body fails after the stall time", async () => {
    proxy.set("stop", { cutAfter: 5_000_000 });
    const object = await storage.get("kept/object");
    const started = performance.now();
    await expect(digestOf(object?.body)).rejects.toMatchObject(unavailable);
    expect(performance.now() - started).toBeLessThan(2 * stallMs);
    await until(() => proxy.open() === 0, 2);
  });

  test("a reader slower than the stall time does not count as a stall of the storage", async () => {
    const reader = (await storage.get("kept/object"))?.body.getReader();
    let received = 0;
    for (let pauses = 2; ; pauses--) {
      if (pauses > 0) await Bun.sleep(stallMs + 500);
      const chunk = await reader?.read();
      if (chunk?.value === undefined) break;
      received += chunk.value.length;
    }
    expect(received).toBe(file.size);
  });

  test("a cancelled download closes its connection", async () => {
    const before = proxy.open();
    const object = await storage.get("kept/object");
    await object?.body.cancel();
    await until(() => proxy.open() <= before, 2);
  });

  test("a kept connection that the server has closed makes no request fail", async () => {
    for (let round = 0; round < 20; round++) {
      await storage.ready();
      proxy.set("pass");
      await storage.put("kept/object", file);
    }
  });
});

test("a storage that refuses this machine's clock is explained in the cause, which the log shows", async () => {
  const body =
    "<Error><Code>RequestTimeTooSkewed</Code><Message>The difference is too large.</Message></Error>";
  const server = Bun.serve({
    port: 0,
    fetch: () => new Response(body, { status: 403, headers: { "Content-Type": "application/xml" } }),
  });
  const { config, close } = await openBucket();
  const storage = s3Storage({ ...config, endpoint: server.url });
  const failure = await storage.get("any/object").catch((error) => error);
  expect(failure).toMatchObject(unavailable);
  expect(failure.cause.message).toContain("clock is too far from the object storage's");
  expect(failure.message).not.toContain("clock");
  await server.stop(true);
  await close();
});
