/** One run of the `postgres` program over a cluster: start it and wait until it serves, stop it, find an orphan of it. */
import { execFile, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { readFile, rm, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { platform } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Installation } from "./cluster.ts";

export interface Postmaster {
  readonly port: number;
  /** Resolves to how it ended, in words for the log. */
  readonly exited: Promise<string>;
  /** Ends its sessions, writes a checkpoint, ends. Harder after 30 s. */
  stop(): Promise<void>;
}

interface Launched extends Postmaster {
  readonly pid: number;
  lives(): boolean;
}

interface Paths {
  readonly cluster: string;
  readonly logFile: string;
}

/** A restart finds a port taken, or the last run's processes still ending: both pass. */
const attempts = 5;

/** `port` absent: a free one of each attempt. Throws an Error with the end of PostgreSQL's own log. */
export async function startPostmaster(paths: Paths, by: Installation, port?: number): Promise<Postmaster> {
  for (let attempt = 1; ; attempt++) {
    const postmaster = launch(paths, by, port ?? (await freePort()));
    await Promise.race([ready(paths.cluster, postmaster), postmaster.exited]);
    if (postmaster.lives()) return postmaster;
    const failure = await postmaster.exited;
    if (attempt === attempts) throw new Error(`PostgreSQL ${failure}: ${await lastLines(paths.logFile)}`);
    await Bun.sleep(100 * 2 ** attempt);
  }
}

function launch(paths: Paths, { binaries, account }: Installation, port: number): Launched {
  const [program = "", ...rest] = [
    ...account.prefix,
    binaries.postgres,
    "-D",
    paths.cluster,
    ...settings(port),
  ];
  const output = openSync(paths.logFile, "a", 0o600);
  // A session of its own: Ctrl-C in a terminal must reach the server alone, which drains before it stops this.
  const child = spawn(program, rest, {
    cwd: paths.cluster,
    env: { LC_ALL: "C" },
    stdio: ["ignore", output, output],
    detached: true,
  });
  closeSync(output);
  const exited = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`could not be started (${error.message})`));
    child.once("exit", (code, signal) =>
      resolve(signal ? `was ended by ${signal}` : `ended with code ${code}`),
    );
  });
  const pid = child.pid ?? 0;
  const lives = () => pid > 0 && child.exitCode === null && child.signalCode === null;
  return { pid, port, exited, lives, stop: () => stopPostmaster(pid, lives) };
}

function settings(port: number): string[] {
  const values = {
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: 100,
    shared_buffers: "128MB",
    timezone: "UTC",
    log_timezone: "UTC",
    jit: "off",
    // Neither statements nor the values in them belong in a log.
    log_min_error_statement: "panic",
    log_error_verbosity: "terse",
    log_checkpoints: "off",
  };
  return Object.entries(values).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

/** PostgreSQL writes its state into line 8 of its pid file, as pg_ctl reads it. */
async function ready(cluster: string, { pid, lives }: Launched): Promise<void> {
  for (; lives(); await Bun.sleep(15)) {
    const lines = await pidFile(cluster);
    if (Number(lines[0]) === pid && lines[7]?.trim() === "ready") return;
  }
}

async function pidFile(cluster: string): Promise<string[]> {
  const text = await readFile(join(cluster, "postmaster.pid"), "utf8").catch(() => "");
  return text.split("\n");
}

/**
 * Ends what a killed server left running over this cluster, and removes its pid file. Call as the folder's owner only.
 * The pid in the file may by now be anybody's: only a process that works in this very folder is touched.
 */
export async function endOrphan(cluster: string): Promise<boolean> {
  const pid = Number((await pidFile(cluster))[0]);
  const orphan = pid > 1 && (await worksIn(cluster, pid));
  if (orphan) await stopPostmaster(pid, () => worksIn(cluster, pid));
  await rm(join(cluster, "postmaster.pid"), { force: true });
  return orphan;
}

async function worksIn(cluster: string, pid: number): Promise<boolean> {
  try {
    if (platform() !== "linux") {
      const { stdout } = await promisify(execFile)("ps", ["-o", "command=", "-p", String(pid)]);
      return stdout.includes(`-D ${cluster} `);
    }
    const [folder, at] = await Promise.all([stat(cluster), stat(`/proc/${pid}/cwd`)]);
    return folder.ino === at.ino && folder.dev === at.dev;
  } catch {
    return false;
  }
}

/** Fast shutdown, then immediate, then the end; each waits for `lives` to become false. */
async function stopPostmaster(pid: number, lives: () => boolean | Promise<boolean>): Promise<void> {
  for (const [signal, seconds] of [
    ["SIGINT", 30],
    ["SIGQUIT", 10],
    ["SIGKILL", 10],
  ] as const) {
    if (!(await lives())) return;
    process.kill(pid, signal);
    for (const until = Date.now() + seconds * 1000; Date.now() < until; await Bun.sleep(15))
      if (!(await lives())) return;
  }
}

/** Free a moment ago: the system gives it out, and whoever takes it in between makes the start try another. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

async function lastLines(file: string): Promise<string> {
  return (await readFile(file, "utf8")).trim().split("\n").slice(-5).join(" | ");
}
