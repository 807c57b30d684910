/** Starts the programs of the trial, and finds ports for them. */
import { openSync } from "node:fs";
import { readFile } from "node:fs/promises";

export interface Child {
  readonly pid: number;
  readonly exited: Promise<number>;
  /** Whether it is still running. */
  lives(): boolean;
  kill(signal: NodeJS.Signals): void;
}

export interface ChildOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The file for its output. */
  readonly logFile: string;
}

export function startChild(command: readonly string[], { cwd, env, logFile }: ChildOptions): Child {
  const log = openSync(logFile, "a");
  const child = Bun.spawn([...command], { cwd, env, stdin: "ignore", stdout: log, stderr: log });
  const lives = () => child.exitCode === null && child.signalCode === null;
  return {
    pid: child.pid,
    exited: child.exited,
    lives,
    kill: (signal) => {
      if (lives()) process.kill(child.pid, signal);
    },
  };
}

/** All descendants of a process, parents first. */
export async function descendants(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  const children = text.trim().split(" ").filter(Boolean).map(Number);
  const below = await Promise.all(children.map(descendants));
  return [...children, ...below.flat()];
}

/** Signals a process and all its descendants. The process comes first, so that it starts no new ones. */
export async function signalTree(pid: number, signal: NodeJS.Signals): Promise<void> {
  const send = (to: number) => {
    try {
      process.kill(to, signal);
    } catch {
      // The process has ended.
    }
  };
  if (signal === "SIGCONT") for (const child of await descendants(pid)) send(child);
  const below = await descendants(pid);
  send(pid);
  for (const child of new Set([...below, ...(await descendants(pid))])) send(child);
}

export function freePort(): number {
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = server;
  server.stop(true);
  return port;
}

/** Waits until `holds` returns true. Throws with `what` after `seconds`. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  seconds: number,
): Promise<void> {
  for (const deadline = performance.now() + seconds * 1000; ; await Bun.sleep(50)) {
    if (await holds()) return;
    if (performance.now() > deadline) throw new Error(`not within ${seconds} s: ${what}`);
  }
}

export const answers = (url: string) =>
  fetch(url, { signal: AbortSignal.timeout(1_000), keepalive: false }).then(
    (response) => response.ok,
    () => false,
  );
