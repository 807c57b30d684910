/** Which way a process goes: conditions, parallel paths, sub-processes, timers. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { boundaryTimer, conditionalFlow, end, flow, start, userTask } from "../support/bpmn.ts";
import { until } from "../support/until.ts";
import { startWorld, type World } from "./world.ts";

setDefaultTimeout(60_000);
let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const pause = (id: string, duration: string, kind = "timeDuration") =>
  `<intermediateCatchEvent id="${id}"><timerEventDefinition id="${id}_d">
    <${kind} xsi:type="tFormalExpression">${duration}</${kind}></timerEventDefinition></intermediateCatchEvent>`;
const namesOf = async (id: string) =>
  (await world.tasks(id)).map(({ activity_id }) => activity_id).toSorted();

/** Starts a process that comes to the task "yes" where the condition holds, and to "no" otherwise. */
async function decide(condition: string, variables: Record<string, unknown>): Promise<string> {
  const key = await world.deploy([
    start(),
    '<exclusiveGateway id="decision" default="decision_no"/>',
    userTask("yes"),
    userTask("no"),
    end(),
    flow("start", "decision", "no", "end"),
    conditionalFlow("decision", "yes", condition),
    flow("yes", "end"),
  ]);
  const [task] = await world.tasks(await world.start(key, variables));
  return task?.activity_id ?? "";
}

const json = (value: unknown) => ({ value, type: "Json" });
const date = (value: string) => ({ value, type: "Date" });
const conditions: [condition: string, variables: Record<string, unknown>, goes: "yes" | "no"][] = [
  ["${amount > 1000}", { amount: 1_001 }, "yes"],
  ["${amount > 1000}", { amount: 1_000 }, "no"],
  ["${amount >= 1000 && approved}", { amount: 1_000, approved: true }, "yes"],
  ["${amount ge 1000 and not approved}", { amount: 1_000, approved: true }, "no"],
  ["${!approved || amount == 3}", { approved: true, amount: 3 }, "yes"],
  ["${name == 'Jane'}", { name: "Jane" }, "yes"],
  ['${name != "Jane"}', { name: "Jane" }, "no"],
  ["${empty name}", { name: "" }, "yes"],
  ["${amount * 2 + 1 == 7}", { amount: 3 }, "yes"],
  ["${amount / 2 > 1.4}", { amount: 3 }, "yes"],
  ["${missing == null}", { missing: null }, "yes"],
  ["${big == 9223372036854775807}", { big: { value: "9223372036854775807", type: "Long" } }, "yes"],
  [
    "${first < second}",
    { first: date("2026-01-01T01:00:00.000+0200"), second: date("2026-01-01T00:00:00.000+0000") },
    "yes",
  ],
  [
    "${first < second}",
    { first: date("2026-01-01T00:00:00.000+0000"), second: date("2026-01-01T01:00:00.000+0200") },
    "no",
  ],
  ['${r.prop("n").numberValue() > 4}', { r: json({ n: 5 }) }, "yes"],
  ['${r.prop("ok").boolValue()}', { r: json({ ok: false }) }, "no"],
  ['${r.prop("name").stringValue() == "x"}', { r: json({ name: "x" }) }, "yes"],
];
test.each(conditions)("the condition %p with %j leads to %p", async (condition, variables, goes) => {
  expect(await decide(condition, variables)).toBe(goes);
});

test("parallel paths run beside each other, and their join waits for all of them", async () => {
  const gateways = '<parallelGateway id="fork"/><parallelGateway id="join"/>';
  const flows = [flow("start", "fork", "a", "join", "after", "end"), flow("fork", "b", "join")];
  const key = await world.deploy([
    start(),
    gateways,
    ...["a", "b", "after"].map((id) => userTask(id)),
    end(),
    ...flows,
  ]);
  const id = await world.start(key);
  expect(await namesOf(id)).toEqual(["a", "b"]);
  for (const waiting of [["b"], ["after"], []]) {
    const [task] = await world.tasks(id);
    await world.complete(task?.task_id ?? "");
    expect(await namesOf(id)).toHaveLength(waiting.length);
  }
  await world.reaches(id, "completed");
});

test("an inclusive gateway takes each path whose condition holds", async () => {
  const tasks = ["a", "b", "c"].map((id) => userTask(id));
  const flows = ["a", "b", "c"].flatMap((id) => [conditionalFlow("fork", id, `\${${id}}`), flow(id, "end")]);
  const parts = ['<inclusiveGateway id="fork"/>', ...tasks, ...flows, flow("start", "fork")];
  const key = await world.deploy([start(), ...parts, end()]);
  const id = await world.start(key, { a: true, b: false, c: true });
  expect(await namesOf(id)).toEqual(["a", "c"]);
  for (const task of await world.tasks(id)) await world.complete(task.task_id);
  await world.reaches(id, "completed");
});

test("a sub-process ends with its last path, and a terminate end ends everything in it", async () => {
  const inside = [
    start("in"),
    '<parallelGateway id="fork"/>',
    userTask("a"),
    userTask("b"),
    '<endEvent id="stop"><terminateEventDefinition id="stop_d"/></endEvent>',
    end("done"),
    flow("in", "fork", "a", "stop"),
    flow("fork", "b", "done"),
  ];
  const key = await world.deploy([
    start(),
    `<subProcess id="sub">${inside.join("")}</subProcess>`,
    userTask("after"),
    end(),
    flow("start", "sub", "after", "end"),
  ]);
  const id = await world.start(key);
  expect(await namesOf(id)).toEqual(["a", "b"]);
  const task = (await world.tasks(id)).find(({ activity_id }) => activity_id === "a");
  await world.complete(task?.task_id ?? "");
  expect(await namesOf(id)).toEqual(["after"]);
});

test("timers fire: a duration, a date, one from a variable, and none before its time", async () => {
  const soon = new Date(Date.now() + 2_000).toISOString();
  const key = await world.deploy([
    start(),
    '<parallelGateway id="fork"/>',
    pause("duration", "PT1S"),
    pause("date", soon, "timeDate"),
    pause("variable", "${wait}"),
    pause("far", "P1D"),
    ...["a", "b", "c", "never"].map((id) => userTask(id)),
    end(),
    flow("start", "fork", "duration", "a", "end"),
    flow("fork", "date", "b", "end"),
    flow("fork", "variable", "c", "end"),
    flow("fork", "far", "never", "end"),
  ]);
  const id = await world.start(key, { wait: "PT2S" });
  expect(await namesOf(id)).toEqual([]);
  await until(async () => (await namesOf(id)).length === 3);
  expect(await namesOf(id)).toEqual(["a", "b", "c"]);
});

test("a boundary timer that does not interrupt starts a second path beside its task", async () => {
  const timer = boundaryTimer("remind", "a", { after: "PT1S", interrupts: false });
  const flows = [flow("start", "a", "end"), flow("remind", "b", "end")];
  const key = await world.deploy([start(), userTask("a"), timer, userTask("b"), end(), ...flows]);
  const id = await world.start(key);
  await until(async () => (await namesOf(id)).length === 2);
  for (const task of await world.tasks(id)) await world.complete(task.task_id);
  await world.reaches(id, "completed");
});

test("an error that is thrown in a sub-process is caught at its boundary", async () => {
  const inside = [
    start("in"),
    '<endEvent id="fail"><errorEventDefinition id="fail_d" errorRef="no"/></endEvent>',
    flow("in", "fail"),
  ];
  const caught =
    '<boundaryEvent id="caught" attachedToRef="sub"><errorEventDefinition id="c_d" errorRef="no"/></boundaryEvent>';
  const key = await world.deploy(
    [
      start(),
      `<subProcess id="sub">${inside.join("")}</subProcess>`,
      caught,
      userTask("fix"),
      end(),
      flow("start", "sub", "end"),
      flow("caught", "fix", "end"),
    ],
    { beside: '<error id="no" name="no" errorCode="NO"/>' },
  );
  expect(await namesOf(await world.start(key))).toEqual(["fix"]);
});
