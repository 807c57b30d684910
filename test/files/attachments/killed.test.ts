/** Server processes that are killed (SIGKILL) during uploads, commits, deletions and sweeps. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { reconcile } from "../../../src/files/maintenance/reconcile.ts";
import { objectKey } from "../../support/attachments.ts";
import { digestOf } from "../../support/localFiles.ts";
import { until } from "../../support/until.ts";
import { longerEach, startWaybill, type WaybillProcess } from "../../support/waybillProcess.ts";
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

setDefaultTimeout(300_000);
let instances: Instances;
beforeAll(async () => {
  instances = await startInstances();
});
afterAll(() => instances.stop());

/** Drafts live for a second and the sweep runs every second, so that each round has both. */
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

const rounds = 15;

interface Acknowledged {
  /** How many uploads were answered 201. */
  uploaded: number;
  /** The ids whose finalize was answered 200, and those whose delete was answered 204. */
  readonly committed: string[];
  readonly removed: string[];
}

/** A client that uploads, and then commits, deletes or leaves the draft, until the server is gone. */
async function work(target: Target, acknowledged: Acknowledged): Promise<void> {
  for (let n = 0; ; n++) {
    const draft = await upload(target).catch(() => undefined);
    if (!draft) return;
    acknowledged.uploaded++;
    await [commitOne, removeOne, () => undefined][n % 3]?.(target, draft, acknowledged);
  }
}

async function commitOne(target: Target, draft: Draft, { committed }: Acknowledged): Promise<void> {
  const answer = await finalize(target, draft).catch(() => undefined);
  if (answer?.status === 200) committed.push(draft.id);
}

async function removeOne(target: Target, draft: Draft, { removed }: Acknowledged): Promise<void> {
  const answer = await remove(target, draft).catch(() => undefined);
  if (answer?.status === 204) removed.push(draft.id);
}

test("after many kills, everything acknowledged is there and nothing else is left", async () => {
  const { sql, storage, servers } = instances;
  const token = servers[0].token;
  const acknowledged: Acknowledged = { uploaded: 0, committed: [], removed: [] };
  // More and longer rounds where the machine is busy: each kill has to meet requests under way.
  for (let round = 0; round < rounds || acknowledged.uploaded <= 50; round++) {
    const waybill = startProcess();
    const url = await waybill.listening;
    const clients = Array.from({ length: 4 }, () => work({ url, token }, acknowledged));
    await Bun.sleep(50 + Math.random() * 1_500 * longerEach(round, rounds));
    waybill.kill("SIGKILL");
    await Promise.all([waybill.exited, ...clients]);
  }
  expect(acknowledged.uploaded).toBeGreaterThan(50);

  // What a kill leaves behind counts as abandoned after an hour, a draft after a day.
  await age(sql, 25, ["receiving", "draft", "deleting"]);
  const last = startProcess();
  await last.listening;
  await until(
    async () => (await sql`select 1 from waybill.attachments where state <> 'committed'`).length === 0,
    60,
  );
  last.kill("SIGTERM");
  expect(await last.exited).toBe(0);

  expect(await Array.fromAsync(reconcile(servers[0].deps, { repair: false }))).toEqual([]);
  expect(await objectKeys(storage)).toEqual(await rowKeys(sql));
  for (const id of acknowledged.removed) expect(await stateOf(sql, id)).toBeUndefined();
  const digest = await digestOf(picture.stream());
  for (const id of acknowledged.committed) {
    expect(await stateOf(sql, id)).toBe("committed");
    expect(await digestOf((await storage.get(objectKey(1, id)))?.body)).toBe(digest);
  }
});

test("another process sweeps after the one that last did is killed", async () => {
  const { sql, servers } = instances;
  const processes = [startProcess(), startProcess()];
  await Promise.all(processes.map(({ listening }) => listening));
  for (const waybill of processes) {
    const { id } = await upload(servers[0]);
    await until(async () => (await stateOf(sql, id)) === undefined, 60);
    waybill.kill("SIGKILL");
    await waybill.exited;
  }
  const { id } = await upload(servers[0]);
  const last = startProcess();
  await until(async () => (await stateOf(sql, id)) === undefined, 60);
  last.kill("SIGTERM");
  expect(await last.exited).toBe(0);
});
