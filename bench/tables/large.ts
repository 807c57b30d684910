/** Part 3: what counting costs on a large table. */
import { type Comparison, compare } from "../measure.ts";
import { list, type Rows } from "./requests.ts";

/** The page alone against the page with its total. */
export const measureLargeTable = (rows: Rows): Promise<Comparison> =>
  compare(
    (turn) => list(rows, turn, { total: false }),
    (turn) => list(rows, turn, { total: true }),
    { rounds: 6, block: 5, concurrency: 1 },
  );
