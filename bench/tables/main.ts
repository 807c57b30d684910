/**
 * `bun run bench tables`: the cost beside a bare server, a registry of 10,000 tables, a list of a million rows, in
 * one run on one database; Markdown on standard output. Everything is started here. Names of parts after it
 * (`overhead`, `registry`, `large`) run those alone.
 */
import { join } from "node:path";
import { startDatabases, withDatabase } from "../database.ts";
import { familyMemory, parentOf, residentMemory, type ServerProcess, startServer } from "../processes.ts";
import { measureLargeTable } from "./large.ts";
import { growing, measureOverhead, prepareTables, steady, steadyRows } from "./overhead.ts";
import { growRegistry, hotTables, measureRegistry, measureSpread } from "./registry.ts";
import { largeTableTable, memoryTable, overheadTable, registryTable } from "./report.ts";
import { baselineRows, createTable, secret, waybillRows } from "./requests.ts";
import { sampleRowsSql } from "./sample.ts";

const root = join(import.meta.dir, "../..");

interface Contestants {
  readonly database: string;
  readonly waybill: ServerProcess;
  readonly baseline: ServerProcess;
}

async function reportOverhead({ database, waybill, baseline }: Contestants): Promise<void> {
  await prepareTables(waybill.url);
  await fill(database, "tenant_1.steady", steadyRows);
  const results = await measureOverhead({
    baseline: { steady: baselineRows(baseline.url, steady), growing: baselineRows(baseline.url, growing) },
    waybill: {
      steady: await waybillRows(waybill.url, steady),
      growing: await waybillRows(waybill.url, growing),
    },
  });
  console.log(`### Beside a bare server\n\n${overheadTable(results)}`);
}

async function reportRegistry({ database, waybill, baseline }: Contestants): Promise<void> {
  for (const place of hotTables) await createTable(waybill.url, place);
  for (const { tenant, table } of hotTables) await fill(database, `tenant_${tenant}.${table}`, 1_000);
  const few = await measureRegistry(waybill.url);
  await growRegistry(waybill.url);
  const many = await measureRegistry(waybill.url);
  console.log(`### A registry of 10,000 tables in 200 tenants\n\n${registryTable(few, many)}`);
  console.log(
    registryTable(await measureSpread(baseline.url, "baseline"), await measureSpread(waybill.url, "waybill")),
  );
}

async function reportLarge({ database, waybill }: Contestants): Promise<void> {
  const place = { tenant: 1, table: "large" };
  await createTable(waybill.url, place);
  await fill(database, "tenant_1.large", 1_000_000);
  const rows = await waybillRows(waybill.url, place);
  console.log(`### A filtered list on 1,000,000 rows\n\n${largeTableTable(await measureLargeTable(rows))}`);
}

/** Rows made by the database; then statistics, as autovacuum would take them in time. */
const fill = (database: string, table: string, count: number) =>
  withDatabase(database, async (sql) => {
    await sql.unsafe(sampleRowsSql(table, count));
    await sql.unsafe(`analyze ${table}`);
  });

const postmasterOf = (database: string) =>
  withDatabase(database, async (sql) => {
    const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
    return (await parentOf(row?.pid ?? 0)) ?? 0;
  });

const parts = { overhead: reportOverhead, registry: reportRegistry, large: reportLarge };

/** Runs the named parts, or all where none is named, and prints each as soon as it is measured. */
export async function measureTables(names: readonly string[] = []): Promise<void> {
  const databases = await startDatabases();
  const database = await databases.create("tables");
  const environment = { DATABASE_URL: database, JWT_SECRET: secret };
  const waybill = await startServer({ script: join(root, "src/main.ts"), environment });
  const baseline = await startServer({ script: join(root, "bench/baseline.ts"), environment });
  try {
    for (const [name, report] of Object.entries(parts))
      if (names.length === 0 || names.includes(name)) await report({ database, waybill, baseline });
    console.log(
      memoryTable(await residentMemory(waybill.pid), await familyMemory(await postmasterOf(database))),
    );
  } finally {
    await baseline.stop();
    await waybill.stop();
    await databases.stop();
  }
}
