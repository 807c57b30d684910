/**
 * Races between requests to two instances with one database and one object folder. Each race runs hundreds of times,
 * and after each round the answers, the rows and the objects must agree.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { sweepOnce } from "../../../src/files/maintenance/sweep.ts";
import type { TestServer } from "../../support/server.ts";
import {
  age,
  type Draft,
  finalize,
  type Instances,
  objectKeys,
  remove,
  rowKeys,
  startInstances,
  stateOf,
  upload,
} from "./instances.ts";

setDefaultTimeout(120_000);
/** Every draft is due for removal immediately. */
let instances: Instances;
beforeAll(async () => {
  instances = await startInstances({ DRAFT_MAX_AGE_HOURS: "0" });
});
afterAll(() => instances.stop());

type Answer = Awaited<ReturnType<typeof finalize>>;
interface Race {
  /** The requests that run at the same time for each draft. Their answers have the same order. */
  readonly act: (draft: Draft) => Promise<Answer>[];
  /** How many sweeps run meanwhile. */
  readonly sweeps: number;
  /** Returns the end state that these answers call for. Throws if they contradict each other. */
  readonly fits: (answers: readonly Answer[], draft: Draft) => "committed" | "gone";
}

const rounds = 40;
const draftsInRound = 8;
const server = (n: number) => instances.servers[n % 2] as TestServer;
const soon = () => Bun.sleep(Math.random() * 4);

/** Returns how often each end state occurred. */
async function run({ act, sweeps, fits }: Race): Promise<{ committed: number; gone: number }> {
  const ends = { committed: 0, gone: 0 };
  for (let round = 0; round < rounds; round++) {
    const drafts = await Promise.all(Array.from({ length: draftsInRound }, (_, n) => upload(server(n))));
    const acting = Promise.all(drafts.map((draft) => soon().then(() => Promise.all(act(draft)))));
    const sweeping = Array.from({ length: sweeps }, (_, n) => soon().then(() => sweepOnce(server(n).deps)));
    const [answers] = await Promise.all([acting, ...sweeping]);
    await finishRemovals();
    for (const [n, draft] of drafts.entries()) {
      const end = fits(answers[n] ?? [], draft);
      expect(await stateOf(instances.sql, draft.id)).toBe(end === "committed" ? "committed" : undefined);
      ends[end]++;
    }
    expect(await objectKeys(instances.storage)).toEqual(await rowKeys(instances.sql));
  }
  return ends;
}

/** A sweep does not touch removals that began in the last second, so they are made older. */
async function finishRemovals(): Promise<void> {
  await age(instances.sql, 1, ["deleting"]);
  await sweepOnce(instances.servers[0].deps);
}

const wrong = (...answers: (Answer | undefined)[]) =>
  new Error(`these answers contradict each other: ${JSON.stringify(answers)}`);

const isRefusal = (answer: Answer | undefined, draft: Draft) =>
  answer?.status === 409 &&
  answer.body.code === "not_committed" &&
  String(answer.body.not_committed) === draft.id;

test("finalize against the sweep: committed with 200, or removed with 409 and the id", async () => {
  const ends = await run({
    act: (draft) => [finalize(server(0), draft)],
    sweeps: 2,
    fits: ([answer], draft) => {
      if (answer?.status === 200) return "committed";
      if (isRefusal(answer, draft)) return "gone";
      throw wrong(answer);
    },
  });
  expect(Math.min(ends.committed, ends.gone)).toBeGreaterThan(0);
});

test("delete against finalize: one of them succeeds, the other answers 409", async () => {
  const ends = await run({
    act: (draft) => [remove(server(0), draft), finalize(server(1), draft)],
    sweeps: 0,
    fits: ([removed, finalized], draft) => {
      if (removed?.status === 409 && finalized?.status === 200) return "committed";
      if (removed?.status === 204 && isRefusal(finalized, draft)) return "gone";
      throw wrong(removed, finalized);
    },
  });
  expect(Math.min(ends.committed, ends.gone)).toBeGreaterThan(0);
});

test("two finalizes to different instances: exactly one answers 200, and its instance has the file", async () => {
  const winners = new Map<string, unknown>();
  const ends = await run({
    act: (draft) => [finalize(server(0), draft, "instance-a"), finalize(server(1), draft, "instance-b")],
    sweeps: 0,
    fits: (answers, draft) => {
      const winner = answers.findIndex(({ status }) => status === 200);
      if (!isRefusal(answers[1 - winner], draft)) throw wrong(...answers);
      winners.set(draft.id, ["instance-a", "instance-b"][winner]);
      return "committed";
    },
  });
  expect(ends).toEqual({ committed: rounds * draftsInRound, gone: 0 });
  const rows = await instances.sql<{ id: string; instance: string }[]>`
    select id::text, process_instance_id as instance
    from waybill.attachments
    where id = any(${[...winners.keys()]}::uuid[])`;
  expect(new Map(rows.map(({ id, instance }) => [id, instance]))).toEqual(winners as Map<string, string>);
});

test("two finalizes to the same instance: both answer 200", async () => {
  const ends = await run({
    act: (draft) => [finalize(server(0), draft), finalize(server(1), draft)],
    sweeps: 0,
    fits: (answers) => {
      if (answers.every(({ status }) => status === 200)) return "committed";
      throw wrong(...answers);
    },
  });
  expect(ends.gone).toBe(0);
});

test("delete against the sweep: the draft is removed, with 204 or 404", async () => {
  const ends = await run({
    act: (draft) => [remove(server(1), draft)],
    sweeps: 2,
    fits: ([answer]) => {
      if (answer?.status === 204 || answer?.status === 404) return "gone";
      throw wrong(answer);
    },
  });
  expect(ends.committed).toBe(0);
});

test("delete, finalize and the sweep together: the answers agree with the end state", async () => {
  await run({
    act: (draft) => [remove(server(0), draft), finalize(server(1), draft)],
    sweeps: 2,
    fits: ([removed, finalized], draft) => {
      if (removed?.status === 409 && finalized?.status === 200) return "committed";
      if ([204, 404].includes(removed?.status ?? 0) && isRefusal(finalized, draft)) return "gone";
      throw wrong(removed, finalized);
    },
  });
});
