/** Several tokens in one activity, through the API: each is a task, a request or a timer of its own. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Partner, startPartner } from "../infrastructure/outbound/partner.ts";
import { apiCall, boundaryTimer, end, flow, model, start, userTask } from "../support/bpmn.ts";
import {
  allowLoopback,
  completeTask,
  deploy,
  freshKey,
  incidentsOf,
  reaches,
  startInstance,
  tasksOf,
} from "../support/processes.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ environment: allowLoopback });
});
afterAll(() => server.stop());

async function withPartner(use: (partner: Partner, call: (id: string) => string) => Promise<void>) {
  const partner = await startPartner();
  try {
    const url = `http://127.0.0.1:${partner.port}`;
    await use(partner, (id) => apiCall(id, { method: "POST", url, body: "{}" }));
  } finally {
    await partner.stop();
  }
}

async function started(...parts: string[]): Promise<string> {
  const key = freshKey();
  await deploy(server, model(key, [start(), ...parts].join("\n")));
  return (await startInstance(server, key)).process_instance_id;
}

/** This many tokens reach the element. */
const tokensInto = (id: string, tokens: number) =>
  ['<parallelGateway id="fork"/>', flow("start", "fork")]
    .concat(
      Array.from(
        { length: tokens },
        (_, at) => `<task id="way${at}"/>${flow("fork", `way${at}`)}${flow(`way${at}`, id)}`,
      ),
    )
    .join("\n");

const keysOf = ({ received }: Partner) =>
  received.map(({ headers }) => headers.find(([name]) => name === "idempotency-key")?.[1] ?? "");

/** The part of a key that stays the same in a rerun. */
const unitOf = (key: string) => key.slice(0, key.lastIndexOf(":"));

test("ten tokens in a service task send ten requests, and none looks like a rerun of another", async () => {
  await withPartner(async (partner, call) => {
    const id = await started(tokensInto("call", 10), call("call"), end(), flow("call", "end"));
    await reaches(server, id, "completed");
    expect(partner.received).toHaveLength(10);
    const keys = keysOf(partner);
    expect(new Set(keys).size).toBe(10);
    expect(new Set(keys.map(unitOf)).size).toBe(10);
    expect(keys.map(unitOf)).toContain(`${id}:call`);
    expect(await incidentsOf(server, id)).toEqual([]);
  });
});

test("the same holds for service tasks in a sub-process that several tokens are in", async () => {
  await withPartner(async (partner, call) => {
    const inner = [start("in"), '<parallelGateway id="f"/><task id="a"/><task id="b"/>', call("call")];
    const flows = [flow("in", "f", "a", "call"), flow("f", "b", "call")];
    const sub = `<subProcess id="sub">${[...inner, ...flows].join("\n")}</subProcess>`;
    const id = await started(tokensInto("sub", 3), sub, end(), flow("sub", "end"));
    await reaches(server, id, "completed");
    expect(partner.received).toHaveLength(6);
    expect(new Set(keysOf(partner).map(unitOf)).size).toBe(6);
  });
});

test("two tokens in a task with a timer: both timers fire, and there is no incident", async () => {
  const timer = [boundaryTimer("limit", "task", { after: "PT1S" }), userTask("late"), flow("limit", "late")];
  const id = await started(tokensInto("task", 2), userTask("task"), ...timer);
  expect((await tasksOf(server, id)).map(({ activity_id }) => activity_id)).toEqual(["task", "task"]);
  const isLate = async () => (await tasksOf(server, id)).every(({ activity_id }) => activity_id === "late");
  await until(isLate);
  const late = await tasksOf(server, id);
  expect(late).toHaveLength(2);
  expect(await incidentsOf(server, id)).toEqual([]);
  for (const { task_id } of late) await completeTask(server, task_id);
  await reaches(server, id, "completed");
});

test("a service task that nothing leads to sends nothing", async () => {
  await withPartner(async (partner, call) => {
    const parts = [userTask("task"), end(), flow("start", "task", "end"), call("lonely")];
    const id = await started(...parts);
    const [task, ...others] = await tasksOf(server, id);
    expect(others).toEqual([]);
    await completeTask(server, task?.task_id ?? "");
    await reaches(server, id, "completed");
    expect(partner.received).toEqual([]);
    const rows = await server.sql`select from waybill.service_tasks where process_instance_id = ${id}`;
    expect(rows).toHaveLength(0);
  });
});
