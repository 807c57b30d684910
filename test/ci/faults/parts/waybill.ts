/** A Waybill process under a supervisor, which restarts it one second after it ended by itself. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { plainEnvironment, serverProgram } from "../../../support/waybillProcess.ts";
import { answers, type Child, freePort, startChild, until } from "./children.ts";

export interface Waybill {
  readonly name: string;
  readonly port: number;
  readonly dataDir: string;
  /** How often it ended by itself after it had been ready. */
  readonly crashes: () => number;
  /** When it was last started, in milliseconds since 1970. */
  readonly launchedAt: () => number;
  launch(): void;
  /** Launches it, and resolves once it is ready. */
  start(): Promise<void>;
  /** Sends SIGTERM and resolves with the exit code and how long it took. */
  terminate(): Promise<{ readonly code: number; readonly ms: number }>;
  kill(): Promise<void>;
  pause(): void;
  resume(): void;
  ready(): Promise<boolean>;
}

export interface WaybillOptions {
  readonly name: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

export async function prepareWaybill({ name, folder, environment }: WaybillOptions): Promise<Waybill> {
  const [port, dataDir] = [freePort(), join(folder, name)];
  await mkdir(dataDir);
  const own = { NODE_ENV: "test", PORT: String(port), DATA_DIR: dataDir };
  const env = { ...plainEnvironment(), ...own, ...environment };
  const options = { cwd: dataDir, env, logFile: join(folder, `${name}.log`) };
  const ready = () => answers(`http://127.0.0.1:${port}/readyz`);
  let child: Child | undefined;
  let [wanted, crashes, launchedAt] = [false, 0, 0];

  async function supervise(started: Child): Promise<void> {
    let wasReady = false;
    void until("ready", ready, 60).then(
      () => {
        wasReady = true;
      },
      () => {},
    );
    await started.exited;
    if (!wanted || child !== started) return;
    if (wasReady) crashes++;
    await Bun.sleep(1_000);
    if (wanted && child === started) launch();
  }

  function launch(): void {
    [wanted, launchedAt] = [true, Date.now()];
    child = startChild([process.execPath, serverProgram], options);
    void supervise(child);
  }

  return {
    name,
    port,
    dataDir,
    ready,
    crashes: () => crashes,
    launchedAt: () => launchedAt,
    launch,
    start: async () => {
      launch();
      await until(`${name} is ready`, ready, 60);
    },
    terminate: async () => {
      wanted = false;
      const since = performance.now();
      child?.kill("SIGTERM");
      const code = (await child?.exited) ?? 0;
      return { code, ms: performance.now() - since };
    },
    kill: async () => {
      wanted = false;
      child?.kill("SIGKILL");
      await child?.exited;
    },
    pause: () => child?.kill("SIGSTOP"),
    resume: () => child?.kill("SIGCONT"),
  };
}
