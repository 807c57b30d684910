/** Many instances, several server processes on one database: each service task is run by one of them, once. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Partner, startPartner } from "../infrastructure/outbound/partner.ts";
import { apiCall, end, flow, model, start } from "../support/bpmn.ts";
import { allowLoopback, deploy, freshKey, incidentsOf, rerun, startInstance } from "../support/processes.ts";
import { secretsFrom, startServer, type TestServer } from "../support/server.ts";
import { startWaybill, type WaybillProcess } from "../support/waybillProcess.ts";

setDefaultTimeout(300_000);
const secret = "a secret that all of these processes share";
let server: TestServer;
let dataDir: string;
let partner: Partner;
/** Requests under way at the receiver, by instance and activity; two at once must never be. */
const underWay = new Map<string, number>();
const overlaps: string[] = [];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "waybill-servers-"));
  const secrets = secretsFrom(secret);
  server = await startServer({
    environment: { DATA_DIR: dataDir, ...secrets, ...allowLoopback },
    workers: false,
  });
  partner = await startPartner(async (request, response) => {
    const key = String(request.headers["idempotency-key"]).replace(/:\d+$/, "");
    underWay.set(key, (underWay.get(key) ?? 0) + 1);
    if ((underWay.get(key) ?? 0) > 1) overlaps.push(key);
    await Bun.sleep(Math.random() * 20);
    underWay.set(key, (underWay.get(key) ?? 1) - 1);
    response.end("{}");
  });
});
afterAll(async () => {
  await partner.stop();
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

function startProcess(): WaybillProcess {
  const secrets = secretsFrom(secret);
  const environment = { DATABASE_URL: server.database.url, DATA_DIR: dataDir, ...secrets, ...allowLoopback };
  return startWaybill({ cwd: dataDir, environment });
}

/** Two calls in parallel, then a third. */
async function deployCalls(): Promise<string> {
  const key = freshKey();
  const call = (id: string) =>
    apiCall(id, { method: "POST", url: `http://127.0.0.1:${partner.port}/`, body: "{}" });
  const gateways = '<parallelGateway id="fork"/><parallelGateway id="join"/>';
  const flows = [flow("start", "fork", "a", "join", "c", "end"), flow("fork", "b", "join")];
  await deploy(
    server,
    model(key, [start(), gateways, call("a"), call("b"), call("c"), end(), ...flows].join("\n")),
  );
  return key;
}

async function startMany(key: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  let left = count;
  const worker = async () => {
    while (left-- > 0) ids.push((await startInstance(server, key)).process_instance_id);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return ids;
}

const unfinished = async (key: string) => {
  const [row] = await server.sql<{ count: number }[]>`
    select count(*)::int as count from waybill.process_instances where process_key = ${key} and state = 'active'`;
  return row?.count ?? 0;
};

const keysSince = (from: number) =>
  partner.received
    .slice(from)
    .map(({ headers }) => headers.find(([name]) => name === "idempotency-key")?.[1] ?? "");

test("a thousand service tasks of hundreds of instances in three processes: each is sent once", async () => {
  const processes = [startProcess(), startProcess(), startProcess()];
  await Promise.all(processes.map(({ listening }) => listening));
  const key = await deployCalls();
  const from = partner.received.length;
  const ids = await startMany(key, 334);
  for (const deadline = Date.now() + 120_000; (await unfinished(key)) > 0; await Bun.sleep(50))
    if (Date.now() > deadline) throw new Error(`${await unfinished(key)} instances are not finished`);
  for (const child of processes) child.kill("SIGTERM");
  await Promise.all(processes.map(({ exited }) => exited));
  const expected = ids.flatMap((id) => ["a", "b", "c"].map((activity) => `${id}:${activity}:1`));
  expect(keysSince(from).sort()).toEqual(expected.sort());
  expect(overlaps).toEqual([]);
});

test("processes that are killed again and again: every task ends completed or as an incident, and none is sent twice", async () => {
  const key = await deployCalls();
  const from = partner.received.length;
  let done = false;
  const killing = (async () => {
    while (!done) {
      const child = startProcess();
      await child.listening.catch(() => {});
      await Bun.sleep(300 + Math.random() * 1_500);
      child.kill("SIGKILL");
      await child.exited;
    }
  })();
  const ids = await startMany(key, 100);
  await Bun.sleep(15_000);
  done = true;
  await killing;
  const survivor = startProcess();
  await survivor.listening;
  // Whatever a killed process had in hand is taken up again or becomes an incident; a person runs those again.
  for (const deadline = Date.now() + 120_000; (await unfinished(key)) > 0; await Bun.sleep(200)) {
    if (Date.now() > deadline) throw new Error(`${await unfinished(key)} instances are not finished`);
    for (const id of ids)
      for (const { incident_id, type, request_sent } of await openIncidents(id)) {
        expect({ type, request_sent }).toEqual({ type: "interrupted", request_sent: "unknown" });
        await rerun(server, incident_id);
      }
  }
  survivor.kill("SIGTERM");
  await survivor.exited;
  const keys = keysSince(from);
  expect(new Set(keys).size).toBe(keys.length);
  const activities = new Set(keys.map((sent) => sent.replace(/:\d+$/, "")));
  expect(activities.size).toBe(300);
  expect(overlaps).toEqual([]);
});

/** Cheaply: most instances have none. */
async function openIncidents(id: string) {
  const rows = await server.sql`
    select from waybill.incidents where process_instance_id = ${id} and resolved_at is null limit 1`;
  return rows.length === 0 ? [] : incidentsOf(server, id);
}
