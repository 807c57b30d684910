/** Server processes that end by SIGKILL in the middle of uploads, commits, deletions and sweeps. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { reconcile } from "../../../src/files/maintenance/reconcile.ts";
import { objectKey } from "../../support/attachments.ts";
import { digestOf } from "../../support/localFiles.ts";
import { startWaybill, type WaybillProcess } from "../../support/waybillProcess.ts";
import {
  age,
  type Draft,
  finalize,
  type Instances,
  objectKeys,
  picture,
  remove,
  rowKeys,
  sharedSecret,
  startInstances,
  stateOf,
  type Target,
  upload,
} from "./instances.ts";

setDefaultTimeout(180_000);
let instances: Instances;
beforeAll(async () => {
  instances = await startInstances();
});
afterAll(() => instances.stop());

/** Drafts live for a second and are swept every second, so that each round has some of both. */
function startProcess(): WaybillProcess {
  const { dataDir, servers } = instances;
  return startWaybill({
    cwd: dataDir,
    environment: {
      DATABASE_URL: servers[0].database.url,
      DATA_DIR: dataDir,
      JWT_SECRET: sharedSecret,
      DRAFT_MAX_AGE_HOURS: "0.0003",
      DRAFT_SWEEP_INTERVAL_SECONDS: "1",
      LOG_LEVEL: "info",
    },
  });
}

interface Promised {
  /** Uploads that were answered 201. */
  uploaded: number;
  /** Ids whose finalize was answered 200, and whose delete was answered 204. */
  readonly committed: string[];
  readonly removed: string[];
}

/** One client: uploads, then commits, deletes or forgets, until the server is gone. */
async function work(target: Target, promised: Promised): Promise<void> {
  for (let n = 0; ; n++) {
    const draft = await upload(target).catch(() => undefined);
    if (!draft) return;
    promised.uploaded++;
    await [commitOne, removeOne, () => undefined][n % 3]?.(target, draft, promised);
  }
}

async function commitOne(target: Target, draft: Draft, { committed }: Promised): Promise<void> {
  const answer = await finalize(target, draft).catch(() => undefined);
  if (answer?.status === 200) committed.push(draft.id);
}

async function removeOne(target: Target, draft: Draft, { removed }: Promised): Promise<void> {
  const answer = await remove(target, draft).catch(() => undefined);
  if (answer?.status === 204) removed.push(draft.id);
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await Bun.sleep(100);
}

test("nothing that was promised is lost, and nothing else stays, after many a kill", async () => {
  const { sql, storage, servers } = instances;
  const token = servers[0].token;
  const promised: Promised = { uploaded: 0, committed: [], removed: [] };
  for (let round = 0; round < 15; round++) {
    const waybill = startProcess();
    const url = await waybill.listening;
    const clients = Array.from({ length: 4 }, () => work({ url, token }, promised));
    await Bun.sleep(50 + Math.random() * 1_500);
    waybill.kill("SIGKILL");
    await Promise.all([waybill.exited, ...clients]);
  }
  expect(promised.uploaded).toBeGreaterThan(50);

  // What a kill leaves behind is taken for abandoned after an hour, or a day where it is a draft.
  await age(sql, 25, ["receiving", "draft", "deleting"]);
  const last = startProcess();
  await last.listening;
  await until(
    async () => (await sql`select 1 from waybill.attachments where state <> 'committed'`).length === 0,
  );
  last.kill("SIGTERM");
  expect(await last.exited).toBe(0);

  expect(await Array.fromAsync(reconcile(servers[0].deps, { repair: false }))).toEqual([]);
  expect(await objectKeys(storage)).toEqual(await rowKeys(sql));
  for (const id of promised.removed) expect(await stateOf(sql, id)).toBeUndefined();
  const digest = await digestOf(picture.stream());
  for (const id of promised.committed) {
    expect(await stateOf(sql, id)).toBe("committed");
    expect(await digestOf((await storage.get(objectKey(1, id)))?.body)).toBe(digest);
  }
});

test("the sweep goes on when the process that last ran it is killed", async () => {
  const { sql, servers } = instances;
  const processes = [startProcess(), startProcess()];
  await Promise.all(processes.map(({ listening }) => listening));
  for (const waybill of processes) {
    const { id } = await upload(servers[0]);
    await until(async () => (await stateOf(sql, id)) === undefined);
    waybill.kill("SIGKILL");
    await waybill.exited;
  }
  const { id } = await upload(servers[0]);
  const last = startProcess();
  await until(async () => (await stateOf(sql, id)) === undefined);
  last.kill("SIGTERM");
  expect(await last.exited).toBe(0);
});
