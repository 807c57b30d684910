/**
 * `bun run bench attachments`: uploads, downloads, issuing, memory and finalizing, in one run; Markdown on standard
 * output. Everything is started here. With S3_ENDPOINT and its companions the transfers run on that storage as well.
 * Names of parts after it (`transfers`, `memory`, `finalize`) run those alone.
 */
import { type Databases, startDatabases, withDatabase } from "../database.ts";
import { measureFinalize, type Population, populate } from "./finalizing.ts";
import { measureIssuing } from "./issuing.ts";
import { measureBaselinePeak, measureWaybillPeak } from "./memory.ts";
import { downloadTable, finalizeTable, issuingTable, memoryTable, uploadTable } from "./report.ts";
import { type StorageKind, startBaseline, startWaybill, withServer } from "./servers.ts";
import { measureDownloads, measureUploads } from "./transfers.ts";

async function reportTransfers(databases: Databases): Promise<void> {
  await reportTransfersOn("filesystem", databases);
  if (process.env.S3_ENDPOINT) await reportTransfersOn("S3", databases);
}

async function reportTransfersOn(storage: StorageKind, databases: Databases): Promise<void> {
  const database = await databases.create(`transfers_${storage}`);
  await withServer(startBaseline(storage), (baseline) =>
    withServer(startWaybill(storage, database), async (waybill) => {
      const servers = { baseline: baseline.url, waybill: waybill.url };
      console.log(`### Transfers, objects on ${storage}\n`);
      console.log(uploadTable(await measureUploads(servers)));
      console.log(downloadTable(await measureDownloads(servers)));
      console.log(issuingTable(await measureIssuing(waybill.url)));
    }),
  );
}

/** One after the other, each freshly started. */
async function reportMemory(databases: Databases): Promise<void> {
  const database = await databases.create("memory");
  const baseline = await withServer(startBaseline("filesystem"), measureBaselinePeak);
  const waybill = await withServer(startWaybill("filesystem", database), measureWaybillPeak);
  console.log(`### Memory\n\n${memoryTable(baseline, waybill)}`);
}

async function reportFinalize(databases: Databases): Promise<void> {
  const comparison = await withPopulation(databases, 1_000, (few) =>
    withPopulation(databases, 1_000_000, (many) => measureFinalize(few, many)),
  );
  console.log(`### Finalize\n\n${finalizeTable(comparison)}`);
}

async function withPopulation<T>(
  databases: Databases,
  count: number,
  use: (population: Population) => Promise<T>,
): Promise<T> {
  const database = await databases.create(`finalize_${count}`);
  return withServer(startWaybill("filesystem", database), async ({ url }) => {
    const drafts = await withDatabase(database, (sql) => populate(sql, count));
    return use({ server: url, drafts });
  });
}

const parts = { transfers: reportTransfers, memory: reportMemory, finalize: reportFinalize };

/** Runs the named parts, or all where none is named, and prints each as soon as it is measured. */
export async function measureAttachments(names: readonly string[] = []): Promise<void> {
  const databases = await startDatabases();
  try {
    for (const [name, report] of Object.entries(parts))
      if (names.length === 0 || names.includes(name)) await report(databases);
  } finally {
    await databases.stop();
  }
}

if (import.meta.main) await measureAttachments(process.argv.slice(2));
