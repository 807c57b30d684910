/** Conditions over the variables of running instances, by type: what the caller sent decides the path. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { conditionalFlow, end, flow, model, start, userTask } from "../support/bpmn.ts";
import { expectProblem } from "../support/problem.ts";
import { completeTask, deploy, freshKey, startInstance, tasksOf, type Values } from "../support/processes.ts";
import { startServer, type TestServer } from "../support/server.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** start → a task "ask" → "yes" if the condition holds, else "no". */
async function decided(condition: string): Promise<string> {
  const key = freshKey("decided");
  const parts = [
    ...[start(), userTask("ask"), '<exclusiveGateway id="choice" default="choice_no"/>'],
    ...[
      userTask("yes"),
      userTask("no"),
      end(),
      flow("start", "ask", "choice", "no", "end"),
      flow("yes", "end"),
    ],
    conditionalFlow("choice", "yes", condition),
  ];
  await deploy(server, model(key, parts.join("\n")));
  return key;
}

async function taskAfter(condition: string, variables: Values): Promise<string> {
  const { process_instance_id: id } = await startInstance(server, await decided(condition));
  const [ask] = await tasksOf(server, id);
  await completeTask(server, ask?.task_id ?? "", { variables });
  const [next] = await tasksOf(server, id);
  return next?.activity_id ?? "";
}

const moment = (value: string) => ({ value, type: "Date" });
const json = (value: unknown) => ({ value: JSON.stringify(value), type: "Json" });

test.each<[condition: string, variables: Values, task: "yes" | "no"]>([
  [
    "${due < limit}",
    { due: moment("2026-01-01T01:00:00+02:00"), limit: moment("2026-01-01T00:00:00Z") },
    "yes",
  ],
  [
    "${due < limit}",
    { due: moment("2026-01-01T01:00:00.000+0200"), limit: moment("2025-12-31T22:59:59Z") },
    "no",
  ],
  [
    "${due == limit}",
    { due: moment("2026-01-01T01:00:00.000+0200"), limit: moment("2025-12-31T23:00:00Z") },
    "yes",
  ],
  ["${amount > 4}", { amount: { value: null, type: "Integer" } }, "no"],
  ["${amount > 4}", { amount: null }, "no"],
  ["${amount > 4 or amount <= 4}", { amount: "" }, "yes"],
  ["${empty items and empty note}", { items: json([]), note: "" }, "yes"],
  ["${!flag}", { flag: "TRUE" }, "no"],
  ["${answer.n < 3}", { answer: json({ n: 2 }) }, "yes"],
  ['${answer.prop("n").numberValue() < 3}', { answer: json({ n: 2 }) }, "yes"],
  ['${answer.prop("m").prop("ok").boolValue()}', { answer: json({ m: { ok: false } }) }, "no"],
  ['${answer.hasProp("n") and answer.n == null}', { answer: json({ n: null }) }, "yes"],
])("%s with %p leads to %p", async (condition, variables, task) => {
  expect(await taskAfter(condition, variables)).toBe(task);
});

test("a variable that does not exist is an error, not null; the task stays open", async () => {
  const { process_instance_id: id } = await startInstance(server, await decided("${missing == null}"));
  const [ask] = await tasksOf(server, id);
  const path = `/api/v1/tasklist/tasks/${ask?.task_id}/complete`;
  const init = {
    method: "POST",
    headers: { "x-active-tenant": "tenant-1", "content-type": "application/json" },
    body: "{}",
  };
  const { message } = await expectProblem(await server.request(path, init), "process_failed");
  expect(message).toContain('There is no variable "missing".');
  expect(await tasksOf(server, id)).toMatchObject([{ activity_id: "ask" }]);
});
