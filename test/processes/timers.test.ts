/** Timers of running instances: which fire, in which order, and what happens if one fails. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, setSystemTime, test } from "bun:test";
import { boundaryTimer, conditionalFlow, end, flow, model, start, userTask } from "../support/bpmn.ts";
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
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());
afterEach(() => void setSystemTime());

const pause = (id: string, duration: string) =>
  `<intermediateCatchEvent id="${id}">
    <timerEventDefinition id="${id}_d">
      <timeDuration xsi:type="tFormalExpression">${duration}</timeDuration>
    </timerEventDefinition>
  </intermediateCatchEvent>`;

async function begin(parts: readonly string[], variables = {}): Promise<string> {
  const key = freshKey();
  await deploy(server, model(key, [start(), ...parts, end()].join("\n")));
  return (await startInstance(server, key, { variables })).process_instance_id;
}

const namesOf = async (id: string) =>
  (await tasksOf(server, id)).map(({ activity_id }) => activity_id).toSorted();

test("a timer that fails is an incident; other timers and tasks continue, and a rerun fires it", async () => {
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

test("a time after the year 9999 is an incident at the timer before it, and is not tried again", async () => {
  const id = await begin(
    [pause("first", "PT1S"), pause("far", "${due}"), flow("start", "first", "far", "end")],
    {
      due: "P10000Y",
    },
  );
  const incident = await incidentOf(server, id);
  expect(incident).toMatchObject({ activity_id: "first", type: "process_failed" });
  expect(incident.message).toContain('The time of "far" is after the year 9999.');
  const api = await server.processes();
  const variableCorrections = { variables: { due: { value: "PT0S" } } };
  await api.setProcessVariables({ xActiveTenant: "tenant-1", processInstanceId: id, variableCorrections });
  await rerun(server, incident.incident_id);
  await reaches(server, id, "completed");
});

test("timers that are due at the same time fire one after the other, and the instance ends", async () => {
  const id = await begin([
    '<parallelGateway id="fork"/><parallelGateway id="join"/>',
    ...["x", "y", "z"].map((event) => pause(event, "PT0S")),
    flow("start", "fork", "x", "join", "end"),
    flow("fork", "y", "join"),
    flow("fork", "z", "join"),
  ]);
  await reaches(server, id, "completed");
});

/** Waiting and running jobs for timers of the instance. */
const jobsOf = (id: string) => server.sql<{ at: Date }[]>`
  select start_after as at from pgboss.job
  where name = 'process-timer' and data->>'process_instance_id' = ${id} and state in ('created', 'retry', 'active')`;

const hour = 3_600_000;

test.each([
  ["an hour slow", -hour],
  ["an hour fast", hour],
])(
  "where the clock of the process is %s, a timer fires in time and the next one not too early",
  async (_, off) => {
    setSystemTime(new Date(Date.now() + off));
    const id = await begin([
      pause("soon", "PT1S"),
      pause("later", "PT30M"),
      flow("start", "soon", "later", "end"),
    ]);
    await until(async () => {
      const [job] = await jobsOf(id);
      return job !== undefined && job.at.getTime() - (Date.now() - off) > hour / 3;
    });
    const [{ made } = { made: 0 }] = await server.sql<{ made: number }[]>`
    select count(*)::int as made from pgboss.job
    where name = 'process-timer' and data->>'process_instance_id' = ${id}`;
    expect(made).toBeLessThanOrEqual(2);
    const [{ left } = { left: 0 }] = await server.sql<{ left: number }[]>`
    select extract(epoch from timer_at - now())::float8 as left from waybill.process_instances where id = ${id}`;
    expect(left).toBeGreaterThan(1_700);
    expect(left).toBeLessThan(1_801);
  },
);

test("a timer has one job, however many steps pass, and none after it is cancelled", async () => {
  const parts = [
    '<parallelGateway id="fork"/><parallelGateway id="join"/>',
    ...["a", "b", "c"].map((id) => `${userTask(id)}${flow("fork", id, "join")}`),
    boundaryTimer("late", "c", { after: "P1D" }),
    flow("late", "end"),
    flow("start", "fork"),
    flow("join", "last", "end"),
    userTask("last"),
  ];
  const id = await begin(parts);
  const taskOf = async (name: string) =>
    (await tasksOf(server, id)).find(({ activity_id }) => activity_id === name)?.task_id ?? "";
  expect(await jobsOf(id)).toHaveLength(1);
  for (const name of ["a", "b"]) await completeTask(server, await taskOf(name));
  expect(await jobsOf(id)).toHaveLength(1);
  await completeTask(server, await taskOf("c"));
  expect(await jobsOf(id)).toHaveLength(0);
});

test("a terminated instance leaves no timer job", async () => {
  const id = await begin([pause("nap", "P1D"), flow("start", "nap", "end")]);
  expect(await jobsOf(id)).toHaveLength(1);
  const api = await server.processes();
  await api.terminateProcessInstance({ xActiveTenant: "tenant-1", processInstanceId: id });
  expect(await jobsOf(id)).toHaveLength(0);
});

test("a timer after one that failed still fires", async () => {
  const id = await begin([
    '<parallelGateway id="fork"/><exclusiveGateway id="choice" default="choice_b"/>',
    pause("broken", "PT0S"),
    pause("well", "PT2S"),
    ...["a", "b", "c"].map((task) => userTask(task)),
    flow("start", "fork", "broken", "choice", "b", "end"),
    conditionalFlow("choice", "a", "${limit > 1}"),
    flow("a", "end"),
    flow("fork", "well", "c", "end"),
  ]);
  expect(await incidentOf(server, id)).toMatchObject({ activity_id: "broken" });
  await until(async () => (await namesOf(id)).includes("c"));
  expect(await incidentsOf(server, id)).toHaveLength(1);
});
