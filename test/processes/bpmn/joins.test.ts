/** Parallel gateways wait for a token of each flow, in any order and after any stored step. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { loadModel, type ProcessModel } from "../../../src/processes/bpmn/readModel.ts";
import { ProcessFailure } from "../../../src/processes/engines/embedded/processFailure.ts";
import { runStep, type Snapshot } from "../../../src/processes/engines/embedded/run.ts";
import { boundaryTimer, conditionalFlow, end, flow, model, start, userTask } from "../../support/bpmn.ts";

const gateway = (kind: "parallel" | "exclusive", id: string, attributes = "") =>
  `<${kind}Gateway id="${id}" ${attributes}/>`;
const subProcess = (id: string, ...parts: string[]) =>
  `<subProcess id="${id}">${parts.join("\n")}</subProcess>`;
const forked = [start(), gateway("parallel", "fork"), gateway("parallel", "join"), end()];
const readyModel = (...parts: string[]) => loadModel(model("joins", parts.join("\n")));

/** Completes the tasks in a random order. Returns those that were completed. */
function play(process: ProcessModel, values: object, draw: (tasks: number) => number): string[] {
  const completed: string[] = [];
  const step = (state: string | undefined, event: Parameters<typeof runStep>[0]["event"]): Snapshot =>
    runStep({ model: process, state, event, values: values as Record<string, unknown> });
  for (let standing = step(undefined, { kind: "started" }); standing.state !== undefined; ) {
    const task = standing.userTasks[draw(standing.userTasks.length)];
    if (!task) throw new Error("nothing waits");
    completed.push(task.activityId);
    standing = step(standing.state, { kind: "userTaskCompleted", executionId: task.executionId });
  }
  return completed;
}

const inner = [start("in"), ...forked.slice(1, 3), userTask("a"), userTask("b"), end("out")];
const models: [what: string, tasks: string[], parts: string[]][] = [
  [
    "two tasks, and then one",
    ["a", "b", "last"],
    [
      ...forked,
      userTask("a"),
      userTask("b"),
      userTask("last"),
      flow("start", "fork", "a", "join", "last", "end"),
      flow("fork", "b", "join"),
    ],
  ],
  [
    "a path without a task",
    ["a"],
    [...forked, userTask("a"), flow("start", "fork", "a", "join", "end"), flow("fork", "join")],
  ],
  [
    "an exclusive merge on one path",
    ["a", "c"],
    [
      ...forked,
      userTask("a"),
      userTask("b"),
      userTask("c"),
      gateway("exclusive", "decision", 'default="decision_c"'),
      gateway("exclusive", "merge"),
      flow("start", "fork", "a", "join", "end"),
      flow("fork", "decision", "c", "merge", "join"),
      conditionalFlow("decision", "b", "${n > 1}"),
      flow("b", "merge"),
    ],
  ],
  [
    "two ways into one task",
    ["a", "c"],
    [
      ...forked,
      userTask("a"),
      userTask("c"),
      gateway("exclusive", "decision", 'default="decision_short"'),
      gateway("exclusive", "short"),
      gateway("exclusive", "long"),
      flow("start", "fork", "a", "join", "end"),
      flow("fork", "decision", "short", "c", "join"),
      conditionalFlow("decision", "long", "${n > 1}"),
      flow("long", "c"),
    ],
  ],
  [
    "a boundary event that leads back",
    ["a", "t"],
    [
      ...forked,
      userTask("a"),
      userTask("t"),
      boundaryTimer("late", "t", { after: "PT1H" }),
      gateway("exclusive", "merge"),
      flow("start", "fork", "a", "join", "end"),
      flow("fork", "t", "merge", "join"),
      flow("late", "merge"),
    ],
  ],
  [
    "a fork in a fork",
    ["a", "b", "c"],
    [
      ...forked,
      gateway("parallel", "fork_2"),
      gateway("parallel", "join_2"),
      userTask("a"),
      userTask("b"),
      userTask("c"),
      flow("start", "fork", "a", "join", "end"),
      flow("fork", "fork_2", "b", "join_2", "join"),
      flow("fork_2", "c", "join_2"),
    ],
  ],
  [
    "a path that ends before the join",
    ["a", "b", "c"],
    [
      ...forked,
      end("other"),
      userTask("a"),
      userTask("b"),
      userTask("c"),
      flow("start", "fork", "a", "join", "end"),
      flow("fork", "b", "join"),
      flow("fork", "c", "other"),
    ],
  ],
  [
    "a sub-process",
    ["a", "b", "last"],
    [
      start(),
      end(),
      userTask("last"),
      flow("start", "sub", "last", "end"),
      subProcess("sub", ...inner, flow("in", "fork", "a", "join", "out"), flow("fork", "b", "join")),
    ],
  ],
];

test.each(models)("%s", async (_, tasks, parts) => {
  const process = await readyModel(...parts);
  const order = fc.infiniteStream(fc.nat({ max: 100 }));
  fc.assert(
    fc.property(order, (order) => {
      const draw = (count: number) => (order.next().value ?? 0) % count;
      const completed = play(process, { n: 0 }, draw);
      expect(completed.toSorted()).toEqual(tasks.toSorted());
      if (tasks.includes("last")) expect(completed.at(-1)).toBe("last");
    }),
    { numRuns: 20 },
  );
});

test("a join that can never have all its tokens fails the step with the join's name", async () => {
  const decision = gateway("exclusive", "decision", 'default="decision_other"');
  const stuck = [
    ...[
      gateway("parallel", "fork"),
      gateway("parallel", "join"),
      decision,
      userTask("a"),
      end("e"),
      end("other"),
    ],
    flow("fork", "a", "join", "e"),
    flow("fork", "decision", "other"),
    conditionalFlow("decision", "join", "${n > 1}"),
  ];
  const plain = await readyModel(start(), flow("start", "fork"), ...stuck);
  const nested = await readyModel(
    start(),
    end(),
    flow("start", "sub", "end"),
    subProcess("sub", start("in"), flow("in", "fork"), ...stuck),
  );
  for (const process of [plain, nested]) {
    const playing = () => play(process, { n: 0 }, () => 0);
    expect(playing).toThrow(ProcessFailure);
    expect(playing).toThrow('The process would never end: not all paths that lead to "join" were taken.');
    expect(play(process, { n: 2 }, () => 0)).toEqual(["a"]);
  }
});

test("a loop passes its join once a round", async () => {
  const process = await readyModel(
    ...forked,
    gateway("exclusive", "again"),
    gateway("exclusive", "decision", 'default="decision_end"'),
    userTask("a"),
    userTask("b"),
    flow("start", "again", "fork", "a", "join", "decision", "end"),
    flow("fork", "b", "join"),
    conditionalFlow("decision", "again", "${rounds > 0}"),
  );
  const values = { rounds: 3 };
  let left = 6;
  const completed = play(process, values, (tasks) => {
    if (--left === 0) values.rounds = 0;
    return tasks - 1;
  });
  expect(completed.toSorted()).toEqual(["a", "a", "a", "b", "b", "b"]);
});
