/** Timers of running instances: what fires, in which order, and what happens where the process cannot go on from one. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { conditionalFlow, end, flow, model, start, userTask } from "../support/bpmn.ts";
import {
  completeTask,
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
  server = await startServer();
});
afterAll(() => server.stop());

const pause = (id: string, duration: string) =>
  `<intermediateCatchEvent id="${id}"><timerEventDefinition id="${id}_d"><timeDuration xsi:type="tFormalExpression">${duration}</timeDuration></timerEventDefinition></intermediateCatchEvent>`;

async function begin(parts: readonly string[], variables = {}): Promise<string> {
  const key = freshKey();
  await deploy(server, model(key, [start(), ...parts, end()].join("\n")));
  return (await startInstance(server, key, { variables })).process_instance_id;
}

const namesOf = async (id: string) =>
  (await tasksOf(server, id)).map(({ activity_id }) => activity_id).toSorted();

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let left = 500; !(await condition()); left--) {
    if (left === 0) throw new Error("it did not come about");
    await Bun.sleep(20);
  }
}

test("one that cannot go on is an incident at its event; others and the tasks go on, and a rerun goes on from it", async () => {
  const fork = '<parallelGateway id="fork"/><exclusiveGateway id="choice" default="choice_b"/>';
  const id = await begin([
    fork,
    pause("broken", "PT1S"),
    pause("well", "PT1S"),
    ...["a", "b", "c", "d"].map((task) => userTask(task)),
    flow("start", "fork", "broken", "choice", "b", "end"),
    conditionalFlow("choice", "a", "${limit > 1}"),
    flow("a", "end"),
    flow("fork", "well", "c", "end"),
    flow("fork", "d", "end"),
  ]);
  const incident = await incidentOf(server, id);
  expect(incident).toMatchObject({ activity_id: "broken", type: "process_failed", request_sent: "no" });
  expect(incident.message).toContain('There is no variable "limit"');
  await until(async () => (await namesOf(id)).includes("c"));
  const [, task] = await tasksOf(server, id);
  await completeTask(server, task?.task_id ?? "");
  expect(await incidentsOf(server, id)).toHaveLength(1);
  const api = await server.processes();
  const variableCorrections = { variables: { limit: { value: 2 } } };
  await api.setProcessVariables({ xActiveTenant: "tenant-1", processInstanceId: id, variableCorrections });
  await rerun(server, incident.incident_id);
  await until(async () => (await namesOf(id)).includes("a"));
  expect(await incidentsOf(server, id)).toEqual([]);
});

test("a time beyond the year 9999 behind another timer is an incident, and not tried for ever", async () => {
  const id = await begin(
    [pause("first", "PT1S"), pause("far", "${due}"), flow("start", "first", "far", "end")],
    {
      due: "P10000Y",
    },
  );
  const incident = await incidentOf(server, id);
  expect(incident).toMatchObject({ activity_id: "first", type: "process_failed" });
  expect(incident.message).toContain('The time of "far" is beyond the year 9999.');
  const api = await server.processes();
  const variableCorrections = { variables: { due: { value: "PT0S" } } };
  await api.setProcessVariables({ xActiveTenant: "tenant-1", processInstanceId: id, variableCorrections });
  await rerun(server, incident.incident_id);
  await reaches(server, id, "completed");
});

test("timers that are due at once happen one after the other, and the instance ends", async () => {
  const id = await begin([
    '<parallelGateway id="fork"/><parallelGateway id="join"/>',
    ...["x", "y", "z"].map((event) => pause(event, "PT0S")),
    flow("start", "fork", "x", "join", "end"),
    flow("fork", "y", "join"),
    flow("fork", "z", "join"),
  ]);
  await reaches(server, id, "completed");
});
