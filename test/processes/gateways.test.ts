/** Models with very many paths: a step takes time by the size of the model. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { conditionalFlow, end, flow, model, start, userTask } from "../support/bpmn.ts";
import {
  completeTask,
  deploy,
  freshKey,
  reaches,
  startInstance,
  stateOf,
  tasksOf,
} from "../support/processes.ts";
import { startServer, type TestServer } from "../support/server.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** This many gateways in a row, each with two flows to the next. */
const row = (gateways: number) =>
  Array.from({ length: gateways }, (_, at) => {
    const next = at + 1 < gateways ? `g${at + 1}` : "review";
    return [
      `<exclusiveGateway id="g${at}" default="g${at}_a${at}"/><task id="a${at}"/><task id="b${at}"/>`,
      flow(`g${at}`, `a${at}`, next),
      conditionalFlow(`g${at}`, `b${at}`, "${amount > 1000}"),
      flow(`b${at}`, next),
    ].join("\n");
  }).join("\n");

async function deployed(parts: readonly string[]): Promise<string> {
  const key = freshKey();
  const ends = [userTask("review"), end(), flow("review", "end")];
  await deploy(server, model(key, [start(), ...parts, ...ends].join("\n")));
  return key;
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1000;
}

test("a step through thirty exclusive gateways in a row takes linear time", async () => {
  const key = await deployed([flow("start", "g0"), row(30)]);
  const took = await seconds(async () => {
    const { process_instance_id: id } = await startInstance(server, key, { variables: { amount: 5 } });
    const [task] = await tasksOf(server, id);
    await completeTask(server, task?.task_id ?? "");
    await reaches(server, id, "completed");
  });
  // If every discard were followed, 14 gateways would take half a minute.
  expect(took).toBeLessThan(10);
});

test("an element that nothing leads to never runs, however many paths lead from it", async () => {
  const beside = `${userTask("lonely")}${flow("lonely", "g0")}`;
  const key = await deployed([flow("start", "g0"), row(16), beside]);
  const took = await seconds(async () => {
    const { process_instance_id: id } = await startInstance(server, key, { variables: { amount: 5 } });
    const tasks = await tasksOf(server, id);
    expect(tasks.map(({ activity_id }) => activity_id)).toEqual(["review"]);
    await completeTask(server, tasks[0]?.task_id ?? "");
    expect(await stateOf(server, id)).toBe("completed");
  });
  expect(took).toBeLessThan(10);
});
