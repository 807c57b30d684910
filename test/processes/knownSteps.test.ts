/** Steps that are run once for all instances of a process: what they decide, and what still belongs to each instance. */
import { expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { catchesError, loadModel } from "../../src/processes/bpmn/readModel.ts";
import type { Model } from "../../src/processes/engines/embedded/models.ts";
import type { EngineEvent } from "../../src/processes/engines/embedded/run.ts";
import { runHere } from "../../src/processes/engines/embedded/runEngine.ts";
import { type StepDone, type StepGiven, stepOn } from "../../src/processes/engines/embedded/storedStep.ts";
import { boundaryTimer, conditionalFlow, end, flow, model, start, userTask } from "../support/bpmn.ts";
import { graphs, xmlOf } from "./bpmn/randomModels.ts";

setDefaultTimeout(120_000);
const now = new Date("2026-01-01T00:00:00Z");
let models = 0;

async function loaded(body: string): Promise<Model> {
  const text = model(`known_${++models}`, body);
  const here = await loadModel(text);
  const catches = (id: string, code: string) => catchesError(here.serviceTasks.get(id), code);
  return { ...here, here, definitionId: "1", key: Bun.hash(text).toString(), catchesError: catches };
}

const typeOf = (value: unknown) => (typeof value === "string" ? "String" : "Json");

const valuesOf = (values: Record<string, unknown>): StepGiven["values"] =>
  new Map(
    Object.entries(values).map(([name, value]) => [
      name,
      { type: typeOf(value), value: JSON.stringify(value) },
    ]),
  ) as never;

const given = (values: Record<string, unknown>, rest: Partial<StepGiven> = {}): StepGiven => ({
  engineState: null,
  event: { kind: "started" },
  values: valuesOf(values),
  openTasks: [],
  now,
  ...rest,
});

/** A question, and a task for each answer. */
const choice = [
  start(),
  '<exclusiveGateway id="g" default="g_small"/>',
  userTask("small"),
  userTask("large", 'camunda:assignee="${approver}"'),
  flow("start", "g", "small", "end"),
  conditionalFlow("g", "large", "${amount > 100}"),
  flow("large", "end"),
  end(),
].join("\n");

test("instances that take the same step share its result", async () => {
  const process = await loaded(choice);
  const first = runHere(process, given({ amount: 1 }));
  expect(runHere(process, given({ amount: 2 }))).toEqual(first as StepDone);
  expect(stepOn(process.here as never, given({ amount: 2 }))).not.toEqual(first as StepDone);
});

test("each instance goes its own way, and has its own owners", async () => {
  const process = await loaded(choice);
  const ownerOf = (amount: number, approver: string) =>
    runHere(process, given({ amount, approver }))?.userTasks.map(({ activityId, owners }) => [
      activityId,
      owners?.assignee,
    ]);
  expect(ownerOf(101, "ann")).toEqual([["large", "ann"]]);
  expect(ownerOf(1, "ann")).toEqual([["small", null]]);
  expect(ownerOf(102, "bob")).toEqual([["large", "bob"]]);
});

test("a known step fails for the instance whose condition or owner fails", async () => {
  const process = await loaded(choice);
  runHere(process, given({ amount: 101, approver: "ann" }));
  expect(() => runHere(process, given({}))).toThrow('There is no variable "amount"');
  expect(() => runHere(process, given({ amount: 101 }))).toThrow('There is no variable "approver"');
  expect(() => runHere(process, given({ amount: 101, approver: 7 }))).toThrow("It is not known whose");
});

test("a step with a timer is run for each instance", async () => {
  const timer = boundaryTimer("late", "wait", { after: "PT1H" });
  const process = await loaded(
    [start(), userTask("wait"), end(), flow("start", "wait", "end"), timer].join("\n"),
  );
  const later = new Date("2026-06-01T00:00:00Z");
  expect(runHere(process, given({}))?.nextTurn).toEqual(new Date("2026-01-01T01:00:00Z"));
  expect(runHere(process, given({}, { now: later }))?.nextTurn).toEqual(new Date("2026-06-01T01:00:00Z"));
});

test("an instance that has ended its task is not asked for it again", async () => {
  const process = await loaded(choice);
  const begun = runHere(process, given({ amount: 1 }));
  const executionId = begun?.userTasks[0]?.executionId ?? "";
  const completed = given(
    {},
    { engineState: begun?.engineState ?? null, event: { kind: "userTaskCompleted", executionId } },
  );
  for (let time = 0; time < 2; time++) expect(runHere(process, completed)?.engineState).toBeNull();
  const another = { ...completed, event: { kind: "userTaskCompleted", executionId: "no_such" } as const };
  expect(() => runHere(process, another)).toThrow();
});

/** Plays an instance with these draws: what is active after each step. */
function play(step: (given: StepGiven) => StepDone, draws: readonly number[]): string[][] {
  const active: string[][] = [];
  const ended = new Set<string>();
  let event: EngineEvent = { kind: "started" };
  let engineState: Uint8Array | null = null;
  let openTasks: string[] = [];
  for (const draw of draws) {
    const done = step(given({ yes: true, no: false }, { engineState, event, openTasks }));
    const waiting = [...done.userTasks, ...done.serviceTasks];
    active.push(waiting.map(({ activityId }) => activityId).toSorted());
    // Rows of tasks are kept, and a second one with the same execution would be lost.
    expect(waiting.filter(({ executionId }) => ended.has(executionId))).toEqual([]);
    ({ engineState } = done);
    openTasks = done.userTasks.map(({ executionId }) => executionId);
    if (engineState === null || waiting.length === 0) return active;
    const sorted = waiting.toSorted((a, b) => (a.activityId < b.activityId ? -1 : 1));
    const { executionId = "" } = sorted[draw % sorted.length] ?? {};
    ended.add(executionId);
    const kind = openTasks.includes(executionId) ? "userTaskCompleted" : "serviceTaskCompleted";
    event = { kind, executionId };
  }
  return active;
}

test("in random models, instances with known steps go where they would go without", async () => {
  let compared = 0;
  const orders = fc.array(fc.array(fc.nat({ max: 20 }), { minLength: 8, maxLength: 8 }), {
    minLength: 2,
    maxLength: 4,
  });
  const property = fc.asyncProperty(graphs, orders, async (graph, orders) => {
    const process = await loaded(xmlOf(graph));
    const alone = (given: StepGiven) => stepOn(process.here as never, given);
    const together = (given: StepGiven) => runHere(process, given) ?? alone(given);
    for (const draws of [...orders, ...orders]) {
      const expected = outcomeOf(() => play(alone, draws));
      expect(outcomeOf(() => play(together, draws))).toEqual(expected);
      if (Array.isArray(expected) && expected.length > 1) compared++;
    }
  });
  await fc.assert(property, { numRuns: 25 });
  expect(compared).toBeGreaterThan(10);
});

/** What is active, or the message of the failure. */
function outcomeOf(play: () => string[][]): string[][] | string {
  try {
    return play();
  } catch (error) {
    if (!(error instanceof Error) || "matcherResult" in error) throw error;
    return error.message.replace(/ Correct the model and deploy it\.$/, "");
  }
}

test("a process that is paused in a step does not take the pause for work", async () => {
  const process = await loaded(choice);
  const real = performance.now.bind(performance);
  let [pauses, called] = [0, 0];
  performance.now = () => real() + (++called === 5 ? ++pauses : pauses) * 60_000;
  try {
    expect(stepOn(process.here as never, given({ amount: 1 })).userTasks).toHaveLength(1);
    expect(pauses).toBe(1);
  } finally {
    performance.now = real;
  }
});
