/** An S3 server that can be stopped and paused: versitygw with a folder that the checks can read. */
import { mkdir, readdir, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { answers, type Child, freePort, startChild, until } from "./children.ts";
import { startLateProxy } from "./lateProxy.ts";

export interface ObjectStorage {
  readonly environment: Readonly<Record<string, string>>;
  start(): Promise<void>;
  stop(): Promise<void>;
  pause(): void;
  resume(): void;
  /** Delays each upload from now on by so many milliseconds. */
  delayPuts(ms: number): void;
  /** How many uploads are delayed now. */
  readonly delayed: () => number;
  end(): Promise<void>;
  /** `attachments/1/<id>` and the like. */
  keys(): Promise<string[]>;
  /** Makes every object so much older. */
  age(seconds: number): Promise<void>;
}

const bucket = "waybill";
const [access, secret] = ["waybill", "a-secret-of-the-trial"];

export async function startStorage(folder: string, program: string): Promise<ObjectStorage> {
  const [root, port] = [join(folder, "s3"), freePort()];
  await mkdir(root);
  const command = [program, "--quiet", "--port", `127.0.0.1:${port}`, "--health", "/health", "posix", root];
  const env = { PATH: process.env.PATH ?? "", ROOT_ACCESS_KEY: access, ROOT_SECRET_KEY: secret };
  let child: Child | undefined;
  const start = async () => {
    child = startChild(command, { cwd: folder, env, logFile: join(folder, "s3.log") });
    await until("the S3 server answers", () => answers(`http://127.0.0.1:${port}/health`), 30);
  };
  await start();
  const way = await startLateProxy(port);
  const stop = async () => {
    child?.kill("SIGKILL");
    await child?.exited;
  };
  return {
    environment: {
      S3_ENDPOINT: `http://127.0.0.1:${way.port}`,
      S3_REGION: "us-east-1",
      S3_BUCKET: bucket,
      S3_ACCESS_KEY: access,
      S3_SECRET_KEY: secret,
    },
    start,
    stop,
    delayPuts: way.delayPuts,
    delayed: way.delayed,
    end: async () => {
      way.stop();
      await stop();
    },
    pause: () => child?.kill("SIGSTOP"),
    resume: () => child?.kill("SIGCONT"),
    keys: () => filesBelow(join(root, bucket)),
    age: async (seconds) => {
      const then = Date.now() / 1000 - seconds;
      for (const key of await filesBelow(join(root, bucket)))
        await utimes(join(root, bucket, key), then, then);
    },
  };
}

/** But for versitygw's own, which are in folders that begin with a dot. */
async function filesBelow(root: string): Promise<string[]> {
  const names = await readdir(root, { recursive: true }).catch(() => []);
  const keys: string[] = [];
  for (const name of names) {
    const file = await stat(join(root, name)).catch(() => undefined);
    if (!name.startsWith(".") && file?.isFile()) keys.push(name);
  }
  return keys.sort();
}
