/** A server in a separate process, which a test may kill. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";

export const silent = pino({ level: "silent" });

const script = join(import.meta.dir, "../../support/embeddedServer.ts");

/** Starts the server. `url` resolves when it is ready. */
export function startServerProcess(dataDir: string): { child: ChildProcess; url: Promise<string> } {
  const child = spawn(process.execPath, [script, dataDir], { stdio: ["pipe", "pipe", "pipe"] });
  return { child, url: firstLine(child) };
}

async function firstLine(child: ChildProcess): Promise<string> {
  for await (const line of child.stdout ?? []) return String(line).trim();
  let said = "";
  for await (const text of child.stderr ?? []) said += text;
  throw new Error(said.trim());
}

export async function ended(child: ChildProcess, signal?: NodeJS.Signals): Promise<void> {
  if (signal) child.kill(signal);
  else child.stdin?.end();
  while (child.exitCode === null && child.signalCode === null) await Bun.sleep(10);
}

/** The process id in the cluster's pid file. */
export async function postmasterPid(dataDir: string): Promise<number> {
  return Number((await readFile(join(dataDir, "postgres/postmaster.pid"), "utf8")).split("\n")[0]);
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Passes the path of a data folder, which does not exist yet. The folder is removed after `use`. */
export async function withDataDir(use: (dataDir: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "waybill-embedded-"));
  try {
    await use(join(folder, "data"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
