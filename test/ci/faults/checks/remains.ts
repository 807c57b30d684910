/** Rules about what must be gone after every process was stopped. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type postgres from "postgres";
import type { Waybill } from "../parts/waybill.ts";
import { type Check, check } from "./check.ts";

/** Stops all processes. */
export async function checkRemains(processes: readonly Waybill[], sql: postgres.Sql): Promise<Check[]> {
  const ended = await Promise.all(processes.map((process) => process.terminate()));
  return [
    await check("no process ended by itself", () =>
      processes
        .filter(({ crashes }) => crashes() > 0)
        .map(({ name, crashes }) => `${name}: ${crashes()} times`),
    ),
    await check("SIGTERM ends every process with 0 within 40 s", () =>
      ended.flatMap(({ code, ms }, index) =>
        code === 0 && ms < 40_000 ? [] : [`${processes[index]?.name}: ${code} after ${Math.round(ms)} ms`],
      ),
    ),
    await check("nothing is left running, open or on disk", async () => [
      ...(await sessions(sql)),
      ...(await Promise.all(processes.map(leftFiles))).flat(),
    ]),
  ];
}

async function sessions(sql: postgres.Sql): Promise<string[]> {
  const rows = await sql<{ query: string }[]>`select query from pg_stat_activity where usename = 'waybill'`;
  return rows.map(({ query }) => `a session in PostgreSQL: ${query.slice(0, 100)}`);
}

/** Files of the last run of a process. A later run removes those of a killed process after an hour. */
async function leftFiles({ name, dataDir, launchedAt }: Waybill): Promise<string[]> {
  const names = await readdir(join(dataDir, "uploads")).catch(() => []);
  const files = await Promise.all(
    names.map(async (file) => ({ file, mtimeMs: (await stat(join(dataDir, "uploads", file))).mtimeMs })),
  );
  return files.filter(({ mtimeMs }) => mtimeMs > launchedAt()).map(({ file }) => `${name}: uploads/${file}`);
}
