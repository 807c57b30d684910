import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { filesystemStorage } from "../../../src/infrastructure/storage/filesystem.ts";
import { digestOf, type LocalFiles, openLocalFiles } from "../../support/localFiles.ts";
import { storageConformance } from "./conformance.ts";

storageConformance("the file system", async () => {
  const parent = await mkdtemp(join(tmpdir(), "waybill-objects-"));
  const storage = filesystemStorage({ folder: join(parent, "objects") });
  return { storage, close: () => rm(parent, { recursive: true, force: true }) };
});

describe("files as objects", () => {
  let parent: string;
  let folder: string;
  let files: LocalFiles;

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), "waybill-objects-"));
    folder = join(parent, "objects");
    files = await openLocalFiles();
    await filesystemStorage({ folder }).prepare();
  });
  afterAll(async () => {
    await files.close();
    await rm(parent, { recursive: true, force: true });
  });

  test("other accounts cannot read it, nor files of an earlier version", async () => {
    const own = join(parent, "own");
    await mkdir(join(own, "attachments/1/@aa"), { recursive: true, mode: 0o755 });
    await writeFile(join(own, "attachments/1/@aa/old"), "secret", { mode: 0o644 });
    const storage = filesystemStorage({ folder: own });
    await storage.prepare();
    await storage.put("attachments/1/new", await files.make(1000));
    for (const entry of [own, ...(await readdir(own, { recursive: true })).map((name) => join(own, name))]) {
      const found = await stat(entry);
      expect([entry, (found.mode & 0o777).toString(8)]).toEqual([entry, found.isDirectory() ? "700" : "600"]);
    }
  });

  test("a process killed in the middle of a put leaves no object, and the next put succeeds", async () => {
    const file = await files.make(64 * 1024 * 1024);
    const driver = join(import.meta.dir, "../../../src/infrastructure/storage/filesystem.ts");
    const program = `
      import { filesystemStorage } from ${JSON.stringify(driver)};
      await filesystemStorage({ folder: ${JSON.stringify(folder)} }).put("killed/object", ${JSON.stringify(file)});`;
    const child = Bun.spawn([process.execPath, "-e", program], { stdio: ["ignore", "ignore", "inherit"] });
    while ((await readdir(join(folder, ".incoming"))).length === 0) await Bun.sleep(1);
    child.kill("SIGKILL");
    await child.exited;
    expect(await readdir(join(folder, ".incoming"))).toHaveLength(1);

    const storage = filesystemStorage({ folder });
    expect(await storage.get("killed/object")).toBeUndefined();
    expect(await Array.fromAsync(storage.list(""))).toEqual([]);
    await storage.put("killed/object", file);
    expect(await digestOf((await storage.get("killed/object"))?.body)).toBe(file.sha256);
    await storage.remove("killed/object");
  });

  test("prepare removes what a crash left a day ago, but no file that is being written", async () => {
    const [old, young] = [join(folder, ".incoming", "old"), join(folder, ".incoming", "young")];
    await writeFile(old, "left over");
    await writeFile(young, "in flight");
    const yesterday = Date.now() / 1000 - 25 * 60 * 60;
    await utimes(old, yesterday, yesterday);
    const storage = filesystemStorage({ folder });
    await Promise.all([storage.prepare(), storage.prepare(), storage.prepare()]);
    expect(await readdir(join(folder, ".incoming"))).toContain("young");
    expect(await readdir(join(folder, ".incoming"))).not.toContain("old");
  });

  test("a/b and a/b/c can both be objects", async () => {
    const storage = filesystemStorage({ folder });
    await storage.put("side", await files.make(1));
    await storage.put("side/by-side", await files.make(2));
    expect((await Array.fromAsync(storage.list("side"))).map(({ key }) => key).sort()).toEqual([
      "side",
      "side/by-side",
    ]);
  });

  test("a reader of an object that is replaced gets the old object whole", async () => {
    const storage = filesystemStorage({ folder });
    const first = await files.make(4 * 1024 * 1024);
    await storage.put("replaced/object", first);
    const before = await storage.get("replaced/object");
    await storage.put("replaced/object", await files.make(4 * 1024 * 1024));
    expect(await digestOf(before?.body)).toBe(first.sha256);
  });

  test("objects of one prefix are spread over folders", async () => {
    const storage = filesystemStorage({ folder });
    const file = await files.make(1);
    for (let index = 0; index < 100; index++) await storage.put(`spread/${index}`, file);
    expect((await readdir(join(folder, "spread"))).length).toBeGreaterThan(50);
  });

  test("a missing folder is storage_unavailable, not a missing object, and works again once it is back", async () => {
    const storage = filesystemStorage({ folder });
    const file = await files.make(10);
    await storage.put("volume/object", file);
    await rename(folder, `${folder}-away`);
    const unavailable = { code: "storage_unavailable", status: 503 };
    await expect(storage.ready()).rejects.toMatchObject(unavailable);
    await expect(storage.get("volume/object")).rejects.toMatchObject(unavailable);
    await expect(storage.put("volume/object", file)).rejects.toMatchObject(unavailable);
    await expect(storage.remove("volume/object")).rejects.toMatchObject(unavailable);
    await expect(Array.fromAsync(storage.list(""))).rejects.toMatchObject(unavailable);
    await rename(`${folder}-away`, folder);
    await storage.ready();
    expect(await digestOf((await storage.get("volume/object"))?.body)).toBe(file.sha256);
  });
});
