/** Processor time of the processes that take part in a round (Linux). */
import { readFile } from "node:fs/promises";
import { withDatabase } from "../database.ts";

export interface Counted {
  /** Processes by what they are. */
  readonly processes: Readonly<Record<string, number>>;
  /** Databases of one PostgreSQL, by what they are: their sessions are counted. */
  readonly databases: Readonly<Record<string, string>>;
}

/** Milliseconds by what was counted. What PostgreSQL does for all databases together is `PostgreSQL itself`. */
export type ProcessorTime = ReadonlyMap<string, number>;

/** Milliseconds of one tick: Linux counts a hundred in a second for everything that asks. */
const tickMs = 10;
const shared = "PostgreSQL itself";

/** Runs `work` and returns what each part spent in it. A session that ended meanwhile is not counted. */
export async function processorTimeOf(
  counted: Counted,
  work: () => Promise<unknown>,
): Promise<ProcessorTime> {
  const before = await spent(counted);
  await work();
  const after = await spent(counted);
  const difference = new Map<string, number>();
  for (const [pid, { what, ms }] of after)
    difference.set(what, (difference.get(what) ?? 0) + ms - (before.get(pid)?.ms ?? 0));
  return difference;
}

type Spent = ReadonlyMap<number, { readonly what: string; readonly ms: number }>;

async function spent({ processes, databases }: Counted): Promise<Spent> {
  const names = new Map(Object.entries(databases).map(([what, url]) => [nameOf(url), what]));
  const [url = ""] = Object.values(databases);
  const sessions = await withDatabase(
    url,
    (sql) => sql<{ pid: number; name: string | null }[]>`
    select pid, datname as name
    from pg_stat_activity
    where pid <> pg_backend_pid()`,
  );
  const whats = [
    ...Object.entries(processes).map(([what, pid]) => [pid, what] as const),
    ...sessions.map(({ pid, name }) => [pid, (name && names.get(name)) ?? shared] as const),
  ];
  const times = await Promise.all(
    whats.map(async ([pid, what]) => [pid, { what, ms: await timeOf(pid) }] as const),
  );
  return new Map(times);
}

const nameOf = (url: string) => new URL(url).pathname.slice(1);

/** User and system time of a process and all its threads. 0 if it has ended. */
async function timeOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The second field is the name in brackets, which may have blanks.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * tickMs;
}
