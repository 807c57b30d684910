/**
 * Server processes that are killed with SIGKILL during a service task. A lock that the test holds stops each at a known
 * step, and another process follows. The task must end as completed or as an incident, and nothing may be sent twice
 * without a rerun.
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
let server: TestServer;
let dataDir: string;
let partner: Partner;
let slow: Partner;
const processes: WaybillProcess[] = [];

/** The test's own server only takes requests. The processes that are killed execute the service tasks. */
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "waybill-killed-"));
  const environment = {
    DATA_DIR: dataDir,
    ...secrets,
    ...allowLoopback,
    PUBLIC_BASE_URL: "http://127.0.0.1:1",
  };
  server = await startServer({ environment, workers: false });
  partner = await startPartner();
  slow = await startPartner((_request, response) => void setTimeout(() => response.end("ok"), 120_000));
});
afterAll(async () => {
  for (const child of processes) child.kill("SIGKILL");
  await Promise.all(processes.map(({ exited }) => exited));
  await Promise.all([partner.stop(), slow.stop()]);
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function startProcess(): Promise<WaybillProcess> {
  const environment = {
    DATABASE_URL: server.database.url,
    DATA_DIR: dataDir,
    PUBLIC_BASE_URL: "http://127.0.0.1:1",
    LOG_LEVEL: "info",
    ...secrets,
    ...allowLoopback,
  };
  const child = startWaybill({ cwd: dataDir, environment });
  processes.push(child);
  await child.listening;
  return child;
}

/** Ends its statements too: PostgreSQL would finish one that waits for a lock before it notices the kill. */
async function kill(child: WaybillProcess): Promise<void> {
  child.kill("SIGKILL");
  await child.exited;
  await server.sql`
    select pg_terminate_backend(pid) from pg_locks l join pg_stat_activity a using (pid)
    where not l.granted and a.datname = current_database()`;
}

/** Starts an instance whose only task sends a file. */
async function startOne(to: Partner): Promise<string> {
  const key = freshKey();
  const url = `http://127.0.0.1:${to.port}/`;
  await deploy(
    server,
    oneCall(key, { method: "POST", url, body: '{"card":"${card}"}', timeout_seconds: "60" }),
  );
  const card = JSON.stringify(await upload(server));
  return (await startInstance(server, key, { variables: { card } })).process_instance_id;
}

const taskOf = async (id: string) => {
  const [row] = await server.sql`
    select state, attempt, sent_at is not null as sent from waybill.service_tasks where process_instance_id = ${id}`;
  return row as { state: string; attempt: number; sent: boolean };
};

/** Whether a statement of a server process that names the table waits for a lock that the test holds. */
const waitsFor = async (table: string) => {
  const rows = await server.sql`
    select from pg_locks l join pg_stat_activity a using (pid)
    where not l.granted
      and a.application_name = 'waybill'
      and a.datname = current_database()
      and a.query like ${`%waybill.${table}%`}`;
  return rows.length > 0;
};

/** The sweep waits for the same lock, and with another statement. */
const isHeld = async (id: string) =>
  (await taskOf(id)).state === "running" && (await waitsFor("download_tokens%(digest"));

const issuedFor = async (id: string) =>
  (await server.sql`select from waybill.download_tokens where process_instance_id = ${id}`).length;

const sentTo = (to: Partner, id: string) =>
  to.received
    .map(({ headers }) => headers.find(([name]) => name === "idempotency-key")?.[1] ?? "")
    .filter((key) => key.startsWith(id));

test("killed before issuing, after issuing, during the call or after the answer: nothing is sent twice", async () => {
  const { sql } = server;

  let child = await startProcess();
  let lock = await sql.reserve();
  await lock`begin`;
  await lock`lock table waybill.download_tokens in access exclusive mode`;
  const beforeIssuing = await startOne(partner);
  await until(() => isHeld(beforeIssuing));
  await kill(child);
  await lock`rollback`;
  lock.release();
  expect(await taskOf(beforeIssuing)).toEqual({ state: "running", attempt: 1, sent: false });
  expect(await issuedFor(beforeIssuing)).toBe(0);

  child = await startProcess();
  lock = await sql.reserve();
  const row = await sql.reserve();
  await lock`begin`;
  await lock`lock table waybill.download_tokens in access exclusive mode`;
  const afterIssuing = await startOne(partner);
  await until(() => isHeld(afterIssuing));
  await row`begin`;
  await row`select from waybill.service_tasks where process_instance_id = ${afterIssuing} for update`;
  await lock`rollback`;
  await until(async () => (await issuedFor(afterIssuing)) === 1 && (await waitsFor("service_tasks")));
  await kill(child);
  await row`rollback`;
  expect(await taskOf(afterIssuing)).toEqual({ state: "running", attempt: 1, sent: false });

  child = await startProcess();
  const duringCall = await startOne(slow);
  await until(() => sentTo(slow, duringCall).length === 1);
  await kill(child);

  child = await startProcess();
  await row`begin`;
  // Locked as soon as the request is sent, so that the answer cannot be stored.
  const answered = await startOne(partner);
  await row`select from waybill.process_instances where id = ${answered} for update`;
  await until(async () => sentTo(partner, answered).length === 1 && (await waitsFor("process_instances")));
  await kill(child);
  await row`rollback`;
  lock.release();
  row.release();

  // Another process follows.
  const survivor = await startProcess();
  for (const id of [beforeIssuing, afterIssuing]) {
    await reaches(server, id, "completed", { seconds: 60 });
    expect(sentTo(partner, id)).toEqual([`${id}:call:2`]);
  }
  // The URL that was issued but never sent does not work.
  expect(
    await server.sql`
      select
      from waybill.download_tokens
      where process_instance_id = ${afterIssuing}
        and used_at is null
        and expires_at > now()`,
  ).toHaveLength(1);

  for (const [id, to] of [
    [duringCall, slow],
    [answered, partner],
  ] as const) {
    const incident = await until(async () => (await taskOf(id)).state === "incident", 60).then(() =>
      incidentOf(server, id),
    );
    expect(incident).toMatchObject({ type: "interrupted", request_sent: "unknown", attempt: 1 });
    expect(sentTo(to, id)).toEqual([`${id}:call:1`]);
    await rerun(server, incident.incident_id);
    await until(() => sentTo(to, id).length === 2);
    expect(sentTo(to, id)).toEqual([`${id}:call:1`, `${id}:call:2`]);
  }
  await reaches(server, answered, "completed");
  await kill(survivor);
});

test("a process that is asked to end finishes its running calls first", async () => {
  const child = await startProcess();
  const patient = await startPartner(
    (_request, response) => void setTimeout(() => response.end("ok"), 7_000),
  );
  const id = await startOne(patient);
  await until(() => sentTo(patient, id).length === 1);
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
  await patient.stop();
  expect((await taskOf(id)).state).toBe("completed");
  await reaches(server, id, "completed");
});
