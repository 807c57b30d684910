/** The processes that a suite measures: Waybill as users run it, and others beside it. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface ServerProcess {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

export interface ServerProcessOptions {
  readonly script: string;
  /** Beside what this process has. The port comes by itself. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts `bun <script>` on a free port and resolves once `GET /readyz` answers 200. Its log goes into a file. */
export async function startServer({ script, environment }: ServerProcessOptions): Promise<ServerProcess> {
  const [port, folder] = [await freePort(), await mkdtemp(join(tmpdir(), "waybill-bench-"))];
  const { NODE_ENV: _, ...inherited } = process.env;
  const child = Bun.spawn([process.execPath, script], {
    env: { ...inherited, ...environment, PORT: String(port), DATA_DIR: folder },
    stdin: "ignore",
    stdout: "ignore",
    stderr: Bun.file(join(folder, "log")),
  });
  const url = `http://127.0.0.1:${port}`;
  while (!(await isReady(url))) {
    if (child.exitCode !== null) throw new Error(await readFile(join(folder, "log"), "utf8"));
    await Bun.sleep(50);
  }
  const stop = async () => {
    child.kill("SIGTERM");
    await child.exited;
    await rm(folder, { recursive: true, force: true });
  };
  return { url, pid: child.pid, stop };
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

/** Resident memory of a process in bytes (Linux). */
export async function residentMemory(pid: number): Promise<number> {
  return kilobytes(await readFile(`/proc/${pid}/status`, "utf8"), "VmRSS") * 1024;
}

/** Processor time that a process has taken so far, in milliseconds (Linux, which counts in steps of ten). */
export async function processorTime(pid: number): Promise<number> {
  const [, after = ""] = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ");
  const [user, system] = after.split(" ").slice(11, 13).map(Number);
  return ((user ?? 0) + (system ?? 0)) * 10;
}

/** Memory of a process and its children in bytes, what they share counted once (Linux). */
export async function familyMemory(pid: number): Promise<number> {
  const members = [pid, ...(await childrenOf(pid))];
  const shares = await Promise.all(
    members.map(async (member) => kilobytes(await readFile(`/proc/${member}/smaps_rollup`, "utf8"), "Pss")),
  );
  return shares.reduce((sum, share) => sum + share, 0) * 1024;
}

async function childrenOf(pid: number): Promise<number[]> {
  const all = (await readdir("/proc")).map(Number).filter((other) => other > 0);
  const parents = await Promise.all(all.map(parentOf));
  return all.filter((_, index) => parents[index] === pid);
}

/** The parent of a process; undefined for one that has ended. */
export async function parentOf(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => undefined);
  return status === undefined ? undefined : Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]);
}

function kilobytes(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]);
}
