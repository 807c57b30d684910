/** Nobody takes more than its share, and nobody waits for all requests of another group. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { createFairShare, NoRoom } from "../../src/infrastructure/fairShare.ts";

const options = { capacity: 10, groupCapacity: 4, maxWaitMs: 50, maxWaiting: 3 };

test("a group holds no more than its share, others take the rest", () => {
  const share = createFairShare(options);
  for (let taken = 0; taken < 4; taken++) expect(share.tryTake("a")).toBeFunction();
  expect(share.tryTake("a")).toBeUndefined();
  expect(share.tryTake("b", 4)).toBeFunction();
  expect(share.tryTake("c", 3)).toBeUndefined();
  expect(share.tryTake("c", 2)).toBeFunction();
  expect(share.held()).toBe(10);
});

test("an amount above the share counts as the whole share", () => {
  const share = createFairShare(options);
  const release = share.tryTake("a", 1_000);
  expect(share.held("a")).toBe(4);
  release?.();
  release?.();
  expect(share.held()).toBe(0);
});

test("what is not needed is given back early, and the rest later", () => {
  const share = createFairShare(options);
  const release = share.tryTake("a", 4);
  release?.allBut(1);
  expect(share.held("a")).toBe(1);
  release?.allBut(3);
  expect(share.held("a")).toBe(1);
  release?.();
  expect(share.held()).toBe(0);
});

test("a request that waits too long is refused, and so is one too many", async () => {
  const share = createFairShare(options);
  share.tryTake("a", 4);
  const waiting = Array.from({ length: 3 }, () => share.take("a"));
  expect(share.take("a")).rejects.toBeInstanceOf(NoRoom);
  for (const outcome of await Promise.allSettled(waiting)) expect(outcome.status).toBe("rejected");
  expect(share.held()).toBe(4);
});

test("groups that wait are served in turn", async () => {
  const share = createFairShare({ ...options, capacity: 1, groupCapacity: 1, maxWaitMs: 1_000 });
  const first = share.tryTake("x");
  const order: string[] = [];
  const wait = async (group: string) => {
    const release = await share.take(group);
    order.push(group);
    release();
  };
  const all = ["a", "a", "a", "b"].map(wait);
  first?.();
  await Promise.all(all);
  expect(order).toEqual(["a", "b", "a", "a"]);
});

test("everything is given back by a listener that gets an argument", async () => {
  const share = createFairShare({ capacity: 4, groupCapacity: 4, maxWaitMs: 10, maxWaiting: 1 });
  const release = share.tryTake("a", 4) ?? (() => {});
  await Promise.resolve("an argument").then(release);
  expect([share.held(), share.held("a")]).toEqual([0, 0]);
});

test("the limits hold for any takes and releases, and everything is given back", async () => {
  const request = fc.record({
    group: fc.constantFrom("a", "b", "c"),
    amount: fc.integer({ min: 1, max: 12 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(request, { maxLength: 40 }), async (requests) => {
      const share = createFairShare({ ...options, maxWaitMs: 1_000, maxWaiting: 100 });
      await Promise.all(
        requests.map(async ({ group, amount }) => {
          const release = await share.take(group, amount);
          expect(share.held()).toBeLessThanOrEqual(options.capacity);
          expect(share.held(group)).toBeLessThanOrEqual(options.groupCapacity);
          await Promise.resolve();
          release();
        }),
      );
      expect(share.held()).toBe(0);
    }),
    { numRuns: 50 },
  );
});
