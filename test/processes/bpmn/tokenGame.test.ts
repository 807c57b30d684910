/** In random models, what is active is what a token game allows: no token is lost, and what nothing leads to never runs. */
import { expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { loadModel, type ProcessModel, readModel } from "../../../src/processes/bpmn/readModel.ts";
import { type EngineEvent, runStep, type Snapshot } from "../../../src/processes/engines/embedded/run.ts";
import { model } from "../../support/bpmn.ts";
import { type Graph, graphs, reachedIn, xmlOf } from "./randomModels.ts";
import { Game, TooLarge } from "./tokenGame.ts";

setDefaultTimeout(120_000);
const values = { yes: true, no: false };
const hour = 3_600_000;
const mostSteps = 15;

const activeIn = ({ userTasks, serviceTasks }: Snapshot) =>
  [...userTasks, ...serviceTasks].map(({ activityId }) => activityId).toSorted();

/** The snapshot, or "stuck" if nothing can ever happen any more. */
function stepOf(
  process: ProcessModel,
  state: string | undefined,
  event: EngineEvent,
  now: Date,
): Snapshot | "stuck" {
  try {
    return runStep({ model: process, state, event, values, now });
  } catch (error) {
    if ((error as Error).message.startsWith("The process would never end")) return "stuck";
    throw error;
  }
}

/** One of the tasks is completed, or the earliest timer fires. */
function eventOf(
  { userTasks, serviceTasks, nextTimer }: Snapshot,
  draw: number,
): { id: string | undefined; event: EngineEvent } {
  const tasks = userTasks.length + serviceTasks.length;
  const at = draw % (tasks + (nextTimer ? 1 : 0));
  if (at === tasks) return { id: undefined, event: { kind: "timerDue", except: new Set() } };
  const isService = at >= userTasks.length;
  const { activityId, executionId } = (
    isService ? serviceTasks[at - userTasks.length] : userTasks[at]
  ) as never;
  const kind = isService ? "serviceTaskCompleted" : "userTaskCompleted";
  return { id: activityId, event: { kind, executionId } };
}

const distinct = (games: readonly Game[]) => [...new Map(games.map((game) => [game.key, game])).values()];

/** Plays the engine and the game side by side. Several games are possible, because tokens look alike. */
function play(process: ProcessModel, graph: Graph, draw: () => number): void {
  const reached = reachedIn(graph);
  let games = [Game.start(graph)];
  let now = new Date("2026-01-01T00:00:00Z");
  let snapshot = stepOf(process, undefined, { kind: "started" }, now);
  for (let step = 0; ; step++) {
    if (snapshot === "stuck") {
      const seen = games.map(({ active, hasEnded, hasTimers }) => [active, hasEnded, hasTimers]);
      expect(seen).toContainEqual([[], false, false]);
      return;
    }
    const active = activeIn(snapshot);
    games = games.filter((game) => Bun.deepEquals(game.active, active));
    expect(games).not.toEqual([]);
    expect(active.filter((id) => !reached.has(id))).toEqual([]);
    const { state, nextTimer } = snapshot;
    games = games.filter(({ hasEnded }) => hasEnded === (state === undefined));
    games = games.filter(({ hasTimers }) => hasTimers === (nextTimer !== undefined));
    expect(games).not.toEqual([]);
    if (state === undefined || step === mostSteps) return;
    const { id, event } = eventOf(snapshot, draw());
    games = distinct(games.flatMap((game) => (id === undefined ? game.fire() : game.complete(id))));
    now = new Date(now.getTime() + (id === undefined ? 2 * hour : 1_000));
    snapshot = stepOf(process, state, event, now);
  }
}

test("tokens of random models", async () => {
  let [played, together] = [0, 0];
  const order = fc.infiniteStream(fc.nat({ max: 1_000 }));
  const property = fc.asyncProperty(graphs, order, async (graph, order) => {
    const xml = model("game", xmlOf(graph));
    const read = await readModel(xml);
    expect(read).not.toHaveProperty("faults");
    try {
      play(await loadModel(xml), graph, () => order.next().value ?? 0);
      played++;
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
      together++;
    }
  });
  await fc.assert(property, { numRuns: 75 });
  // Most models are small enough for the game, or this test would say little.
  expect(played).toBeGreaterThan(4 * together);
});
