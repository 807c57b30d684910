/** Waybill as a user starts it: a process of its own, in a folder of its own, with an environment of its own. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const repository = fileURLToPath(new URL("../..", import.meta.url));
export const serverProgram = join(repository, "src/main.ts");

export interface WaybillOptions {
  /** Where it is started; relative paths, such as that of the data folder, begin here. */
  readonly cwd: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** `bun <these>`; the server by default. */
  readonly command?: readonly string[];
}

export interface WaybillProcess {
  readonly pid: number;
  /** Resolves with the server's URL once it listens; rejects where it ends before that. */
  readonly listening: Promise<string>;
  stdout(): string;
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
  /** Resolves with the exit code, after all output has arrived. */
  readonly exited: Promise<number>;
}

export function startWaybill({ cwd, environment = {}, command }: WaybillOptions): WaybillProcess {
  const child = Bun.spawn([process.execPath, ...(command ?? [serverProgram])], {
    cwd,
    env: { ...plainEnvironment(), PORT: "0", NODE_ENV: "test", SHUTDOWN_GRACE_SECONDS: "0", ...environment },
    stdout: "pipe",
    stderr: "pipe",
  });
  const output = { stdout: "", stderr: "" };
  const listening = Promise.withResolvers<string>();
  listening.promise.catch(() => {});
  const read = async (name: keyof typeof output) => {
    const decoder = new TextDecoder();
    for await (const chunk of child[name]) {
      output[name] += decoder.decode(chunk, { stream: true });
      const address = /"address":"(http[^"]+)\/"/.exec(output.stderr)?.[1];
      if (address) listening.resolve(address);
    }
  };
  const exited = Promise.all([read("stdout"), read("stderr"), child.exited]).then(([, , code]) => {
    listening.reject(new Error(`Waybill ended with ${code}: ${output.stderr}`));
    return code;
  });
  return {
    pid: child.pid,
    listening: listening.promise,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    kill: (signal) => child.kill(signal),
    exited,
  };
}

/** Nothing of the test run's own configuration. */
export const plainEnvironment = () => {
  const { PATH = "", HOME = tmpdir() } = process.env;
  return { PATH, HOME };
};

/** A fresh folder, removed when `use` is done, and with it every process that `use` started and did not end. */
export async function inFolder(
  use: (folder: string, start: (options?: Omit<WaybillOptions, "cwd">) => WaybillProcess) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "waybill-running-"));
  const started: WaybillProcess[] = [];
  try {
    await use(folder, (options = {}) => {
      const waybill = startWaybill({ cwd: folder, ...options });
      started.push(waybill);
      return waybill;
    });
  } finally {
    for (const waybill of started) waybill.kill("SIGTERM");
    await Promise.all(started.map(({ exited }) => exited));
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * How much longer a round of a test lasts that repeats until enough has happened: 1 in the first `rounds` of them, then
 * 2, then 4. Without it, a process on a busy machine is killed before its first answer in every round.
 */
export const longerEach = (round: number, rounds: number) => 2 ** Math.floor(round / rounds);
