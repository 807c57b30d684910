import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { type Finding, reconcile } from "../../../src/files/maintenance/reconcile.ts";
import { agreeOnIdentity } from "../../../src/files/maintenance/storageIdentity.ts";
import { connect } from "../../../src/infrastructure/database/connect.ts";
import { migrate } from "../../../src/infrastructure/database/migrate.ts";
import { objectKey } from "../../support/attachments.ts";
import { createDatabase } from "../../support/database.ts";
import { type LocalFiles, openLocalFiles } from "../../support/localFiles.ts";
import type { TestServer } from "../../support/server.ts";
import { inFolder, repository, startWaybill } from "../../support/waybillProcess.ts";
import {
  age,
  type Draft,
  finalize,
  type Instances,
  objectKeys,
  rowKeys,
  sharedSecret,
  startInstances,
  upload,
} from "../attachments/instances.ts";

setDefaultTimeout(60_000);
const command = [join(repository, "src/commands/reconcile.ts")];
let instances: Instances;
let server: TestServer;
let files: LocalFiles;
beforeAll(async () => {
  instances = await startInstances();
  server = instances.servers[0];
  await agreeOnIdentity(server.deps);
  files = await openLocalFiles();
});
afterAll(async () => {
  await files.close();
  await instances.stop();
});

/** Each test starts without files. */
beforeEach(async () => {
  await instances.sql`delete from waybill.attachments`;
  for (const key of await objectKeys(instances.storage)) await instances.storage.remove(key);
});

const find = (repair = false): Promise<Finding[]> => Array.fromAsync(reconcile(server.deps, { repair }));

/** Stores an object with an earlier time. */
async function putObject(key: string, hoursAgo = 2): Promise<void> {
  await instances.storage.put(key, await files.make(10));
  const object = await instances.storage.get(key);
  await object?.body.cancel();
  const at = new Date(Date.now() - hoursAgo * 3_600_000);
  await utimes(object?.path ?? "", at, at);
}

/** One attachment in each state, each of them for two hours. */
async function oneInEachState(): Promise<Record<string, Draft>> {
  const drafts: Record<string, Draft> = {};
  for (const state of ["receiving", "draft", "committed", "deleting"]) {
    const draft = await upload(server);
    await instances.sql`update waybill.attachments set state = ${state} where id = ${draft.id}`;
    drafts[state] = draft;
  }
  await age(instances.sql, 2);
  return drafts;
}

test("nothing is found if every row has its object", async () => {
  await oneInEachState();
  expect(await find()).toEqual([]);
});

test("objects without a row are found after an hour, and only a repair removes them", async () => {
  const [old, young] = [objectKey(1, crypto.randomUUID()), objectKey(1, crypto.randomUUID())];
  await putObject(old);
  await putObject(young, 0.9);
  expect(await find()).toEqual([{ kind: "object without row", key: old, repaired: false }]);
  expect(await find(true)).toEqual([{ kind: "object without row", key: old, repaired: true }]);
  expect(await objectKeys(instances.storage)).toEqual([young]);
  expect(await find()).toEqual([]);
});

test("an object in another tenant's folder belongs to no row", async () => {
  const { id } = await upload(server);
  await putObject(objectKey(2, id));
  expect(await find()).toEqual([{ kind: "object without row", key: objectKey(2, id), repaired: false }]);
});

test("objects with the name of no attachment are reported and never touched", async () => {
  const keys = ["attachments/1/notes.txt", `attachments/01/${crypto.randomUUID()}`];
  for (const key of keys) await putObject(key);
  const found = await find(true);
  expect(found.map(({ kind, repaired }) => ({ kind, repaired }))).toEqual(
    keys.map(() => ({ kind: "unknown object", repaired: false })),
  );
  expect(await objectKeys(instances.storage)).toEqual(keys.sort());
});

test("rows without an object are found in each state; a repair removes all but committed ones", async () => {
  const drafts = await oneInEachState();
  for (const { id } of Object.values(drafts)) await instances.storage.remove(objectKey(1, id));
  const found = await find(true);
  const repaired = found.map(
    (finding) => finding.kind === "row without object" && [finding.state, finding.repaired],
  );
  expect(Object.fromEntries(repaired as [string, boolean][])).toEqual({
    receiving: true,
    draft: true,
    deleting: true,
    committed: false,
  });
  expect(await rowKeys(instances.sql)).toEqual([objectKey(1, drafts.committed?.id ?? "")]);
  expect(await find()).toHaveLength(1);
});

test("uploads and removals that may still be running are not touched", async () => {
  for (const state of ["receiving", "deleting"]) {
    const { id } = await upload(server);
    await instances.sql`update waybill.attachments set state = ${state} where id = ${id}`;
    await instances.storage.remove(objectKey(1, id));
  }
  expect(await find(true)).toEqual([]);
});

test("files that are uploaded and committed meanwhile are never found", async () => {
  const uploads = async (count: number) => {
    for (let n = 0; n < count; n++) {
      const draft = await upload(server);
      if (n % 2 === 0) await finalize(server, draft);
    }
  };
  await uploads(20);
  const busy = uploads(100);
  let running = true;
  void busy.finally(() => {
    running = false;
  });
  while (running) expect(await find(true)).toEqual([]);
  await busy;
  expect(await objectKeys(instances.storage)).toEqual(await rowKeys(instances.sql));
});

test("thousands of differences are each found once", async () => {
  await upload(server);
  await instances.sql`
    insert into waybill.attachments select gen_random_uuid(), tenant_id, state, file_name, mime_type, size, sha256,
      process_key, field_name, process_instance_id, task_id, uploader, form_session_id, uploaded_at, state_since
    from waybill.attachments, generate_series(1, 2500)`;
  const strays = Array.from({ length: 1200 }, () => objectKey(1, crypto.randomUUID()));
  for (const key of strays) await putObject(key);
  const found = await find();
  const keys = found.flatMap((finding) => (finding.kind === "object without row" ? [finding.key] : []));
  const ids = found.flatMap((finding) => (finding.kind === "row without object" ? [finding.id] : []));
  expect(keys.sort()).toEqual(strays.sort());
  expect(new Set(ids).size).toBe(2500);
  expect(ids).toHaveLength(2500);
});

/** Runs the command as an operator does. */
async function run(
  options: readonly string[] = [],
  others: Readonly<Record<string, string>> = {},
): Promise<{ code: number; output: string }> {
  const { dataDir, servers } = instances;
  const environment = {
    DATABASE_URL: servers[0].database.url,
    DATA_DIR: dataDir,
    JWT_SECRET: sharedSecret,
    ...others,
  };
  const waybill = startWaybill({ cwd: dataDir, environment, command: [...command, ...options] });
  const code = await waybill.exited;
  return { code, output: waybill.stdout() + waybill.stderr() };
}

test("the command ends with 0 if all agree, with 1 if something is left, and with 0 after a repair", async () => {
  const drafts = await oneInEachState();
  expect(await run()).toEqual({ code: 0, output: "Objects and rows agree.\n" });
  const { id = "" } = drafts.draft ?? {};
  await instances.storage.remove(objectKey(1, id));
  expect(await run()).toEqual({
    code: 1,
    output: `draft row without object: 1/${id}\ndraft row without object: 1, repaired: 0\nSome differences remain.\n`,
  });
  expect((await run(["--repair"])).code).toBe(0);
  expect((await run()).code).toBe(0);
});

test("the command ends with 1 for a committed attachment without an object, even after a repair", async () => {
  const { committed } = await oneInEachState();
  await instances.storage.remove(objectKey(1, committed?.id ?? ""));
  for (const options of [[], ["--repair"]]) {
    const { code, output } = await run(options);
    expect(code).toBe(1);
    expect(output).toContain(`committed row without object: 1/${committed?.id}\n`);
  }
});

test("the command ends with 2 and its usage for an unknown option", async () => {
  const { code, output } = await run(["--fix"]);
  expect(code).toBe(2);
  expect(output).toContain("usage: bun run reconcile [--repair [--remove-many]] [--adopt]");
});

test("a repair with another database, or without an identity, ends with 2 and removes nothing", async () => {
  const { committed } = await oneInEachState();
  const other = await createDatabase();
  try {
    await migrate(other.url, { log: server.deps.log });
    const unknown = await run(["--repair"], { DATABASE_URL: other.url });
    expect(unknown).toMatchObject({
      code: 2,
      output: expect.stringContaining("not known to belong together"),
    });
    const elsewhere = connect(other.url);
    await elsewhere`insert into waybill.storage_identity (id) values (gen_random_uuid())`;
    const wrong = await run(["--repair", "--remove-many"], { DATABASE_URL: other.url });
    expect(wrong.code).toBe(2);
    expect(wrong.output).toContain("belongs to another database");
    expect(wrong.output.trim().split("\n")).toHaveLength(1);
    const started = startWaybill({
      cwd: instances.dataDir,
      environment: { DATABASE_URL: other.url, DATA_DIR: instances.dataDir, JWT_SECRET: sharedSecret },
    });
    expect(await started.exited).toBe(1);
    expect(started.stderr()).toContain("belongs to another database");
    await elsewhere`delete from waybill.storage_identity`;
    await elsewhere.end();
    const fresh = startWaybill({
      cwd: instances.dataDir,
      environment: { DATABASE_URL: other.url, DATA_DIR: instances.dataDir, JWT_SECRET: sharedSecret },
    });
    expect(await fresh.exited).toBe(1);
  } finally {
    await other.drop();
  }
  expect(await objectKeys(instances.storage)).toContain(objectKey(1, committed?.id ?? ""));
  expect((await run()).code).toBe(0);
});

test("a server gives an identity to a database and a storage with the same files, as after an upgrade", async () => {
  await oneInEachState();
  await instances.sql`delete from waybill.storage_identity`;
  await instances.storage.remove("waybill/identity");
  expect((await run()).code).toBe(2);
  await agreeOnIdentity(server.deps);
  expect((await run()).code).toBe(0);
  // The storage has lost its identity.
  await instances.storage.remove("waybill/identity");
  await agreeOnIdentity(server.deps);
  expect((await run()).code).toBe(0);
  // An empty storage is the wrong one for a database with files, unless an operator adopts it.
  await instances.storage.remove("waybill/identity");
  for (const key of await objectKeys(instances.storage)) await instances.storage.remove(key);
  await expect(agreeOnIdentity(server.deps)).rejects.toThrow("do not match");
  expect((await run(["--adopt"])).code).toBe(1);
});

test("a repair that would remove more than 1 % of the objects stops, and says how to continue", async () => {
  for (let n = 0; n < 6; n++) await upload(server);
  const strays = Array.from({ length: 4 }, () => objectKey(1, crypto.randomUUID()));
  for (const key of strays) await putObject(key);
  const stopped = await run(["--repair"]);
  expect(stopped).toEqual({
    code: 2,
    output:
      "The repair would remove 4 of 10 objects. Nothing was removed. " +
      "If this is intended, run: bun run reconcile --repair --remove-many\n",
  });
  expect(await objectKeys(instances.storage)).toHaveLength(10);
  expect((await run(["--repair", "--remove-many"])).code).toBe(0);
  expect(await objectKeys(instances.storage)).toHaveLength(6);
});

test("an embedded database can be compared only while its server is stopped, and the command says so", async () => {
  await inFolder(async (_, start) => {
    const waybill = start();
    await waybill.listening;
    const early = start({ command });
    expect(await early.exited).toBe(2);
    expect(early.stderr()).toContain("is in use by another running Waybill server: stop that one");
    waybill.kill("SIGTERM");
    await waybill.exited;
    const later = start({ command });
    expect(await later.exited).toBe(0);
    expect(later.stdout()).toBe("Objects and rows agree.\n");
  });
});
