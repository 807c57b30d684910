/**
 * `bun run bench paired FOLDER [part…]`: this version of Waybill beside another one, whose checkout is in FOLDER (with
 * its dependencies installed). Both run on databases of their own in one PostgreSQL and take turns, so a ratio says what
 * a change costs. Parts: `tables`, `processes`, `uploads`, `delivery`; all where none is named. Markdown on standard output.
 */
import { join, resolve } from "node:path";
import { sampleFiles } from "../attachments/files.ts";
import {
  secret as filesSecret,
  type UploadBody,
  uploadBody,
  uploadToWaybill,
} from "../attachments/requests.ts";
import { type Databases, startDatabases, withDatabase } from "../database.ts";
import { markdownTable, round } from "../markdown.ts";
import { type Act, compare, type Schedule } from "../measure.ts";
import { type ServerProcess, startServer } from "../processes.ts";
import { growing, prepareTables, steady, steadyRows, works } from "../tables/overhead.ts";
import { secret as tablesSecret, waybillRows } from "../tables/requests.ts";
import { sampleRowsSql } from "../tables/sample.ts";
import { measureDeliveryPaired } from "./delivery.ts";
import { completeInstance, deployReview, startInstance } from "./processes.ts";

interface Version {
  readonly server: ServerProcess;
  readonly database: string;
}

interface Pair {
  readonly other: Version;
  readonly own: Version;
}

interface Work {
  readonly name: string;
  readonly schedule: Omit<Schedule, "concurrency">;
  readonly other: Act;
  readonly own: Act;
}

/** A pair of fresh servers for one part, and their end. */
async function withPair(
  databases: Databases,
  { name, folders, secret }: { name: string; folders: readonly [string, string]; secret: string },
  use: (pair: Pair) => Promise<void>,
): Promise<void> {
  const start = async (folder: string, label: string): Promise<Version> => {
    const database = await databases.create(`${name}_${label}`);
    const environment = {
      DATABASE_URL: database,
      JWT_SECRET: secret,
      LOG_LEVEL: "warn",
      SHUTDOWN_GRACE_SECONDS: "0",
    };
    return { database, server: await startServer({ script: join(folder, "src/main.ts"), environment }) };
  };
  const [other, own] = [await start(folders[0], "other"), await start(folders[1], "own")];
  try {
    await use({ other, own });
  } finally {
    await Promise.all([other.server.stop(), own.server.stop()]);
  }
}

async function measure(items: readonly Work[]): Promise<void> {
  const rows: string[][] = [];
  for (const { name, schedule, other, own } of items)
    for (const concurrency of [1, 8]) {
      const { reference, subject, ratio, p99Ratio } = await compare(other, own, { ...schedule, concurrency });
      const medians = [reference.median, subject.median].map((value) => `${round(value)} ms`);
      rows.push([name, String(concurrency), ...medians, round(ratio), round(p99Ratio)]);
    }
  const heads = ["work", "at once", "other, median", "this, median", "other by this", "p99, this by other"];
  console.log(markdownTable(heads, rows));
}

async function tablesWork({ other, own }: Pair): Promise<Work[]> {
  const tablesOf = async ({ server, database }: Version) => {
    await prepareTables(server.url);
    await withDatabase(database, async (sql) => {
      await sql.unsafe(sampleRowsSql("tenant_1.steady", steadyRows));
      await sql.unsafe("analyze tenant_1.steady");
    });
    return {
      steady: await waybillRows(server.url, steady),
      growing: await waybillRows(server.url, growing),
    };
  };
  const [others, owns] = [await tablesOf(other), await tablesOf(own)];
  return works.map(({ name, schedule, act }) => ({ name, schedule, other: act(others), own: act(owns) }));
}

async function processesWork({ other, own }: Pair): Promise<Work[]> {
  await Promise.all([deployReview(other.server.url), deployReview(own.server.url)]);
  const schedule = { warmUpRounds: 10, rounds: 20, block: 24 };
  return [
    { name: "start of an instance", schedule, act: startInstance },
    { name: "start and completion of its task", schedule, act: completeInstance },
  ].map(({ act, ...work }) => ({
    ...work,
    other: () => act(other.server.url),
    own: () => act(own.server.url),
  }));
}

async function uploadsWork({ other, own }: Pair): Promise<Work[]> {
  // Each user uploads a few files and is never seen again, whatever the work.
  const turns = new Map([other, own].map(({ server }) => [server.url, 0]));
  const upload =
    (server: string, body: UploadBody): Act =>
    () => {
      const turn = turns.get(server) ?? 0;
      turns.set(server, turn + 1);
      return uploadToWaybill(server, turn, body);
    };
  return [100 * 1024, 1024 ** 2].flatMap((size) =>
    sampleFiles(size).map((file) => {
      const body = uploadBody(file);
      return {
        name: `upload of ${file.name}, ${size / 1024} kB`,
        schedule: { warmUpRounds: 6, rounds: 20, block: 16 },
        other: upload(other.server.url, body),
        own: upload(own.server.url, body),
      };
    }),
  );
}

const parts = {
  tables: { secret: tablesSecret, work: tablesWork },
  processes: { secret: filesSecret, work: processesWork },
  uploads: { secret: filesSecret, work: uploadsWork },
};

export async function measurePaired([folder, ...names]: readonly string[]): Promise<void> {
  if (folder === undefined) throw new Error("usage: bun run bench paired FOLDER [part…]");
  const folders = [resolve(folder), join(import.meta.dir, "../..")] as const;
  const databases = await startDatabases();
  try {
    for (const [name, { secret, work }] of Object.entries(parts)) {
      if (names.length > 0 && !names.includes(name)) continue;
      console.log(`### ${name}\n`);
      await withPair(databases, { name, folders, secret }, async (pair) => measure(await work(pair)));
    }
    if (names.length > 0 && !names.includes("delivery")) return;
    console.log("### delivery\n");
    await measureDeliveryPaired(databases, folders);
  } finally {
    await databases.stop();
  }
}
