/** Operaton in a JVM, on a database of the suite's PostgreSQL. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../processes.ts";

export interface Engine {
  /** Its REST interface, without a slash at the end. */
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

export async function startEngine(jar: string, databaseUrl: string): Promise<Engine> {
  const { username, password, host, pathname } = new URL(databaseUrl);
  const [port, folder] = [await freePort(), await mkdtemp(join(tmpdir(), "waybill-bench-"))];
  const settings = [
    `--server.port=${port}`,
    `--spring.datasource.url=jdbc:postgresql://${host}${pathname}`,
    `--spring.datasource.username=${username}`,
    `--spring.datasource.password=${password}`,
    "--spring.datasource.hikari.maximum-pool-size=40",
  ];
  const log = join(folder, "log");
  const command = ["java", "-Xmx1g", "-jar", jar, ...settings];
  const child = Bun.spawn(command, { stdin: "ignore", stdout: Bun.file(log), stderr: Bun.file(log) });
  const url = `http://127.0.0.1:${port}/engine-rest`;
  while (!(await answers(`${url}/version`))) {
    if (child.exitCode !== null) throw new Error(`The engine ended:\n${await Bun.file(log).text()}`);
    await Bun.sleep(200);
  }
  const stop = async () => {
    child.kill("SIGTERM");
    await child.exited;
    await rm(folder, { recursive: true, force: true });
  };
  return { url, pid: child.pid, stop };
}

const answers = (url: string) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
