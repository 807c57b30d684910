/**
 * Does together what several tasks ask for at the same time, in one statement or one call to another system.
 *
 * The first one asks at once. What others ask for while that is under way goes into the next batch. So a task that is
 * alone waits for nobody, and under load a statement serves many.
 */

export interface BatchOptions<Item, Result> {
  /** Resolves with one result for each item, in the order of the items. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Only items of one group go together, one batch of a group at a time. */
  readonly groupOf: (item: Item) => number;
  /** Two items with the same key never go together. Absent: they may. */
  readonly keyOf?: (item: Item) => string;
  /** What the item adds to the size of a batch. 1 by default. */
  readonly sizeOf?: (item: Item) => number;
  /** A larger item goes alone. */
  readonly mostSize: number;
  /** Whether a failure may be the fault of one item. Then each one runs again, alone. */
  readonly mayBeOfOne: (error: unknown) => boolean;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** The function that adds an item and resolves with its result. */
export function inBatches<Item, Result>(
  options: BatchOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  const lines = new Map<number, Waiting<Item, Result>[]>();

  async function serve(group: number, line: Waiting<Item, Result>[]): Promise<void> {
    // What is asked for in the same turn goes along.
    await Promise.resolve();
    while (line.length > 0) await settle(takeBatch(line, options), options);
    lines.delete(group);
  }

  return (item) => {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const group = options.groupOf(item);
    const line = lines.get(group);
    if (line) line.push({ item, resolve, reject });
    else {
      const begun = [{ item, resolve, reject }];
      lines.set(group, begun);
      void serve(group, begun);
    }
    return promise;
  };
}

/** Removes the next batch from the line. What does not go into it keeps its place. */
function takeBatch<Item, Result>(
  line: Waiting<Item, Result>[],
  { keyOf, sizeOf = () => 1, mostSize }: BatchOptions<Item, Result>,
): Waiting<Item, Result>[] {
  const keys = new Set<string>();
  const batch: Waiting<Item, Result>[] = [];
  const left: Waiting<Item, Result>[] = [];
  let size = 0;
  for (const waiting of line) {
    const key = keyOf?.(waiting.item);
    const grown = size + sizeOf(waiting.item);
    if ((key !== undefined && keys.has(key)) || (batch.length > 0 && grown > mostSize)) left.push(waiting);
    else {
      batch.push(waiting);
      size = grown;
    }
    // One that has to wait for the next batch holds back later ones with its key.
    if (key !== undefined) keys.add(key);
  }
  line.splice(0, line.length, ...left);
  return batch;
}

/** Never throws: each item learns its own result. */
async function settle<Item, Result>(
  batch: readonly Waiting<Item, Result>[],
  options: BatchOptions<Item, Result>,
): Promise<void> {
  try {
    const results = await options.run(batch.map(({ item }) => item));
    for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
  } catch (error) {
    if (batch.length === 1 || !options.mayBeOfOne(error)) for (const { reject } of batch) reject(error);
    else await Promise.all(batch.map((waiting) => settle([waiting], options)));
  }
}
