/** A join that can never have all its tokens: nobody is told that a rerun helps where it cannot. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { startPartner } from "../infrastructure/outbound/partner.ts";
import { apiCall, conditionalFlow, end, flow, model, start, userTask } from "../support/bpmn.ts";
import { expectProblem } from "../support/problem.ts";
import {
  allowLoopback,
  deploy,
  freshKey,
  incidentOf,
  incidentsOf,
  reaches,
  rerun,
  startInstance,
  tasksOf,
} from "../support/processes.ts";
import { startServer, type TestServer } from "../support/server.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ environment: allowLoopback });
});
afterAll(() => server.stop());

const joined = 'The process would never end: not all paths that lead to "join" were taken.';
const deadEnd = `${joined} Correct the model and deploy it.`;
const advice = "A rerun fails again: terminate this instance, and start a new one.";

/** One of two ways is taken, and the join waits for both. */
const dead = (first: string, element: string) => [
  start(),
  '<exclusiveGateway id="x" default="x_other"/><parallelGateway id="join"/><task id="other"/>',
  element,
  flow("start", "x"),
  conditionalFlow("x", first, "${n == 1}"),
  flow("x", "other", "join", "end"),
  flow(first, "join"),
  end(),
];

async function started(parts: readonly string[], variables = { n: 1 }): Promise<string> {
  const key = freshKey();
  await deploy(server, model(key, parts.join("\n")));
  return (await startInstance(server, key, { variables })).process_instance_id;
}

async function withPartner(use: (url: string, received: () => number) => Promise<void>): Promise<void> {
  const partner = await startPartner();
  try {
    await use(`http://127.0.0.1:${partner.port}`, () => partner.received.length);
  } finally {
    await partner.stop();
  }
}

test("after a service task the incident says that a rerun fails again, and it does, and sends nothing", async () => {
  await withPartner(async (url, received) => {
    const id = await started(dead("call", apiCall("call", { method: "GET", url })));
    const incident = await incidentOf(server, id);
    expect(incident).toMatchObject({ activity_id: "call", type: "process_failed", request_sent: "yes" });
    expect(incident.message).toBe(
      `The integration answered, but the process could not continue: ${deadEnd} ${advice}`,
    );
    await rerun(server, incident.incident_id);
    await reaches(server, id, "incident");
    expect(await incidentsOf(server, id)).toMatchObject([{ message: incident.message }]);
    expect(received()).toBe(1);
  });
});

test("a large model, whose steps run in another thread, has the same message", async () => {
  await withPartner(async (url) => {
    const ids = Array.from({ length: 160 }, (_, at) => `more${at}`);
    const more = [...ids.map((id) => `<task id="${id}"/>`), flow("other", ids[0] ?? "", ids[1] ?? "")];
    const id = await started([...dead("call", apiCall("call", { method: "GET", url })), ...more]);
    expect((await incidentOf(server, id)).message).toContain(`${deadEnd} ${advice}`);
  });
});

test("where a variable decides behind the task, a rerun with another value completes the instance", async () => {
  await withPartner(async (url, received) => {
    const parts = [
      start(),
      apiCall("call", { method: "GET", url }),
      '<exclusiveGateway id="x" default="x_end"/><parallelGateway id="fork"/><parallelGateway id="join"/>',
      userTask("a"),
      end(),
      end("joined"),
      flow("start", "call", "x", "end"),
      conditionalFlow("x", "join", "${n == 1}"),
      flow("fork", "join", "joined"),
    ];
    const id = await started(parts);
    const { incident_id, message } = await incidentOf(server, id);
    expect(message).toBe(
      `The integration answered, but the process could not continue: ${joined} ` +
        "A rerun continues with the answer and sends nothing.",
    );
    const api = await server.processes();
    await api.setProcessVariables({
      xActiveTenant: "tenant-1",
      processInstanceId: id,
      variableCorrections: { variables: { n: { value: 2 } } },
    });
    await rerun(server, incident_id);
    await reaches(server, id, "completed");
    expect(received()).toBe(1);
  });
});

test("after a timer the incident says the same", async () => {
  const timer =
    '<intermediateCatchEvent id="nap"><timerEventDefinition><timeDuration xsi:type="tFormalExpression">PT1S</timeDuration></timerEventDefinition></intermediateCatchEvent>';
  const incident = await incidentOf(server, await started(dead("nap", timer)));
  expect(incident.message).toBe(`A timer fired, but the process could not continue: ${deadEnd} ${advice}`);
});

test("whoever completes the last task is told that the model has to be corrected, and the task stays open", async () => {
  const id = await started(dead("task", userTask("task")));
  const [task] = await tasksOf(server, id);
  const answer = await server.request(`/api/v1/tasklist/tasks/${task?.task_id}/complete`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-active-tenant": "tenant-1" },
    body: JSON.stringify({ variables: {} }),
  });
  const { message } = await expectProblem(answer, "process_failed");
  expect(message).toBe(deadEnd);
  expect(await tasksOf(server, id)).toHaveLength(1);
});
