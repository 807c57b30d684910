/** Server processes that are killed with SIGKILL, or paused, while they carry out a remote engine's tasks. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apiCall, end, flow, model, start } from "../../support/bpmn.ts";
import { allowLoopback, freshKey } from "../../support/processes.ts";
import { secretsFrom } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { startWaybill, type WaybillProcess } from "../../support/waybillProcess.ts";
import { type Remote, startRemote } from "./remote.ts";

setDefaultTimeout(300_000);
let remote: Remote;
let dataDir: string;
const processes: WaybillProcess[] = [];
beforeAll(async () => {
  remote = await startRemote();
  dataDir = await mkdtemp(join(tmpdir(), "waybill-remote-"));
});
afterAll(async () => {
  for (const child of processes) child.kill("SIGKILL");
  await Promise.all(processes.map(({ exited }) => exited));
  await remote.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function startProcess(): Promise<WaybillProcess> {
  const environment = {
    DATABASE_URL: remote.server.database.url,
    DATA_DIR: dataDir,
    ENGINE_URL: remote.url,
    ...secretsFrom("a secret that all of these processes share"),
    ...allowLoopback,
  };
  const child = startWaybill({ cwd: dataDir, environment });
  processes.push(child);
  await child.listening;
  return child;
}

async function deployCall(path: string): Promise<string> {
  const processKey = freshKey("worker_killed");
  const call = apiCall("call", { method: "POST", url: remote.partnerUrl + path, body: "{}" });
  await remote.deploy(model(processKey, [start(), call, end(), flow("start", "call", "end")].join("\n")));
  return processKey;
}

const isSettled = async (id: string) => (await remote.isEnded(id)) || (await remote.incidents(id)).length > 0;

test("killed during the call: an incident, one request, and a second one only after a rerun", async () => {
  let isSilent = true;
  remote.answer = (_, response) => void (isSilent || response.end());
  const processKey = await deployCall("/killed");
  const child = await startProcess();
  const id = await remote.start(processKey);
  await until(() => remote.keys("/killed").length === 1);
  child.kill("SIGKILL");
  await child.exited;
  isSilent = false;
  await startProcess();
  await until(() => isSettled(id), 120);
  const incident = await remote.incident(id);
  expect(incident.row).toMatchObject({ type: "interrupted", attempt: 1, sent: "unknown" });
  expect(remote.keys("/killed")).toHaveLength(1);
  await remote.rerun(incident);
  await until(() => remote.isEnded(id));
  expect(remote.keys("/killed").map((key) => key.split(":").at(-1))).toEqual(["1", "2"]);
});

test("killed and paused among others: no key twice, and each instance ends or is an incident that a rerun ends", async () => {
  remote.answer = (_, response) => void setTimeout(() => response.end(), 300);
  const processKey = await deployCall("/crowd");
  const [killed, paused] = [await startProcess(), await startProcess()];
  const ids: string[] = [];
  for (let round = 0; round < 12; round++) {
    ids.push(...(await Promise.all(Array.from({ length: 10 }, () => remote.start(processKey)))));
    if (round === 4) paused.kill("SIGSTOP");
    if (round === 8) killed.kill("SIGKILL");
  }
  await Bun.sleep(30_000);
  paused.kill("SIGCONT");
  for (const id of ids) await until(() => isSettled(id), 150);
  const keys = remote.keys("/crowd");
  expect(new Set(keys).size).toBe(keys.length);
  expect(new Set(keys.map((key) => key.split(":")[0])).size).toBe(keys.length);
  for (const id of ids) for (const incident of await remote.incidents(id)) await remote.rerun(incident);
  for (const id of ids) await until(() => remote.isEnded(id), 60);
  expect(new Set(remote.keys("/crowd")).size).toBe(remote.keys("/crowd").length);
});
