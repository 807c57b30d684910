/** Calls of the engine for one request of Waybill at a time. A page has up to 200 entries. */
const callsAtOnce = 8;

/** Maps the items in their order, a few at a time. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += callsAtOnce)
    results.push(...(await Promise.all(items.slice(at, at + callsAtOnce).map(map))));
  return results;
}
