/** Several tokens in one activity: each is worked on by itself, also after the state was stored. */
import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { loadModel, type ProcessModel } from "../../../src/processes/bpmn/readModel.ts";
import { type EngineEvent, runStep, type Snapshot } from "../../../src/processes/engines/embedded/run.ts";
import {
  apiCall,
  boundaryError,
  boundaryTimer,
  end,
  flow,
  model,
  start,
  userTask,
} from "../../support/bpmn.ts";

const begun = new Date("2026-01-01T00:00:00Z");
const later = new Date("2026-01-02T00:00:00Z");

class Instance {
  constructor(
    readonly model: ProcessModel,
    readonly snapshot: Snapshot,
  ) {}

  static start(process: ProcessModel): Instance {
    return new Instance(process, stepOf(process, undefined, { kind: "started" }));
  }

  get tasks(): string[] {
    return this.snapshot.userTasks.map(({ activityId }) => activityId).toSorted();
  }

  complete(activityId: string): Instance {
    const task = this.snapshot.userTasks.find((waiting) => waiting.activityId === activityId);
    if (!task) throw new Error(`no task of ${activityId} waits`);
    return this.step({ kind: "userTaskCompleted", executionId: task.executionId });
  }

  fireTimer(): Instance {
    return this.step({ kind: "timerDue", except: new Set() }, later);
  }

  step(event: EngineEvent, now = begun): Instance {
    return new Instance(this.model, stepOf(this.model, this.snapshot.state, event, now));
  }
}

const stepOf = (process: ProcessModel, state: string | undefined, event: EngineEvent, now = begun) =>
  runStep({ model: process, state, event, values: {}, now });

const started = async (parts: readonly string[], beside = "") =>
  Instance.start(await loadModel(model("tokens", parts.join("\n"), beside)));

const fork = (...ways: string[]) => [
  '<parallelGateway id="fork"/>',
  flow("start", "fork"),
  ...ways.map((way) => `<task id="${way}"/>${flow("fork", way)}`),
];
/** Two tokens reach the element. */
const twoInto = (id: string) => [start(), ...fork("a", "b"), flow("a", id), flow("b", id)];
const subProcess = (id: string, ...parts: string[]) =>
  `<subProcess id="${id}">${parts.join("\n")}</subProcess>`;

test("each of three tokens in a task has a task and a timer of its own", async () => {
  const parts = [start(), ...fork("a", "b", "c"), flow("a", "task"), flow("b", "task"), flow("c", "task")];
  const events = [boundaryTimer("limit", "task", { after: "PT1H" }), userTask("late"), flow("limit", "late")];
  const all = await started([...parts, userTask("task"), end(), flow("task", "end"), ...events]);
  expect(all.tasks).toEqual(["task", "task", "task"]);
  expect(new Set(all.snapshot.userTasks.map(({ executionId }) => executionId)).size).toBe(3);
  const one = all.complete("task").fireTimer();
  expect(one.tasks).toEqual(["late", "task"]);
  const none = one.fireTimer();
  expect(none.tasks).toEqual(["late", "late"]);
  expect(none.snapshot.nextTimer).toBeUndefined();
  expect(none.complete("late").complete("late").snapshot.state).toBeUndefined();
});

test("a task that a token has left takes the next token", async () => {
  const reminder = boundaryTimer("reminder", "task", { after: "PT1H", interrupts: false });
  const parts = [...twoInto("task"), userTask("task"), reminder, userTask("next"), flow("reminder", "next")];
  let instance = await started([...parts, flow("next", "task")]);
  expect(instance.tasks).toEqual(["task", "task"]);
  for (let round = 0; round < 4; round++) {
    instance = instance.fireTimer();
    expect(instance.tasks).toEqual(["next", "task", "task"]);
    instance = instance.complete("task").complete("next");
    expect(instance.tasks).toEqual(["task", "task"]);
  }
  expect(instance.complete("task").complete("task").snapshot.state).toBeUndefined();
});

test("an error ends only the sub-process that it was thrown in", async () => {
  const { event, error } = boundaryError("caught", "sub", "A");
  const throws = '<endEvent id="failed"><errorEventDefinition id="d" errorRef="error_A"/></endEvent>';
  const inner = [start("in"), userTask("task"), throws, flow("in", "task", "failed")];
  const parts = [...twoInto("sub"), subProcess("sub", ...inner), event, userTask("on"), flow("caught", "on")];
  const instance = await started(parts, error);
  expect(instance.tasks).toEqual(["task", "task"]);
  expect(instance.complete("task").tasks).toEqual(["on", "task"]);
  expect(instance.complete("task").complete("task").tasks).toEqual(["on", "on"]);
});

test("sub-processes within each other hold two times two tokens", async () => {
  const timer = [boundaryTimer("limit", "task", { after: "PT1H" }), userTask("late"), flow("limit", "late")];
  const innermost = subProcess("inner", start("in_2"), userTask("task"), flow("in_2", "task"), ...timer);
  const middle = [
    start("in"),
    '<parallelGateway id="fork_2"/><task id="a_2"/><task id="b_2"/>',
    flow("in", "fork_2", "a_2", "inner"),
    flow("fork_2", "b_2", "inner"),
    innermost,
    userTask("between"),
    flow("inner", "between"),
  ];
  const instance = await started([
    ...twoInto("outer"),
    subProcess("outer", ...middle),
    userTask("last"),
    flow("outer", "last"),
  ]);
  expect(instance.tasks).toEqual(["task", "task", "task", "task"]);
  let played = instance.complete("task").fireTimer();
  expect(played.tasks).toEqual(["between", "late", "task", "task"]);
  for (const id of ["task", "late", "task", "between", "between", "between", "between"])
    played = played.complete(id);
  expect(played.tasks).toEqual(["last", "last"]);
  expect(played.complete("last").complete("last").snapshot.state).toBeUndefined();
});

test("two service tasks of one activity are told apart by their executions", async () => {
  const call = apiCall("call", { method: "GET", url: "http://127.0.0.1/" });
  const instance = await started([...twoInto("call"), call, userTask("after"), flow("call", "after")]);
  const [first, second] = instance.snapshot.serviceTasks;
  expect([first?.activityId, second?.activityId]).toEqual(["call", "call"]);
  const left = instance.step({ kind: "serviceTaskCompleted", executionId: second?.executionId ?? "" });
  expect(left.snapshot.serviceTasks).toEqual([first as never]);
  expect(left.tasks).toEqual(["after"]);
});

test("a version that knows no second token in an activity cannot read such a state, and loses none", async () => {
  const two = await started([...twoInto("task"), userTask("task")]);
  expect(() => JSON.parse(two.snapshot.state ?? "")).toThrow(SyntaxError);
  const one = two.complete("task");
  const left = one.snapshot.userTasks[0]?.executionId ?? "";
  expect(one.snapshot.state).toContain(left);
  const first = two.snapshot.userTasks.find(({ activityId }) => activityId === "task")?.executionId ?? "";
  const last = two.snapshot.userTasks.find(({ executionId }) => executionId !== first)?.executionId ?? "";
  const original = two.step({ kind: "userTaskCompleted", executionId: last });
  expect(original.tasks).toEqual(["task"]);
  // Only the first is left, which every version can read.
  expect(() => JSON.parse(original.snapshot.state ?? "")).not.toThrow();
});

/** States that an earlier version stored. It kept a second token in a queue, and ran what nothing leads to. */
async function stored(name: string): Promise<Instance> {
  const file = fileURLToPath(new URL(`../../fixtures/states/${name}.json`, import.meta.url));
  const { bpmn, state } = await Bun.file(file).json();
  const text = Bun.zstdDecompressSync(Buffer.from(state, "base64")).toString();
  const process = await loadModel(bpmn);
  return new Instance(process, { ...stepOf(process, text, { kind: "timerDue", except: new Set() }) });
}

test("a token that waits in a stored state gets its own task and timer", async () => {
  const instance = await stored("two_tokens_timer");
  expect(instance.tasks).toEqual(["task", "task"]);
  expect(instance.fireTimer().tasks).toEqual(["late", "task"]);
  expect(instance.fireTimer().fireTimer().tasks).toEqual(["late", "late"]);
  expect(instance.complete("task").complete("task").snapshot.state).toBeUndefined();
});

test("a token that waits for a sub-process in a stored state starts it", async () => {
  const instance = await stored("two_tokens_sub_process");
  expect(instance.tasks).toEqual(["inner", "inner"]);
  expect(instance.complete("inner").complete("inner").snapshot.state).toBeUndefined();
});

test("a manual task in a stored state passes", async () => {
  expect((await stored("manual_task")).tasks).toEqual(["after", "task"]);
});

test("what a stored state has started without a flow ends with the process, or can be completed", async () => {
  const instance = await stored("unreachable");
  expect(instance.tasks).toEqual(["leads", "lonely", "task"]);
  const ended = instance.complete("task");
  expect(ended.tasks).toEqual(["lonely"]);
  expect(ended.complete("lonely").snapshot.state).toBeUndefined();
});
