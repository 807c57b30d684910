/** The memory of a process with large variables and receivers that hang. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Partner, startPartner } from "../infrastructure/outbound/partner.ts";
import { addon, end, flow, model, oneCall, start } from "../support/bpmn.ts";
import { allowLoopback, deploy, freshKey, incidentOf, startInstance } from "../support/processes.ts";
import { secretsFrom, startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { startWaybill, type WaybillProcess } from "../support/waybillProcess.ts";

setDefaultTimeout(180_000);
const megabyte = 1024 ** 2;
const secret = "a secret that all of these processes share";
const environment = {
  ...secretsFrom(secret),
  ...allowLoopback,
};
let server: TestServer;
let dataDir: string;
let hanging: Partner;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "waybill-memory-"));
  server = await startServer({ environment, workers: false });
  hanging = await startPartner(() => undefined);
});
afterAll(async () => {
  await hanging.stop();
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Instances of 25 MB each, written with SQL, because the API is not measured here. */
async function startLarge(count: number, bpmn: (key: string) => string): Promise<string[]> {
  const key = freshKey();
  await deploy(server, bpmn(key));
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push((await startInstance(server, key)).process_instance_id);
  await server.sql`
    insert into waybill.process_variables (process_instance_id, name, type, value)
    select i.id, n.name, 'String', n.value
    from waybill.process_instances i,
      (values ('large', '"' || repeat('x', 25000000) || '"'), ('small', '"s"')) n(name, value)
    where i.process_key = ${key}`;
  return ids;
}

/** The peak memory of the process, in bytes. */
async function peakOf({ pid }: WaybillProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

async function withProcess(use: (child: WaybillProcess) => Promise<void>): Promise<void> {
  const child = startWaybill({
    cwd: dataDir,
    environment: { DATABASE_URL: server.database.url, DATA_DIR: dataDir, ...environment },
  });
  await child.listening;
  try {
    await use(child);
  } finally {
    child.kill("SIGKILL");
    await child.exited;
  }
}

const requestsOf = (ids: readonly string[]) =>
  hanging.received.filter(({ headers }) =>
    ids.some((id) => headers.some(([name, value]) => name === "idempotency-key" && value.startsWith(id))),
  ).length;

const url = () => `http://127.0.0.1:${hanging.port}/`;

test("a service task loads only the variables that its placeholders name", async () => {
  const body = '{"a":"${small}"}';
  const ids = await startLarge(6, (key) => oneCall(key, { method: "POST", url: url(), body }));
  await withProcess(async (child) => {
    const before = await peakOf(child);
    await until(() => requestsOf(ids) === 6, 60);
    expect((await peakOf(child)) - before).toBeLessThan(150 * megabyte);
  });
});

test("waiting requests hold a share of the memory, and further ones wait for room", async () => {
  const body = '{"a":"${large}"}';
  const ids = await startLarge(8, (key) => oneCall(key, { method: "POST", url: url(), body }));
  await withProcess(async (child) => {
    const before = await peakOf(child);
    // 128 MiB for each tenant.
    await until(() => requestsOf(ids) === 5, 60);
    await Bun.sleep(2_000);
    expect(requestsOf(ids)).toBe(5);
    expect((await peakOf(child)) - before).toBeLessThan(900 * megabyte);
  });
});

test("an addon gets all variables up to 32 MiB; more are an incident, and nothing is loaded", async () => {
  const api = await server.integration();
  await api.putAddon({ xActiveTenant: "tenant-1", key: "all", newAddon: { url: url() } });
  const task = addon("score", { addon: "all", parameters: "{}" });
  const bpmn = (key: string) => model(key, [start(), task, end(), flow("start", "score", "end")].join("\n"));
  const [id = ""] = await startLarge(1, bpmn);
  await server.sql`
    insert into waybill.process_variables (process_instance_id, name, type, value)
    values (${id}, 'more', 'String', '"' || repeat('x', 10000000) || '"')`;
  await withProcess(async () => {
    const incident = await incidentOf(server, id);
    expect(incident).toMatchObject({ type: "value_does_not_fit", request_sent: "no" });
    expect(incident.message).toContain("An addon gets all of them, up to 33554432 bytes");
  });
});
