/** One run of the program `postgres` on a cluster: starts it and waits until it is ready, stops it, finds an orphan. */
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
  /** Resolves with a text for the log that says how it ended. */
  readonly exited: Promise<string>;
  /** Ends its sessions, writes a checkpoint and ends. Is forced to end after 30 s. */
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

/** A port may be in use, or processes of the last run may still be ending. Both are temporary. */
const attempts = 5;

/** Without `port`, each attempt takes a free one. Throws an Error with the last lines of PostgreSQL's own log. */
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
  // In a separate session, Ctrl-C in a terminal reaches only the server, which drains before it stops PostgreSQL.
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
    // Statements and their values do not belong in a log.
    log_min_error_statement: "panic",
    log_error_verbosity: "terse",
    log_checkpoints: "off",
  };
  return Object.entries(values).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

/** PostgreSQL writes its state into line 8 of its pid file. pg_ctl reads it there too. */
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
 * Ends the PostgreSQL that a killed server has left running on this cluster, and removes its pid file. Only the owner
 * of the folder may call it. The pid may belong to another process by now, so only a process that works in this folder
 * is ended.
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

/**
 * Asks for a fast shutdown, then for an immediate one, then kills. Waits after each step for `lives` to become false.
 */
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

/** A port that the system says is free. If another process takes it first, the next attempt uses another one. */
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
