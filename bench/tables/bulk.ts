/** Part 4: exports and imports of a million rows, beside `psql \copy` of the same rows on the same table. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withDatabase } from "../database.ts";
import { type Latency, latencyOf } from "../measure.ts";
import { residentMemory } from "../processes.ts";
import type { Rows } from "./requests.ts";
import { columns } from "./sample.ts";

export interface BulkSite {
  /** The database's URL. */
  readonly database: string;
  /** The server's process. */
  readonly pid: number;
  /** A table that holds the rows, and one to import them into. */
  readonly full: { readonly rows: Rows; readonly table: string };
  readonly empty: { readonly rows: Rows; readonly table: string };
}

export interface BulkResult {
  readonly name: string;
  /** Milliseconds. */
  readonly psql: Latency;
  readonly waybill: Latency;
  /** The most resident memory of the server, in bytes. */
  readonly memory: number;
  /** The least ratio that is aimed at. */
  readonly aim: number;
}

const rounds = 3;
const own = columns.map(({ name }) => name).join(", ");

export async function measureBulk(site: BulkSite): Promise<BulkResult[]> {
  const folder = await mkdtemp(join(tmpdir(), "waybill-bulk-"));
  const file = join(folder, "rows.csv");
  try {
    const { full } = site;
    const toFile = () => psql(site, `\\copy ${full.table} to '${join(folder, "psql.csv")}' csv header`);
    const exported = await inTurns(site, {
      psql: toFile,
      waybill: () => exportTo(full.rows, join(folder, "waybill.csv")),
    });
    await psql(site, `\\copy (select ${own} from ${full.table}) to '${file}' csv header`);
    await booleansAsWords(file);
    const imported = await inTurns(site, {
      before: () => withDatabase(site.database, (sql) => sql.unsafe(`truncate ${site.empty.table}`)),
      psql: () => psql(site, `\\copy ${site.empty.table} (${own}) from '${file}' csv header`),
      waybill: () => importFrom(site.empty.rows, file),
    });
    return [
      { name: "export of 1,000,000 rows as CSV", aim: 0.6, ...exported },
      { name: "import of 1,000,000 rows of CSV", aim: 0.8, ...imported },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Contest {
  readonly before?: () => Promise<unknown>;
  readonly psql: () => Promise<unknown>;
  readonly waybill: () => Promise<unknown>;
}

/** Both do the same work in turns. The first round is not counted. */
async function inTurns({ pid }: BulkSite, { before, psql, waybill }: Contest) {
  const taken = { psql: [] as number[], waybill: [] as number[] };
  let memory = 0;
  for (let round = -1; round < rounds; round++) {
    const order = round % 2 === 0 ? (["psql", "waybill"] as const) : (["waybill", "psql"] as const);
    for (const name of order) {
      await before?.();
      const start = performance.now();
      memory = Math.max(memory, await watched(pid, name === "psql" ? psql : waybill));
      if (round >= 0) taken[name].push(performance.now() - start);
    }
  }
  return { psql: latencyOf(taken.psql), waybill: latencyOf(taken.waybill), memory };
}

/** The most resident memory of a process while `work` runs. */
async function watched(pid: number, work: () => Promise<unknown>): Promise<number> {
  let most = 0;
  const timer = setInterval(async () => {
    most = Math.max(most, await residentMemory(pid));
  }, 50);
  await work().finally(() => clearInterval(timer));
  return most;
}

async function psql({ database }: BulkSite, command: string): Promise<void> {
  if (!Bun.which("psql"))
    throw new Error("psql is missing. Install it, such as with apt-get install postgresql-client");
  const child = Bun.spawn(["psql", "--no-psqlrc", "--quiet", database, "--command", command], {
    stderr: "pipe",
  });
  if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
}

async function exportTo({ url, headers }: Rows, path: string): Promise<void> {
  const response = await fetch(url, { headers: { ...headers, Accept: "text/csv" } });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  const sink = Bun.file(path).writer();
  for await (const chunk of response.body ?? []) sink.write(chunk);
  await sink.end();
}

async function importFrom({ url, headers }: Rows, path: string): Promise<void> {
  const init = { method: "POST", headers: { ...headers, "Content-Type": "text/csv" }, body: Bun.file(path) };
  const response = await fetch(url, init);
  const body = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${body}`);
}

/** psql writes `t` and `f` and `2026-09-04 08:15:30.123456+00`. Both sides of the import read the same file. */
async function booleansAsWords(path: string): Promise<void> {
  const text = await Bun.file(path).text();
  const moments = text.replaceAll(/(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2}\.\d{6})\+00/g, "$1T$2Z");
  await Bun.write(path, moments.replaceAll(",t,", ",true,").replaceAll(",f,", ",false,"));
}
