/** An engine in a JVM, with its tables in a database of its own. It can be killed and started again. */
import { join } from "node:path";
import { plainEnvironment } from "../../support/waybillProcess.ts";
import { answers, type Child, freePort, startChild, until } from "../faults/parts/children.ts";
import type { Postgres } from "../faults/parts/postgres.ts";

export type JavaEngineName = "operaton" | "camunda7";

export interface JavaEngine {
  /** Its REST interface, without a slash at the end. It stays the same after a restart. */
  readonly url: string;
  /** Launches it, and resolves once it answers. */
  start(): Promise<void>;
  /** As when its machine loses power. */
  kill(): Promise<void>;
}

export interface JavaEngineOptions {
  /** What `.ci/engines` has built. */
  readonly builtFolder: string;
  readonly name: JavaEngineName;
  /** For its log. */
  readonly folder: string;
  readonly postgres: Postgres;
}

const startSeconds = 180;

/** Makes its database. The engine itself makes its tables, on its first start. */
export async function prepareEngine({
  builtFolder,
  name,
  folder,
  postgres,
}: JavaEngineOptions): Promise<JavaEngine> {
  const { username, password, host } = new URL(postgres.url);
  await postgres.sql`create database ${postgres.sql(name)} owner ${postgres.sql(username)}`;
  const port = freePort();
  const settings = [
    `--server.port=${port}`,
    `--spring.datasource.url=jdbc:postgresql://${host}/${name}`,
    `--spring.datasource.username=${username}`,
    `--spring.datasource.password=${password}`,
  ];
  const jar = join(builtFolder, name, "target/engine.jar");
  const command = ["java", "-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-jar", jar, ...settings];
  const options = { cwd: folder, env: plainEnvironment(), logFile: join(folder, `${name}.log`) };
  const url = `http://127.0.0.1:${port}/engine-rest`;
  let child: Child | undefined;
  return {
    url,
    start: async () => {
      child = startChild(command, options);
      const started = child;
      await until(
        `${name} answers`,
        () => requireLife(started, name) && answers(`${url}/version`),
        startSeconds,
      );
    },
    kill: async () => {
      child?.kill("SIGKILL");
      await child?.exited;
    },
  };
}

function requireLife(child: Child, name: string): boolean {
  if (child.lives()) return true;
  throw new Error(`${name} ended before it answered`);
}
