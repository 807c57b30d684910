/**
 * Three hundred instances in a remote engine while Waybill and the engine are killed, Waybill is paused past its locks,
 * and the engine's database is restarted: nothing is sent twice, and nothing gets lost.
 *
 * `.ci/engines` runs it. WAYBILL_TEST_ENGINES names the folder with what it has built.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Incident } from "../../../sdk/src/generated/index.ts";
import { lockMs } from "../../../src/processes/engines/operaton/serviceTasks/externalTask.ts";
import { fixture } from "../../support/attachments.ts";
import { apiCall, end, flow, model, start } from "../../support/bpmn.ts";
import { until } from "../faults/parts/children.ts";
import { type FaultParts, startFaultParts } from "./faultParts.ts";

setDefaultTimeout(600_000);

const wanted = 300;
/** The longest time between two calls of an instance, in seconds, so that some are under way during every fault. */
const longestWait = 80;
/** Locks that are held when the pause begins have expired before it ends. */
const pausedMs = lockMs + 15_000;

let parts: FaultParts;
/** Starts that were sent, and those that were answered with 201. */
let tried = 0;
/** Why the latest request that failed did so. */
let lastFailure = "";
const started: string[] = [];

beforeAll(async () => {
  const builtFolder = process.env.WAYBILL_TEST_ENGINES;
  if (!builtFolder) throw new Error("WAYBILL_TEST_ENGINES is missing: run .ci/engines");
  parts = await startFaultParts(builtFolder);
  await deploy();
  const starting = Promise.all(Array.from({ length: 6 }, (_, client) => startMany(client % 2)));
  await until("half of the instances have started", () => started.length >= wanted / 2, 120).catch(
    (error) => {
      throw new Error(`${started.length} instances have started: ${lastFailure}`, { cause: error });
    },
  );
  await Promise.all([starting, faults()]);
});
afterAll(() => parts?.end());

/** Two paths beside each other, each with a call, a timer and a second call. */
async function deploy(): Promise<void> {
  const call = (id: string) => {
    const body = `{"task":"\${n}:${id}","card":"\${card}"}`;
    return apiCall(id, { method: "POST", url: parts.receiverUrl, body, timeout_seconds: "10" });
  };
  const timer = (id: string, wait: string) =>
    `<intermediateCatchEvent id="${id}"><timerEventDefinition id="${id}_definition">
      <timeDuration xsi:type="tFormalExpression">\${${wait}}</timeDuration></timerEventDefinition></intermediateCatchEvent>`;
  const elements = [
    start(),
    '<parallelGateway id="fork"/><parallelGateway id="join"/>',
    ...["a", "b", "c", "d"].map(call),
    timer("t1", "first"),
    timer("t2", "second"),
    end(),
    flow("start", "fork", "a", "t1", "b", "join", "end"),
    flow("fork", "c", "t2", "d", "join"),
  ];
  const body = new FormData();
  body.set("bpmn", new File([model("faults", elements.join("\n"))], "faults.bpmn"));
  const [waybill] = parts.waybills;
  const answer = await parts.request(waybill, "/api/v1/probis/process-definitions", { method: "POST", body });
  if (answer.status !== 201) throw new Error(`${answer.status}: ${await answer.text()}`);
}

/** Starts instances until enough have been acknowledged. A start that was not is not repeated: it may have happened. */
async function startMany(at: number): Promise<void> {
  while (started.length < wanted) {
    try {
      started.push(await startOne(at));
    } catch (error) {
      lastFailure = String(error);
      await Bun.sleep(500);
    }
  }
}

async function startOne(at: number): Promise<string> {
  const waybill = parts.waybills[at] ?? parts.waybills[0];
  const form = new FormData();
  form.set("file", await fixture("pillow.png"));
  form.set("process_key", "faults");
  form.set("field_name", "card");
  // Each instance has its own user, because a user may upload only so many files a minute.
  const n = ++tried;
  const init = { method: "POST", user: `user-${n}` };
  const path = "/api/v1/probis/form-attachments/upload";
  const uploaded = await parts.request(waybill, path, { ...init, body: form });
  if (!uploaded.ok) throw new Error(`${uploaded.status}: ${await uploaded.text()}`);
  const wait = () => ({ value: `PT${Math.floor(longestWait * Math.random())}S` });
  const card = { value: await uploaded.text() };
  const variables = { n: { value: n }, first: wait(), second: wait(), card };
  const body = JSON.stringify({ process_key: "faults", variables });
  const answer = await parts.request(waybill, "/api/v1/probis/process-instances", { ...init, body });
  if (answer.status !== 201) throw new Error(`${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { process_instance_id: string }).process_instance_id;
}

/** While the second process is paused, everything else is killed or restarted. */
async function faults(): Promise<void> {
  const { engine, enginePostgres, waybills } = parts;
  const [first, second] = waybills;
  await second.kill();
  second.launch();
  await until("the second process is ready again", second.ready, 60);
  await Bun.sleep(5_000);
  second.pause();
  const resume = Bun.sleep(pausedMs).then(() => second.resume());
  await Bun.sleep(2_000);
  await engine.kill();
  await engine.start();
  await Bun.sleep(5_000);
  await enginePostgres.stop();
  await Bun.sleep(3_000);
  await enginePostgres.start();
  await Bun.sleep(5_000);
  await first.kill();
  first.launch();
  await resume;
}

interface HistoricInstance {
  readonly id: string;
  readonly state: string;
}

/** Every instance that the engine knows, also those whose start was not acknowledged. */
async function instances(): Promise<HistoricInstance[]> {
  const path =
    "/history/process-instance?tenantIdIn=tenant-1&processDefinitionKey=faults&rootProcessInstances=true";
  return (await (await fetch(`${parts.engine.url}${path}`)).json()) as HistoricInstance[];
}
const unfinished = async () =>
  (await instances()).filter(({ state }) => state === "ACTIVE").map(({ id }) => id);

async function incidents(): Promise<Incident[]> {
  const found: Incident[] = [];
  for (let page = 0; ; page++) {
    const path = `/api/v1/probis/incidents?limit=100&page=${page}`;
    const answer = await parts.request(parts.waybills[0], path);
    if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
    const next = (await answer.json()) as Incident[];
    found.push(...next);
    if (next.length < 100) return found;
  }
}

const twice = (values: readonly string[]) => values.filter((value, at) => values.indexOf(value) !== at);

test("every instance is completed or has an incident", async () => {
  // What a killed process had in hand is handed out again when its lock expires.
  const stuck = async () => {
    const failed = new Set((await incidents()).map(({ process_instance_id }) => process_instance_id));
    return (await unfinished()).filter((id) => !failed.has(id));
  };
  await until("no instance is stuck", async () => (await stuck()).length === 0, (lockMs + 120_000) / 1_000);
  const known = new Set((await instances()).map(({ id }) => id));
  expect(started.filter((id) => !known.has(id))).toEqual([]);
  expect(started.length).toBeGreaterThanOrEqual(wanted);
  expect(known.size).toBeLessThanOrEqual(tried);
  const open = await incidents();
  console.log(`${known.size} instances, ${parts.received.length} requests, ${open.length} incidents`);
});

test("no request has been sent twice, and no Idempotency-Key was received twice", () => {
  expect(twice(parts.received.map(({ key }) => key))).toEqual([]);
  expect(twice(parts.received.map(({ task }) => task))).toEqual([]);
});

test("an incident says what happened: only an interrupted request, or one of which nothing is known", async () => {
  for (const { type, request_sent } of await incidents()) {
    expect(["interrupted", "process_failed", "unreachable", "timed_out"]).toContain(type);
    expect(["unknown", "yes", "no"]).toContain(request_sent);
  }
});

test("every incident completes after a rerun, and every instance with it", async () => {
  const failed = await incidents();
  for (const { incident_id } of failed) {
    const path = `/api/v1/probis/incidents/${incident_id}/rerun`;
    const answer = await parts.request(parts.waybills[0], path, { method: "POST" });
    expect(answer.status).toBe(202);
  }
  const again = async () => (await incidents()).length === 0 && (await unfinished()).length === 0;
  await until("everything has completed", again, longestWait + 60);
  const states = new Set((await instances()).map(({ state }) => state));
  expect([...states]).toEqual(["COMPLETED"]);
  expect(twice(parts.received.map(({ key }) => key))).toEqual([]);
  // Each instance has made all four calls.
  const done = new Set(parts.received.map(({ task }) => task));
  expect(done.size).toBe(4 * (await instances()).length);
});
