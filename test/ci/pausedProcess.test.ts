/**
 * A server process that is paused (SIGSTOP) between the mark of a service task and its request, and goes on after another
 * process has taken over: it sends nothing, whatever a person has decided in the meantime.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Partner, startPartner } from "../infrastructure/outbound/partner.ts";
import { upload } from "../support/attachments.ts";
import { oneCall } from "../support/bpmn.ts";
import {
  allowLoopback,
  deploy,
  freshKey,
  incidentOf,
  incidentsOf,
  reaches,
  rerun,
  startInstance,
} from "../support/processes.ts";
import { secretsFrom, startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { startWaybill, type WaybillProcess } from "../support/waybillProcess.ts";

setDefaultTimeout(300_000);
const secret = "a secret that all of these processes share";
const secrets = secretsFrom(secret);
const environment = { ...secrets, ...allowLoopback, PUBLIC_BASE_URL: "http://127.0.0.1:1" };
let server: TestServer;
let dataDir: string;
let partner: Partner;
const processes: WaybillProcess[] = [];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "waybill-paused-"));
  server = await startServer({ environment: { DATA_DIR: dataDir, ...environment }, workers: false });
  partner = await startPartner();
});
afterAll(async () => {
  for (const child of processes) child.kill("SIGKILL");
  await Promise.all(processes.map(({ exited }) => exited));
  await partner.stop();
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function startProcess(): Promise<WaybillProcess> {
  const given = { DATABASE_URL: server.database.url, DATA_DIR: dataDir, ...environment };
  const child = startWaybill({ cwd: dataDir, environment: given });
  processes.push(child);
  await child.listening;
  return child;
}

/** A process of the server waits for a lock that the test holds. */
const waits = async () => {
  const rows = await server.sql`
    select from pg_locks l join pg_stat_activity a using (pid)
    where not l.granted and a.application_name = 'waybill' and a.datname = current_database()`;
  return rows.length > 0;
};

const taskOf = async (id: string) => {
  const [row] = await server.sql`
    select state, attempt, sent_at is not null as sent from waybill.service_tasks where process_instance_id = ${id}`;
  return row as { state: string; attempt: number; sent: boolean };
};

const sentFor = (id: string) =>
  partner.received
    .map(({ headers }) => headers.find(([name]) => name === "idempotency-key")?.[1] ?? "")
    .filter((key) => key.startsWith(id));

/** An instance whose first attempt is marked as sent, by a process that was paused before it could go on. */
async function pausedBehindTheMark(child: WaybillProcess): Promise<string> {
  const { sql } = server;
  const tokens = await sql.reserve();
  const row = await sql.reserve();
  await tokens`begin`;
  await tokens`lock table waybill.download_tokens in access exclusive mode`;
  const key = freshKey();
  await deploy(
    server,
    oneCall(key, { method: "POST", url: `http://127.0.0.1:${partner.port}/`, body: '{"a":"${card}"}' }),
  );
  const card = JSON.stringify(await upload(server));
  const { process_instance_id: id } = await startInstance(server, key, { variables: { card } });
  await until(async () => (await taskOf(id)).state === "running" && (await waits()));
  await row`begin`;
  await row`select from waybill.service_tasks where process_instance_id = ${id} for update`;
  await tokens`rollback`;
  const issued = async () =>
    (await sql`select from waybill.download_tokens where process_instance_id = ${id}`).length === 1;
  await until(async () => (await issued()) && (await waits()));
  child.kill("SIGSTOP");
  await row`rollback`;
  tokens.release();
  row.release();
  await until(async () => (await taskOf(id)).sent);
  return id;
}

test("after another process has taken over and a person's rerun has completed, the first attempt does not go out", async () => {
  const child = await startProcess();
  const id = await pausedBehindTheMark(child);
  const other = await startProcess();
  await until(async () => (await taskOf(id)).state === "incident", 60);
  const incident = await incidentOf(server, id);
  expect(incident).toMatchObject({ type: "interrupted", request_sent: "unknown", attempt: 1 });
  await rerun(server, incident.incident_id);
  await reaches(server, id, "completed", { seconds: 30 });
  expect(sentFor(id)).toEqual([`${id}:call:2`]);
  child.kill("SIGCONT");
  await until(() => child.stderr().includes("Service task attempt failed"), 30);
  await Bun.sleep(3_000);
  expect(sentFor(id)).toEqual([`${id}:call:2`]);
  for (const process of [child, other]) process.kill("SIGTERM");
  await Promise.all([child.exited, other.exited]);
});

test("while its incident waits for a person, the incident says that nothing was sent", async () => {
  const child = await startProcess();
  const id = await pausedBehindTheMark(child);
  const other = await startProcess();
  await until(async () => (await taskOf(id)).state === "incident", 60);
  child.kill("SIGCONT");
  await until(async () => (await incidentOf(server, id)).request_sent === "no", 30);
  const incident = await incidentOf(server, id);
  expect(incident.message).toContain("Nothing was sent");
  expect(sentFor(id)).toEqual([]);
  await rerun(server, incident.incident_id);
  await reaches(server, id, "completed", { seconds: 30 });
  expect(sentFor(id)).toEqual([`${id}:call:2`]);
  for (const process of [child, other]) process.kill("SIGTERM");
  await Promise.all([child.exited, other.exited]);
});

test("where nobody took over, the next attempt sends it, without an incident", async () => {
  const child = await startProcess();
  const id = await pausedBehindTheMark(child);
  await Bun.sleep(7_000);
  child.kill("SIGCONT");
  await reaches(server, id, "completed", { seconds: 60 });
  expect(sentFor(id)).toEqual([`${id}:call:2`]);
  expect(await incidentsOf(server, id)).toEqual([]);
  child.kill("SIGTERM");
  await child.exited;
});
