/**
 * `bun run bench tables`: the cost beside a bare server, a registry of 10,000 tables, a list of a million rows, files of
 * a million rows, in one run on one PostgreSQL; Markdown on standard output. Everything is started here. Names of parts after it
 * (`overhead`, `registry`, `large`, `bulk`) run those alone. LOG_LEVEL is Waybill's, `warn` where it is not set.
 */
import { join } from "node:path";
import { type Databases, startDatabases, withDatabase } from "../database.ts";
import { familyMemory, parentOf, residentMemory, type ServerProcess, startServer } from "../processes.ts";
import { measureBulk } from "./bulk.ts";
import { measureLargeTable } from "./large.ts";
import { growing, measureOverhead, prepareTables, steady, steadyRows } from "./overhead.ts";
import { growRegistry, measureHot, measureSpread } from "./registry.ts";
import { bulkTable, hotTable, largeTableTable, memoryTable, overheadTable, spreadTable } from "./report.ts";
import { baselineRows, createTable, secret, waybillRows } from "./requests.ts";
import { sampleRowsSql } from "./sample.ts";

const root = join(import.meta.dir, "../..");

interface Contestants {
  readonly databases: Databases;
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

async function reportRegistry({ databases, database, waybill }: Contestants): Promise<void> {
  const other = await databases.create("ten_tables");
  // Preparing a statement for each of 10,000 tables on every connection would fill PostgreSQL's memory.
  const [small, baseline] = [await startWaybill(other), await startBaseline(database, { PREPARE: "no" })];
  const servers = { small: small.url, large: waybill.url, baseline: baseline.url };
  try {
    await growRegistry(servers);
    for (const url of [other, database]) await withDatabase(url, (sql) => sql`analyze`);
    console.log(`### A registry of 10,000 tables in 200 tenants\n\n${hotTable(await measureHot(servers))}`);
    console.log(spreadTable(await measureSpread(servers)));
  } finally {
    await baseline.stop();
    await small.stop();
  }
}

async function reportLarge({ database, waybill }: Contestants): Promise<void> {
  const place = { tenant: 1, table: "large" };
  await createTable(waybill.url, place);
  await fill(database, "tenant_1.large", 1_000_000);
  const rows = await waybillRows(waybill.url, place);
  console.log(`### A filtered list on 1,000,000 rows\n\n${largeTableTable(await measureLargeTable(rows))}`);
}

const startWaybill = (database: string) =>
  startServer({
    script: join(root, "src/main.ts"),
    environment: {
      DATABASE_URL: database,
      JWT_SECRET: secret,
      LOG_LEVEL: process.env.LOG_LEVEL ?? "warn",
    },
  });

const startBaseline = (database: string, environment: Readonly<Record<string, string>> = {}) =>
  startServer({
    script: join(root, "bench/baseline.ts"),
    environment: { DATABASE_URL: database, ...environment },
  });

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

async function reportBulk({ database, waybill }: Contestants): Promise<void> {
  const [full, empty] = [
    { tenant: 1, table: "full" },
    { tenant: 1, table: "empty" },
  ];
  for (const place of [full, empty]) await createTable(waybill.url, place);
  await fill(database, "tenant_1.full", 1_000_000);
  const results = await measureBulk({
    database,
    pid: waybill.pid,
    full: { rows: await waybillRows(waybill.url, full), table: "tenant_1.full" },
    empty: { rows: await waybillRows(waybill.url, empty), table: "tenant_1.empty" },
  });
  console.log(`### Files of 1,000,000 rows\n\n${bulkTable(results)}`);
}

const parts = { overhead: reportOverhead, registry: reportRegistry, large: reportLarge, bulk: reportBulk };

/** Runs the named parts, or all where none is named, and prints each as soon as it is measured. */
export async function measureTables(names: readonly string[] = []): Promise<void> {
  const databases = await startDatabases();
  const database = await databases.create("tables");
  const waybill = await startWaybill(database);
  const baseline = await startBaseline(database);
  try {
    for (const [name, report] of Object.entries(parts))
      if (names.length === 0 || names.includes(name))
        await report({ databases, database, waybill, baseline });
    console.log(
      memoryTable(await residentMemory(waybill.pid), await familyMemory(await postmasterOf(database))),
    );
  } finally {
    await baseline.stop();
    await waybill.stop();
    await databases.stop();
  }
}
