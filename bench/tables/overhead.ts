/** Part 1: what Waybill costs beside a server that does nothing but run the same SQL. */
import { type Act, type Comparison, compare, type Schedule } from "../measure.ts";
import { createTable, insert, insertBody, list, type Rows, update } from "./requests.ts";

export interface Servers<T> {
  readonly baseline: T;
  readonly waybill: T;
}

export interface Work {
  readonly name: string;
  /** The least ratio of medians that is aimed at. */
  readonly aim: number;
  readonly schedule: Omit<Schedule, "concurrency">;
  act(tables: WorkTables): Act;
}

/** Reads and updates have a table that does not grow under them. */
export interface WorkTables {
  readonly steady: Rows;
  readonly growing: Rows;
}

export interface Overhead {
  readonly work: Work;
  readonly concurrency: number;
  readonly comparison: Comparison;
}

export const steadyRows = 10_000;

/** Long enough a warm-up for both servers to be compiled: a server that runs for weeks is. */
const singly = { warmUpRounds: 20, rounds: 30, block: 80 };
const inBulk = { warmUpRounds: 6, rounds: 30, block: 16 };

export const works: readonly Work[] = [
  {
    name: "insert of 1 row",
    aim: 0.75,
    schedule: singly,
    act: ({ growing }) => {
      const body = insertBody(0, 1);
      return () => insert(growing, body);
    },
  },
  {
    name: "insert of 1,000 rows",
    aim: 0.85,
    schedule: inBulk,
    act: ({ growing }) => {
      const body = insertBody(0, 1_000);
      return () => insert(growing, body);
    },
  },
  {
    name: "list of 50 by filter",
    aim: 0.85,
    schedule: singly,
    act:
      ({ steady }) =>
      (turn) =>
        list(steady, turn, { total: false }),
  },
  {
    name: "list of 50 with total",
    aim: 0.85,
    schedule: singly,
    act:
      ({ steady }) =>
      (turn) =>
        list(steady, turn, { total: true }),
  },
  {
    name: "update by id",
    aim: 0.75,
    schedule: singly,
    act:
      ({ steady }) =>
      (turn) =>
        update(steady, 1 + (turn % steadyRows), turn),
  },
];

export async function measureOverhead(
  { baseline, waybill }: Servers<WorkTables>,
  selected = works,
): Promise<Overhead[]> {
  const results: Overhead[] = [];
  for (const work of selected)
    for (const concurrency of [1, 8]) {
      const schedule = { ...work.schedule, concurrency };
      results.push({
        work,
        concurrency,
        comparison: await compare(work.act(baseline), work.act(waybill), schedule),
      });
    }
  return results;
}

export async function prepareTables(server: string): Promise<void> {
  await createTable(server, steady);
  await createTable(server, growing);
}

export const steady = { tenant: 1, table: "steady" };
export const growing = { tenant: 1, table: "growing" };
