/** The rules of `src/infrastructure/storage/storage.ts` as one suite, which each driver passes on each real server. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm, writeFile } from "node:fs/promises";
import type { ListedObject, LocalFile, Storage } from "../../../src/infrastructure/storage/storage.ts";
import { digestOf, type LocalFiles, openLocalFiles } from "../../support/localFiles.ts";

export interface OpenStorage {
  /** Empty, and not prepared yet. */
  readonly storage: Storage;
  readonly close: () => Promise<void>;
}

const MiB = 1024 * 1024;
const hookMs = 60_000;

export function storageConformance(name: string, open: () => Promise<OpenStorage>): void {
  describe(`storage on ${name}`, () => {
    let opened: OpenStorage;
    let storage: Storage;
    let files: LocalFiles;

    beforeAll(async () => {
      opened = await open();
      storage = opened.storage;
      files = await openLocalFiles();
    }, hookMs);
    afterAll(async () => {
      await files?.close();
      await opened?.close();
    }, hookMs);

    test("is not ready until it is prepared, and can be prepared 8 times simultaneously", async () => {
      await expect(storage.ready()).rejects.toMatchObject({ code: "storage_unavailable" });
      await expect(storage.get("early/object")).rejects.toMatchObject({ code: "storage_unavailable" });
      await Promise.all(Array.from({ length: 8 }, () => storage.prepare()));
      await storage.prepare();
      await storage.ready();
    });

    for (const size of [0, 1, 5 * MiB, 20 * MiB]) {
      test(`returns ${size} bytes as they were put`, async () => {
        const file = await files.make(size);
        await storage.put(`sizes/${size}`, file);
        expect(await contentOf(storage, `sizes/${size}`)).toEqual({ size, sha256: file.sha256 });
        await storage.remove(`sizes/${size}`);
      });
    }

    test("replaces an old object with a new one", async () => {
      const [first, second] = [await files.make(3 * MiB), await files.make(1000)];
      await storage.put("over/written", first);
      await storage.put("over/written", second);
      expect(await contentOf(storage, "over/written")).toEqual({ size: 1000, sha256: second.sha256 });
      expect(await keysOf(storage, "over/")).toEqual(["over/written"]);
    });

    test("has no object under an unused key", async () => {
      expect(await storage.get("nothing/here")).toBeUndefined();
      expect(await storage.get("nothing")).toBeUndefined();
    });

    test("removes an object, and a missing object without an error", async () => {
      await storage.put("removed/object", await files.make(10));
      await storage.remove("removed/object");
      await storage.remove("removed/object");
      await storage.remove("never/was");
      expect(await storage.get("removed/object")).toBeUndefined();
      expect(await keysOf(storage, "removed/")).toEqual([]);
    });

    test("keeps keys with a common prefix apart, and lists by prefix", async () => {
      const keys = [
        "tree/a/b/c",
        "tree/a/b/d",
        "tree/a/bc",
        "tree/b",
        "tree/0.tmp",
        "treetop/x",
        "tree/a-b/_c",
        "0x10",
        "1e3",
      ];
      for (const key of keys) await storage.put(key, await files.make(key.length));
      expect(await keysOf(storage, "tree/")).toEqual(keys.filter((key) => key.startsWith("tree/")).sort());
      expect(await keysOf(storage, "tree/a/b")).toEqual(["tree/a/b/c", "tree/a/b/d", "tree/a/bc"]);
      expect(await keysOf(storage, "tree/a/b/")).toEqual(["tree/a/b/c", "tree/a/b/d"]);
      expect(await keysOf(storage, "forest/")).toEqual([]);
      expect(await keysOf(storage, "")).toEqual(expect.arrayContaining(["0x10", "1e3", "treetop/x"]));
    });

    test("lists 1,150 objects, each once, with its size and the time it was put", async () => {
      const started = Date.now();
      const file = await files.make(7);
      const keys = Array.from({ length: 1150 }, (_, index) => `many/${index % 3}/${index}`).sort();
      await inTurns(keys, { width: 16 }, (key) => storage.put(key, file));
      const listed = await listOf(storage, "many/");
      expect(listed.map(({ key }) => key)).toEqual(keys);
      expect(new Set(listed.map(({ size }) => size))).toEqual(new Set([7]));
      const times = listed.map(({ modifiedAt }) => modifiedAt.getTime());
      // Servers return whole seconds.
      expect(Math.min(...times)).toBeGreaterThan(started - 2000);
      expect(Math.max(...times)).toBeLessThan(Date.now() + 2000);
    }, 120_000);

    test("keeps only a small part of 50 simultaneous transfers of 8 MiB in memory", async () => {
      const file = await files.make(8 * MiB);
      const keys = Array.from({ length: 50 }, (_, index) => `crowd/${index}`);
      const watch = watchMemory();
      await Promise.all(keys.map((key) => storage.put(key, file)));
      const digests = await Promise.all(keys.map(async (key) => (await contentOf(storage, key))?.sha256));
      expect(new Set(digests)).toEqual(new Set([file.sha256]));
      // All of them together have 400 MiB.
      expect(watch.stop()).toBeLessThan(100 * MiB);
    }, 120_000);

    test("does not read ahead of a slow reader, and ends a cancelled read", async () => {
      await storage.put("cancelled/object", await files.make(20 * MiB));
      for (let round = 0; round < 20; round++) {
        const reader = (await storage.get("cancelled/object"))?.body.getReader();
        expect((await reader?.read())?.value?.length).toBeGreaterThan(0);
        await reader?.cancel();
      }
      await storage.put("cancelled/object", await files.make(5));
      expect(await contentOf(storage, "cancelled/object")).toMatchObject({ size: 5 });
    });

    const changes: [what: string, change: (file: LocalFile) => LocalFile | Promise<LocalFile>][] = [
      ["shorter than announced", (file) => ({ ...file, size: file.size + 1 })],
      ["longer than announced", (file) => ({ ...file, size: file.size - 1 })],
      ["not the one announced", (file) => ({ ...file, sha256: "0".repeat(64) })],
      ["changed since", async (file) => writeFile(file.path, "x".repeat(file.size)).then(() => file)],
      ["gone", async (file) => rm(file.path).then(() => file)],
    ];
    for (const [what, change] of changes) {
      test(`stores nothing of a file that is ${what}, and keeps the object that was there`, async () => {
        const kept = await files.make(100);
        await storage.put("kept/object", kept);
        const file = await change(await files.make(2 * MiB));
        for (const key of ["kept/object", "broken/object"]) {
          await expect(storage.put(key, file)).rejects.toMatchObject({ code: "internal_error" });
        }
        expect(await contentOf(storage, "kept/object")).toMatchObject({ sha256: kept.sha256 });
        expect(await storage.get("broken/object")).toBeUndefined();
        expect(await keysOf(storage, "broken/")).toEqual([]);
      });
    }

    test("refuses a text that is not a key", async () => {
      const file = await files.make(1);
      for (const key of ["", "/a", "a/", "a//b", "a/../b", "..", "A", "a b", "a/.b", "ä", "a\\b", "a\0"]) {
        await expect((async () => storage.put(key, file))()).rejects.toThrow(TypeError);
        await expect((async () => storage.get(key))()).rejects.toThrow(TypeError);
        await expect((async () => storage.remove(key))()).rejects.toThrow(TypeError);
      }
    });
  });
}

async function contentOf(storage: Storage, key: string) {
  const object = await storage.get(key);
  return object && { size: object.size, sha256: await digestOf(object.body) };
}

async function listOf(storage: Storage, prefix: string): Promise<ListedObject[]> {
  const listed = await Array.fromAsync(storage.list(prefix));
  return listed.sort((a, b) => (a.key < b.key ? -1 : 1));
}

async function keysOf(storage: Storage, prefix: string): Promise<string[]> {
  return (await listOf(storage, prefix)).map(({ key }) => key);
}

async function inTurns<T>(items: T[], { width }: { width: number }, work: (item: T) => Promise<void>) {
  const left = items.values();
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (const item of left) await work(item);
    }),
  );
}

/** By how many bytes the process has grown at most. Garbage is collected first, so that only used memory counts. */
function watchMemory() {
  Bun.gc(true);
  const start = process.memoryUsage.rss();
  let most = 0;
  const look = () => {
    Bun.gc(true);
    most = Math.max(most, process.memoryUsage.rss() - start);
  };
  const timer = setInterval(look, 50);
  return {
    stop() {
      clearInterval(timer);
      look();
      return most;
    },
  };
}
