/** In random models, what is active is what a token game allows: no token is lost, and what nothing leads to never runs. */
import { expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { loadModel, type ProcessModel, readModel } from "../../../src/processes/bpmn/readModel.ts";
import { type EngineEvent, runStep, type Snapshot } from "../../../src/processes/engines/embedded/run.ts";
import { model } from "../../support/bpmn.ts";
import { Game, type Graph, graphs, reachedIn, TooLarge, xmlOf } from "./tokenGame.ts";

setDefaultTimeout(120_000);
const values = { yes: true, no: false };
const mostSteps = 15;

const activeIn = ({ userTasks, serviceTasks }: Snapshot) =>
  [...userTasks, ...serviceTasks].map(({ activityId }) => activityId).toSorted();

/** The snapshot, or "stuck" if nothing can ever happen any more. */
function stepOf(process: ProcessModel, state: string | undefined, event: EngineEvent): Snapshot | "stuck" {
  try {
    return runStep({ model: process, state, event, values });
  } catch (error) {
    if ((error as Error).message.startsWith("The process would never end")) return "stuck";
    throw error;
  }
}

function eventOf({ userTasks, serviceTasks }: Snapshot, at: number): { id: string; event: EngineEvent } {
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
  let snapshot = stepOf(process, undefined, { kind: "started" });
  for (let step = 0; ; step++) {
    if (snapshot === "stuck") {
      expect(games.map(({ active, hasEnded }) => [active, hasEnded])).toContainEqual([[], false]);
      return;
    }
    const active = activeIn(snapshot);
    games = games.filter((game) => Bun.deepEquals(game.active, active));
    expect(games).not.toEqual([]);
    expect(active.filter((id) => !reached.has(id))).toEqual([]);
    const { state } = snapshot;
    games = games.filter(({ hasEnded }) => hasEnded === (state === undefined));
    expect(games).not.toEqual([]);
    if (state === undefined || step === mostSteps) return;
    const { id, event } = eventOf(snapshot, draw() % active.length);
    games = distinct(games.flatMap((game) => game.complete(id)));
    snapshot = stepOf(process, state, event);
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
  await fc.assert(property, { numRuns: 150 });
  // Most models are small enough for the game, or this test would say little.
  expect(played).toBeGreaterThan(4 * together);
});
