/**
 * `bun run bench delivery`: service tasks a second beside two bare loops that post the same bodies to the same
 * receiver, one of which stores the same rows. Also the time from a start to the receiver's first byte, and memory.
 * Markdown on standard output; everything is started here. Objects are nowhere: nobody downloads.
 */
import { withServer } from "../attachments/servers.ts";
import { type Databases, startDatabases } from "../database.ts";
import { markdownTable, megabytes, round, verdict } from "../markdown.ts";
import { residentMemory, type ServerProcess } from "../processes.ts";
import { storeBarely } from "./bareStore.ts";
import { measureBesideEngine } from "./engine.ts";
import { startReceiver, startWaybill } from "./servers.ts";
import { makeDrafts, prepare, type Site } from "./site.ts";

const burst = 1_000;
const perSecond = 20;
const seconds = 20;
const aims = { tasksPerSecond: 400, besideStore: 0.5, p95: 250 };

export async function measureDelivery([option, jar]: readonly string[] = []): Promise<void> {
  if (option === "--engine") return measureBesideEngine(jar);
  const databases = await startDatabases();
  try {
    await withServer(startReceiver(), async (receiver) => {
      for (const processes of [1, 2]) await report(databases, receiver, processes);
    });
  } finally {
    await databases.stop();
  }
}

async function report(databases: Databases, receiver: ServerProcess, processes: number): Promise<void> {
  const database = await databases.create(`delivery_${processes}`);
  const waybills = await Promise.all(Array.from({ length: processes }, () => startWaybill(database)));
  try {
    const site = await prepare(database, {
      waybills,
      receiver,
      instances: burst + perSecond * seconds + 200,
    });
    await site.startBurst(200);
    const before = await memoryOf(waybills);
    const throughput = await measureBurst(site);
    const drafts = await makeDrafts(database, burst);
    const stored = await storeBarely({ database, url: `${receiver.url}/loans`, drafts });
    const latency = await site.startSteadily({ perSecond, seconds });
    const after = await memoryOf(waybills);
    print({ processes, ...throughput, stored, latency, before, after });
  } finally {
    for (const waybill of waybills) await waybill.stop();
  }
}

/** Waybill, and then the bare loop with the bodies that Waybill sent. */
async function measureBurst(site: Site) {
  const startedAt = performance.now();
  const starting = await site.startBurst(burst);
  const waybill = burst / ((performance.now() - startedAt) / 1000);
  const bareAt = performance.now();
  await site.postBarely(burst);
  return { starting, waybill, bare: burst / ((performance.now() - bareAt) / 1000) };
}

const memoryOf = async (waybills: readonly ServerProcess[]) =>
  (await Promise.all(waybills.map(({ pid }) => residentMemory(pid)))).reduce((sum, bytes) => sum + bytes, 0);

interface Figures {
  readonly processes: number;
  /** Instances a second that were answered 201. */
  readonly starting: number;
  readonly waybill: number;
  readonly bare: number;
  /** Tasks a second of the bare loop that stores the same rows. */
  readonly stored: number;
  readonly latency: { readonly median: number; readonly p95: number };
  readonly before: number;
  readonly after: number;
}

function print({ processes, starting, waybill, bare, stored, latency, before, after }: Figures): void {
  const rate = (value: number) => `${round(value, 0)}/s`;
  console.log(`### ${processes} ${processes === 1 ? "process" : "processes"}\n`);
  console.log(
    markdownTable(
      ["what", "figure", "aim"],
      [
        [`${burst} instances started at once: until all are answered`, rate(starting), ""],
        [
          "service tasks, from the first start to the last request at the receiver",
          rate(waybill),
          `${aims.tasksPerSecond}/s: ${verdict(waybill >= aims.tasksPerSecond)}`,
        ],
        ["a bare loop that stores the same rows and posts the same bodies", rate(stored), ""],
        [
          "ratio",
          round(waybill / stored),
          `${aims.besideStore}: ${verdict(waybill / stored >= aims.besideStore)}`,
        ],
        ["a bare loop that only posts", rate(bare), ""],
        [
          `start to receiver at ${perSecond} instances a second, median`,
          `${round(latency.median, 1)} ms`,
          "",
        ],
        [
          "… p95",
          `${round(latency.p95, 1)} ms`,
          `${aims.p95} ms at most: ${verdict(latency.p95 <= aims.p95)}`,
        ],
        ["memory before and after", `${megabytes(before)}, ${megabytes(after)}`, ""],
      ],
    ),
  );
}
