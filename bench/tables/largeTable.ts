/** Part 3: a filtered list on 1,000,000 rows, with and without the total, beside the bare baseline. */
import postgres from "postgres";
import { type Comparison, compare } from "../measure.ts";
import type { Servers } from "./overhead.ts";
import { baselineRows, createTable, list, type Place, waybillRows } from "./requests.ts";
import { sampleRowsSql } from "./sample.ts";

export const rowCount = 1_000_000;
const large: Place = { tenant: 1, table: "large" };

export interface LargeTableResult {
  readonly name: string;
  readonly comparison: Comparison;
}

/** Made through the API, filled past it. */
export async function prepareLargeTable(waybill: string, databaseUrl: string): Promise<void> {
  await createTable(waybill, large);
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(sampleRowsSql(`tenant_${large.tenant}.${large.table}`, rowCount));
    await sql.unsafe(`vacuum analyze tenant_${large.tenant}.${large.table}`);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

export async function measureLargeTable({
  baseline,
  waybill,
}: Servers<string>): Promise<LargeTableResult[]> {
  const [bare, own] = [baselineRows(baseline, large), await waybillRows(waybill, large)];
  const measure = async (name: string, total: boolean, rounds: number) => ({
    name,
    comparison: await compare(
      (turn) => list(bare, turn, { total }),
      (turn) => list(own, turn, { total }),
      { rounds, block: 10, concurrency: 1 },
    ),
  });
  return [
    await measure("list of 50 by filter, without the total", false, 40),
    await measure("list of 50 by filter, with the total", true, 16),
  ];
}
