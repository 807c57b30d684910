/** Boundary events as BPMN defines them: an interrupting one cancels its activity, and an error is caught once. */
import { afterAll, expect, setSystemTime, test } from "bun:test";
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

afterAll(() => void setSystemTime());
const begun = new Date("2026-01-01T00:00:00Z");

interface Run {
  readonly standing: Snapshot;
  tasks(): string[];
  step(event: EngineEvent): Run;
  /** As jobs do: one timer a step, until none is due. */
  fireAfter(seconds: number): Run;
}

function run(process: ProcessModel, state?: string, event: EngineEvent = { kind: "started" }): Run {
  const standing = runStep({ model: process, state, event, values: {} });
  const tasks = () => standing.userTasks.map(({ activityId }) => activityId).toSorted();
  const step = (next: EngineEvent) => run(process, standing.state, next);
  const fireAfter = (seconds: number): Run => {
    setSystemTime(new Date(begun.getTime() + seconds * 1000));
    const fired = step({ kind: "timerDue", except: new Set() });
    const isDue = fired.standing.nextTimer !== undefined && fired.standing.nextTimer <= new Date();
    return isDue ? fired.fireAfter(seconds) : fired;
  };
  return { standing, tasks, step, fireAfter };
}

async function started(parts: readonly string[], errors = ""): Promise<Run> {
  setSystemTime(begun);
  return run(await loadModel(model("events", parts.join("\n"), errors)));
}

const timerAt = (id: string, seconds: number, interrupts = true) =>
  boundaryTimer(id, "task", { after: `PT${seconds}S`, interrupts });
const caught = (id: string, after: number) =>
  `<intermediateCatchEvent id="${id}"><timerEventDefinition id="${id}_d"><timeDuration xsi:type="tFormalExpression">PT${after}S</timeDuration></timerEventDefinition></intermediateCatchEvent>`;
const tasks = (...ids: string[]) => ids.map((id) => userTask(id));
const ends = (...ids: string[]) => ids.map((id) => flow(id, "end"));

test.each([
  [2, 4],
  [4, 2],
  [1, 1],
])("of two interrupting timers of %i and %i seconds that are due together one happens", async (a, b) => {
  const parts = [start(), ...tasks("task", "on_a", "on_b"), timerAt("a", a), timerAt("b", b), end()];
  const flows = [flow("start", "task", "end"), flow("a", "on_a"), flow("b", "on_b"), ...ends("on_a", "on_b")];
  const instance = await started([...parts, ...flows]);
  expect(instance.fireAfter(60).tasks()).toEqual([a <= b ? "on_a" : "on_b"]);
});

test("an interrupting timer cancels a later non-interrupting one, but not an earlier one", async () => {
  const parts = [start(), ...tasks("task", "reminder", "late"), end()];
  const flows = [
    flow("start", "task", "end"),
    flow("t", "late"),
    flow("r", "reminder"),
    ...ends("late", "reminder"),
  ];
  const early = await started([...parts, timerAt("t", 4), timerAt("r", 2, false), ...flows]);
  expect(early.fireAfter(60).tasks()).toEqual(["late", "reminder"]);
  const never = await started([...parts, timerAt("t", 2), timerAt("r", 4, false), ...flows]);
  expect(never.fireAfter(60).tasks()).toEqual(["late"]);
});

test("an inner timer that fires first ends its sub-process before the sub-process's own timer", async () => {
  const inner = [start("in"), caught("pause", 2), end("out"), flow("in", "pause", "out")].join("\n");
  const sub = `<subProcess id="sub">${inner}</subProcess>`;
  const limit = boundaryTimer("limit", "sub", { after: "PT4S" });
  const flows = [flow("start", "sub", "ok", "end"), flow("limit", "late", "end")];
  const instance = await started([start(), sub, limit, ...tasks("ok", "late"), end(), ...flows]);
  expect(instance.fireAfter(60).tasks()).toEqual(["ok"]);
});

test("a timer within a sub-process is gone when an event interrupts the sub-process", async () => {
  const inner = [start("in"), userTask("task"), timerAt("inner", 60), flow("in", "task")].join("\n");
  const sub = `<subProcess id="sub">${inner}</subProcess>`;
  const limit = boundaryTimer("limit", "sub", { after: "PT4S" });
  const flows = [flow("start", "sub", "end"), flow("limit", "late", "end")];
  const instance = await started([start(), sub, limit, ...tasks("late"), end(), ...flows]);
  const late = instance.fireAfter(10);
  expect(late.tasks()).toEqual(["late"]);
  expect(late.standing.nextTimer).toBeUndefined();
});

test("a task can be completed while its due timer has not fired yet", async () => {
  const parts = [start(), ...tasks("task", "done", "late"), timerAt("limit", 2), end()];
  const flows = [flow("start", "task", "done", "end"), flow("limit", "late"), ...ends("late")];
  const instance = await started([...parts, ...flows]);
  setSystemTime(new Date(begun.getTime() + 60_000));
  const [task] = instance.standing.userTasks;
  const completed = instance.step({ kind: "userTaskCompleted", executionId: task?.executionId ?? "" });
  expect(completed.tasks()).toEqual(["done"]);
  expect(completed.standing.nextTimer).toBeUndefined();
});

test("a timer that fails does not delay other timers", async () => {
  const condition = `<sequenceFlow id="x_end" sourceRef="x" targetRef="end"><conditionExpression xsi:type="tFormalExpression">\${nobody &gt; 1}</conditionExpression></sequenceFlow>`;
  const gateways = '<parallelGateway id="fork"/><exclusiveGateway id="x" default="x_a"/>';
  const events = [caught("broken", 1), caught("well", 2)];
  const flows = [
    flow("start", "fork", "broken", "x", "a", "end"),
    condition,
    flow("fork", "well", "b", "end"),
    flow("fork", "c", "end"),
  ];
  const instance = await started([start(), gateways, ...events, ...tasks("a", "b", "c"), end(), ...flows]);
  setSystemTime(new Date(begun.getTime() + 60_000));
  const failed = (except: string[]) => () => instance.step({ kind: "timerDue", except: new Set(except) });
  const failure = thrownBy(failed([])) as {
    message: string;
    timer: { activityId: string; executionId: string };
  };
  expect(failure.message).toContain('There is no variable "nobody"');
  expect(failure.timer.activityId).toBe("broken");
  const gone = failed([failure.timer.executionId])();
  expect(gone.tasks()).toEqual(["b", "c"]);
  expect(gone.standing.nextTimer).toEqual(new Date(begun.getTime() + 1_000));
  const [, task] = gone.standing.userTasks;
  expect(gone.step({ kind: "userTaskCompleted", executionId: task?.executionId ?? "" }).tasks()).toHaveLength(
    1,
  );
});

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

const catchAll = (id: string, attachedTo: string, attributes = "") =>
  `<boundaryEvent id="${id}" attachedToRef="${attachedTo}"><errorEventDefinition id="${id}_d" ${attributes}/></boundaryEvent>`;
const specific = (id: string, attachedTo: string, code: string) => boundaryError(id, attachedTo, code).event;
const errors = ["A", "B"].map((code) => boundaryError("e", "x", code).error).join("\n");
const nameless = '<error id="error_any" name="any"/>';

const call = apiCall("task", { method: "GET", url: "http://127.0.0.1/" });
const failing = (code: string) =>
  `<subProcess id="task">${start("in")}<endEvent id="failed"><errorEventDefinition id="failed_d" errorRef="error_${code}"/></endEvent>${flow("in", "failed")}</subProcess>`;
const orders: [string, (events: string[]) => string[]][] = [
  ["first", (events) => events],
  ["last", (events) => events.toReversed()],
];
const anyError: [string, string][] = [
  ["no reference", ""],
  ["an error without a code", 'errorRef="error_any"'],
];

for (const [place, order] of orders)
  for (const [what, attributes] of anyError)
    test.each([
      ["A", "on_a"],
      ["B", "on_any"],
    ])(
      `an error %s is caught once: the event with its code comes ${place}, the other has ${what}`,
      async (code, expected) => {
        const events = order([specific("a", "task", "A"), catchAll("any", "task", attributes)]);
        const flows = [
          flow("start", "task", "end"),
          flow("a", "on_a"),
          flow("any", "on_any"),
          ...ends("on_a", "on_any"),
        ];
        const parts = [...events, ...tasks("on_a", "on_any"), end(), ...flows];
        const waiting = await started([start(), call, ...parts], errors + nameless);
        const [service] = waiting.standing.serviceTasks;
        const executionId = service?.executionId ?? "";
        const rejected = waiting.step({ kind: "serviceTaskRejected", executionId, code });
        expect(rejected.tasks()).toEqual([expected]);
        const thrown = await started([start(), failing(code), ...parts], errors + nameless);
        expect(thrown.tasks()).toEqual([expected]);
      },
    );

test("an error is caught only at the activity that it comes from", async () => {
  const inside = (id: string, what: string) =>
    `<subProcess id="${id}">${start(`${id}_in`)}${what}${flow(`${id}_in`, `${id}_x`)}</subProcess>`;
  const thrower = inside(
    "one",
    '<endEvent id="one_x"><errorEventDefinition id="one_d" errorRef="error_A"/></endEvent>',
  );
  const waiter = inside("two", `${userTask("two_x")}${end("two_end")}${flow("two_x", "two_end")}`);
  const parts = [
    start(),
    '<parallelGateway id="fork"/>',
    waiter,
    thrower,
    end(),
    ...tasks("on_one", "on_two"),
  ];
  const events = [catchAll("c1", "one"), catchAll("c2", "two")];
  const flows = [
    flow("start", "fork", "one", "end"),
    flow("fork", "two", "end"),
    flow("c1", "on_one"),
    flow("c2", "on_two"),
    ...ends("on_one", "on_two"),
  ];
  const instance = await started([...parts, ...events, ...flows], errors);
  expect(instance.tasks()).toEqual(["on_one", "two_x"]);
});

const nested = (inner: string, ...events: string[]) => [
  start(),
  `<subProcess id="outer">${start("outer_in")}<subProcess id="task">${start("in")}${inner}${flow("in", "x")}</subProcess>${end("outer_end")}${flow("outer_in", "task", "outer_end")}${events.filter((event) => event.includes('"task"')).join("")}${tasks("on_inner").join("")}${end("inner_end")}${events.some((event) => event.includes('"task"')) ? flow("inner", "on_inner", "inner_end") : ""}</subProcess>`,
  ...events.filter((event) => event.includes('"outer"')),
  ...tasks("on_outer"),
  end(),
  flow("start", "outer", "end"),
  flow("outer_event", "on_outer", "end"),
];
const throwing = '<endEvent id="x"><errorEventDefinition id="x_d" errorRef="error_A"/></endEvent>';
const calling = apiCall("x", { method: "GET", url: "http://127.0.0.1/" });

test.each([
  ["the innermost", specific("inner", "task", "A"), ["on_inner"]],
  ["the innermost, which catches all", catchAll("inner", "task"), ["on_inner"]],
  ["the outer, where the inner is about another", specific("inner", "task", "B"), ["on_outer"]],
])("of two sub-processes within each other it is caught at %s", async (_, inner, expected) => {
  for (const outer of [specific("outer_event", "outer", "A"), catchAll("outer_event", "outer")]) {
    const thrown = await started(nested(throwing, inner, outer), errors);
    expect(thrown.tasks()).toEqual(expected);
    const waiting = await started(nested(calling, inner, outer), errors);
    const executionId = waiting.standing.serviceTasks[0]?.executionId ?? "";
    const rejected = waiting.step({ kind: "serviceTaskRejected", executionId, code: "A" });
    expect(rejected.tasks()).toEqual(expected);
  }
});
