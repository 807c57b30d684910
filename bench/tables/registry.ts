/**
 * Part 2: what a registry of 10,000 tables costs.
 *
 * Two databases of one PostgreSQL, each with a Waybill: one holds 10 tables, the other the same 10 among 10,000 of
 * 200 tenants. They take turns on those 10. Then the requests go to all 10,000 in turn, beside the bare baseline.
 */
import { type Act, type Comparison, compare, type Schedule } from "../measure.ts";
import {
  baselineRows,
  createTable,
  insert,
  insertBody,
  list,
  type Place,
  type Rows,
  update,
  waybillRows,
} from "./requests.ts";

export const tenants = 200;
const tablesPerTenant = 50;
const hotTables = 10;
const rowsOfTable = 100;
const creators = 8;

export interface RegistryServers {
  /** Waybill on a database that is to hold 10 tables. */
  readonly small: string;
  /** Waybill on a database that is to hold 10,000. */
  readonly large: string;
  /** The baseline on the latter. */
  readonly baseline: string;
}

export interface RegistryResult {
  readonly name: string;
  readonly comparison: Comparison;
}

const works = [
  { name: "insert of 1 row", request: (rows: Rows) => insert(rows, oneRow) },
  { name: "list of 50 by filter", request: (rows: Rows, turn: number) => list(rows, turn, { total: false }) },
  {
    name: "update by id",
    request: (rows: Rows, turn: number) => update(rows, 1 + (turn % rowsOfTable), turn),
  },
];
const oneRow = insertBody(0, 1);

const hotSchedule: Schedule = { rounds: 30, block: 80, concurrency: 4 };
const spreadSchedule: Schedule = { rounds: 40, block: 100, concurrency: 4 };

/** The hot tables of both databases, each of its tenant's first; then all others of the large one. */
export async function growRegistry({ small, large }: RegistryServers): Promise<void> {
  const hot = places().slice(0, hotTables);
  await inParallel(hot, (place) => makeTable(small, place));
  await inParallel(places(), (place) => makeTable(large, place));
}

/** The same 10 tables, reference: among 10, subject: among 10,000. */
export async function measureHot({ small, large }: RegistryServers): Promise<RegistryResult[]> {
  const hot = places().slice(0, hotTables);
  const [few, many] = await Promise.all([waybillTables(small, hot), waybillTables(large, hot)]);
  return measure(few, many, hotSchedule);
}

/** All 10,000 tables in turn, reference: the baseline, subject: Waybill. */
export async function measureSpread({ large, baseline }: RegistryServers): Promise<RegistryResult[]> {
  const bare = places().map((place) => baselineRows(baseline, place));
  return measure(bare, await waybillTables(large, places()), spreadSchedule);
}

async function measure(
  reference: readonly Rows[],
  subject: readonly Rows[],
  schedule: Schedule,
): Promise<RegistryResult[]> {
  const results: RegistryResult[] = [];
  for (const { name, request } of works) {
    const over = (tables: readonly Rows[]): Act => {
      // Each contestant counts its own requests, so that both walk through all tables alike.
      let next = 0;
      return (turn) => request(tables[next++ % tables.length] as Rows, turn);
    };
    results.push({ name, comparison: await compare(over(reference), over(subject), schedule) });
  }
  return results;
}

/** Every tenant's first table, then every tenant's second, and so on: neighbours belong to different tenants. */
function places(): Place[] {
  return Array.from({ length: tenants * tablesPerTenant }, (_, index) => ({
    tenant: 1 + (index % tenants),
    table: `table_${Math.floor(index / tenants)}`,
  }));
}

const waybillTables = (server: string, chosen: readonly Place[]) =>
  Promise.all(chosen.map((place) => waybillRows(server, place)));

async function makeTable(server: string, place: Place): Promise<void> {
  await createTable(server, place);
  await insert(await waybillRows(server, place), insertBody(0, rowsOfTable));
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: creators }, worker));
}
