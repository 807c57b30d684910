/** Long steps: they do not block other requests, and end as a problem or an incident. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { loadModel } from "../../src/processes/bpmn/readModel.ts";
import { runStep } from "../../src/processes/engines/embedded/run.ts";
import { startPartner } from "../infrastructure/outbound/partner.ts";
import { apiCall, conditionalFlow, end, flow, model, start, userTask } from "../support/bpmn.ts";
import { stopsDuring } from "../support/eventLoop.ts";
import { expectProblem } from "../support/problem.ts";
import {
  allowLoopback,
  completeTask,
  deploy,
  freshKey,
  incidentOf,
  incidentsOf,
  startInstance,
  stateOf,
  tasksOf,
} from "../support/processes.ts";
import { startServer, type TestServer } from "../support/server.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ environment: allowLoopback });
});
afterAll(() => server.stop());

/** Loops without waiting until `done` is true. */
const loop = [
  '<exclusiveGateway id="g" default="g_x"/><task id="x"/><exclusiveGateway id="h" default="h_g"/>',
  flow("g", "x", "h", "g"),
  conditionalFlow("h", "end", "${done}"),
].join("\n");

const pause = (id: string, duration: string) =>
  `<intermediateCatchEvent id="${id}">
    <timerEventDefinition id="${id}_d">
      <timeDuration xsi:type="tFormalExpression">${duration}</timeDuration>
    </timerEventDefinition>
  </intermediateCatchEvent>`;

async function deployed(...parts: string[]): Promise<string> {
  const key = freshKey();
  await deploy(server, model(key, [start(), ...parts, end()].join("\n")));
  return key;
}

const startRequest = (key: string, variables: object) =>
  server.request("/api/v1/probis/process-instances", {
    method: "POST",
    headers: { "x-active-tenant": "tenant-1" },
    body: JSON.stringify({ process_key: key, variables }),
  });

test("a loop in which nothing waits is refused, and other requests are served meanwhile", async () => {
  const key = await deployed(flow("start", "g"), loop);
  const begin = async () => {
    const answer = await startRequest(key, { done: { value: false } });
    const problem = await expectProblem(answer, "process_failed");
    expect(problem.message).toContain("loop");
  };
  // The first step exceeds its budget in the main thread, and the threads read the model.
  await begin();
  const { longest, total } = await stopsDuring(begin);
  expect(longest).toBeLessThan(total / 2);
});

test("a loop after a timer is tried once and is an incident at the timer's event", async () => {
  const key = await deployed(pause("nap", "PT1S"), flow("start", "nap", "g"), loop);
  const { process_instance_id: id } = await startInstance(server, key, { variables: { done: false } });
  const incident = await incidentOf(server, id);
  expect(incident).toMatchObject({ activity_id: "nap", type: "process_failed" });
  expect(incident.message).toContain("loop");
  const jobs = () => server.sql`
    select from pgboss.job where name = 'process-timer' and data->>'process_instance_id' = ${id}
      and state in ('created', 'retry', 'active')`;
  for (let left = 100; (await jobs()).length > 0 && left > 0; left--) await Bun.sleep(50);
  expect(await jobs()).toHaveLength(0);
  expect(await incidentsOf(server, id)).toHaveLength(1);
});

test("a loop after a service task is an incident that keeps the answer, and nothing is sent again", async () => {
  const partner = await startPartner();
  try {
    const call = apiCall("call", { method: "GET", url: `http://127.0.0.1:${partner.port}` });
    const key = await deployed(call, flow("start", "call", "g"), loop);
    const { process_instance_id: id } = await startInstance(server, key, { variables: { done: false } });
    const incident = await incidentOf(server, id);
    expect(incident).toMatchObject({ activity_id: "call", type: "process_failed", request_sent: "yes" });
    expect(incident.message).toContain("loop");
    expect(partner.received).toHaveLength(1);
  } finally {
    await partner.stop();
  }
});

test("a large model runs in another thread, and no task that ends at the same time is lost", async () => {
  const ids = Array.from({ length: 120 }, (_, index) => `t${index}`);
  const key = await deployed(
    '<parallelGateway id="fork"/><parallelGateway id="join"/>',
    flow("start", "fork"),
    ...ids.map((id) => `${userTask(id)}${flow("fork", id, "join")}`),
    flow("join", "end"),
  );
  const { process_instance_id: id } = await startInstance(server, key);
  const tasks = await tasksOf(server, id);
  const some = tasks.slice(0, 4);
  await Promise.all(some.map(({ task_id }) => completeTask(server, task_id)));
  const [{ open } = { open: 0 }] = await server.sql<{ open: number }[]>`
    select count(*)::int as open from waybill.user_tasks
    where process_instance_id = ${id} and ended_at is null`;
  expect(open).toBe(116);
  // A task that the engine had lost could not be completed.
  await completeTask(
    server,
    tasks.find(({ task_id }) => !some.some((one) => one.task_id === task_id))?.task_id ?? "",
  );
  expect(await stateOf(server, id)).toBe("active");
});

test("large values run in another thread if a condition reads them", async () => {
  const key = await deployed(
    '<exclusiveGateway id="g" default="g_a"/>',
    userTask("a"),
    userTask("b"),
    flow("start", "g", "a", "end"),
    conditionalFlow("g", "b", "${digits > 5 and record.deep[1] == 'x'}"),
    flow("b", "end"),
  );
  const variables = {
    digits: { value: "9".repeat(1_000_000) },
    record: { value: { deep: [0, "x"] } },
    unread: { value: JSON.stringify("[".repeat(100_000)), type: "Json" },
  };
  const answer = await startRequest(key, variables);
  expect(answer.status).toBe(201);
  const { process_instance_id: id } = (await answer.json()) as { process_instance_id: string };
  expect((await tasksOf(server, id)).map(({ activity_id }) => activity_id)).toEqual(["b"]);
});

test("a step that makes the state larger than 8 MiB fails", async () => {
  const process = await loadModel(
    model("large", [start(), userTask("a"), userTask("b"), end(), flow("start", "a", "b", "end")].join("\n")),
  );
  const begun = runStep({ model: process, state: undefined, event: { kind: "started" }, values: {} });
  const event = { kind: "userTaskCompleted", executionId: begun.userTasks[0]?.executionId ?? "" } as const;
  const next = (characters: number) => {
    const state = JSON.parse(begun.state ?? "");
    state.environment.variables.filling = "x".repeat(characters);
    return runStep({ model: process, state: JSON.stringify(state), event, values: {} });
  };
  expect(next(1_000_000).userTasks).toMatchObject([{ activityId: "b" }]);
  expect(() => next(8_400_000)).toThrow("The state of the process is larger than 8 MiB");
});
