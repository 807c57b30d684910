/** What several tasks ask for at the same time goes out together. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { inBatches } from "../../src/infrastructure/batches.ts";

interface Item {
  readonly group: number;
  readonly key: string;
  readonly size: number;
}

const item = (key: string, { group = 1, size = 1 } = {}): Item => ({ group, key, size });

/** Batches whose runs are recorded. Each run ends when `release` is called for it, or by itself. */
function recorded(run: (items: readonly Item[]) => Promise<void> = async () => {}, mostSize = 10) {
  const batches: string[][] = [];
  const add = inBatches<Item, string>({
    groupOf: ({ group }) => group,
    keyOf: ({ key }) => key,
    sizeOf: ({ size }) => size,
    mostSize,
    mayBeOfOne: (error) => String(error).includes("one"),
    run: async (items) => {
      batches.push(items.map(({ key }) => key));
      await run(items);
      return items.map(({ key }) => `${key}!`);
    },
  });
  return { batches, add };
}

const addAll = (add: (item: Item) => Promise<string>, items: readonly Item[]) => Promise.all(items.map(add));

test("what is asked for in one turn goes together, and what comes meanwhile goes next", async () => {
  const gate = Promise.withResolvers<void>();
  const { batches, add } = recorded(() => gate.promise);
  const first = addAll(add, [item("a"), item("b")]);
  await Bun.sleep(1);
  const second = addAll(add, [item("c"), item("d")]);
  await Bun.sleep(1);
  expect(batches).toEqual([["a", "b"]]);
  gate.resolve();
  expect(await first).toEqual(["a!", "b!"]);
  expect(await second).toEqual(["c!", "d!"]);
  expect(batches).toEqual([
    ["a", "b"],
    ["c", "d"],
  ]);
});

test("another group does not wait", async () => {
  const gate = Promise.withResolvers<void>();
  const { add } = recorded(([first]) => (first?.group === 1 ? gate.promise : Promise.resolve()));
  const slow = add(item("a"));
  expect(await add(item("b", { group: 2 }))).toBe("b!");
  gate.resolve();
  expect(await slow).toBe("a!");
});

test("if one item may be at fault, each of the others still has its result", async () => {
  const { batches, add } = recorded(async (items) => {
    if (items.some(({ key }) => key === "bad")) throw new Error("one of them");
  });
  const results = await Promise.allSettled([item("a"), item("bad"), item("c")].map(add));
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(batches).toEqual([["a", "bad", "c"], ["a"], ["bad"], ["c"]]);
});

test("a failure that is nobody's fault fails all of a batch once, and the next batch runs", async () => {
  let isAway = true;
  const { batches, add } = recorded(async () => {
    if (isAway) throw new Error("away");
  });
  const results = await Promise.allSettled([item("a"), item("b")].map(add));
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  isAway = false;
  expect(await add(item("a"))).toBe("a!");
  expect(batches).toEqual([["a", "b"], ["a"]]);
});

test("property: each item runs once, none too large together, equal keys apart and in order", async () => {
  const anyItem = fc.record({
    group: fc.integer({ min: 1, max: 2 }),
    key: fc.constantFrom("a", "b", "c", "d"),
    size: fc.integer({ min: 1, max: 14 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(anyItem, { maxLength: 30 }), async (items) => {
      const ran: Item[] = [];
      const { batches, add } = recorded(async (batch) => {
        ran.push(...batch);
        expect(new Set(batch.map(({ group }) => group)).size).toBe(1);
        expect(new Set(batch.map(({ key }) => key)).size).toBe(batch.length);
        const size = batch.reduce((sum, each) => sum + each.size, 0);
        expect(batch.length === 1 || size <= 10).toBe(true);
      });
      expect(await addAll(add, items)).toEqual(items.map(({ key }) => `${key}!`));
      expect(batches.flat()).toHaveLength(items.length);
      const inOrder = (all: readonly Item[], { group, key }: Item) =>
        all.filter((each) => each.group === group && each.key === key);
      for (const each of items) expect(inOrder(ran, each)).toEqual(inOrder(items, each));
    }),
  );
});
