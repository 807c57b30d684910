/** A PostgreSQL server that can be stopped, paused and killed. Waybill's role is not a superuser. */
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import postgres from "postgres";
import { chooseAccount } from "../../../../src/infrastructure/database/account.ts";
import { findBinaries } from "../../../../src/infrastructure/database/binaries.ts";
import { type Child, freePort, signalTree, startChild, until } from "./children.ts";

export interface Postgres {
  /** For Waybill. */
  readonly url: string;
  /** The superuser's connection, for the checks. Connects again after an outage. */
  readonly sql: postgres.Sql;
  start(): Promise<void>;
  /** Stops the server and its sessions in order. */
  stop(): Promise<void>;
  /** Kills all its processes, as when a machine loses power. */
  kill(): Promise<void>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  end(): Promise<void>;
}

const run = promisify(execFile);
const password = "trial-of-faults";

export async function startPostgres(folder: string): Promise<Postgres> {
  const [cluster, port] = [join(folder, "postgres"), freePort()];
  await makeCluster(folder, cluster);
  const server = await serverOf(folder, cluster, port);
  await server.start();
  const admin = `postgres://admin:${password}@127.0.0.1:${port}/`;
  await makeRole(`${admin}postgres`);
  const sql = postgres(`${admin}waybill`, { max: 4, onnotice: () => {}, connect_timeout: 5 });
  const end = async () => {
    await sql.end({ timeout: 0 }).catch(() => {});
    await server.kill();
  };
  return { ...server, sql, end, url: `postgres://waybill:${password}@127.0.0.1:${port}/waybill` };
}

async function makeCluster(folder: string, cluster: string): Promise<void> {
  const { initdb, postgres: program } = await findBinaries();
  const account = await chooseAccount({ folder, cluster, postgres: program });
  const file = join(folder, "postgres.password");
  await Promise.all([mkdir(cluster, { mode: 0o700 }), writeFile(file, password, { mode: 0o600 })]);
  await Promise.all([account.own(cluster), account.own(file)]);
  const options = [`--pgdata=${cluster}`, "--username=admin", `--pwfile=${file}`, "--auth=scram-sha-256"];
  const [command = "", ...rest] = [...account.prefix, initdb, ...options, "--encoding=UTF8", "--locale=C"];
  await run(command, rest, { cwd: cluster, env: { LC_ALL: "C" } });
}

async function makeRole(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql.unsafe(`create role waybill login password '${password}'`);
  await sql.unsafe("create database waybill owner waybill");
  await sql.end();
}

async function serverOf(folder: string, cluster: string, port: number) {
  const { postgres: program } = await findBinaries();
  const account = await chooseAccount({ folder, cluster, postgres: program });
  const settings = [
    "listen_addresses=127.0.0.1",
    `port=${port}`,
    "unix_socket_directories=",
    "max_connections=150",
  ];
  const command = [...account.prefix, program, "-D", cluster, ...settings.flatMap((value) => ["-c", value])];
  let child: Child | undefined;
  const end = async (signal: NodeJS.Signals) => {
    child?.kill(signal);
    await child?.exited;
  };
  return {
    start: async () => {
      child = startChild(command, {
        cwd: cluster,
        env: { LC_ALL: "C" },
        logFile: join(folder, "postgres.log"),
      });
      await until("PostgreSQL accepts connections", () => accepts(port), 30);
    },
    stop: () => end("SIGINT"),
    kill: async () => {
      if (child) await signalTree(child.pid, "SIGKILL");
      await child?.exited;
    },
    pause: async () => child && signalTree(child.pid, "SIGSTOP"),
    resume: async () => child && signalTree(child.pid, "SIGCONT"),
  };
}

async function accepts(port: number): Promise<boolean> {
  const sql = postgres(`postgres://admin:${password}@127.0.0.1:${port}/postgres`, {
    max: 1,
    connect_timeout: 2,
  });
  try {
    await sql`select 1`;
    return true;
  } catch {
    return false;
  } finally {
    await sql.end({ timeout: 0 }).catch(() => {});
  }
}
