/**
 * The cluster: PostgreSQL's data folder `<dataDir>/postgres`, with the superuser's password in it.
 *
 * A cluster is created under another name and renamed when it is complete, with its password. So an initdb that is
 * killed leaves only a folder that the next start removes.
 */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { ConfigError } from "../config.ts";
import type { Account } from "./account.ts";
import type { Binaries } from "./binaries.ts";

const run = promisify(execFile);
const unfinished = "postgres.initdb-";
const passwordFile = "waybill.password";

export const superuser = "waybill";

export interface Installation {
  readonly binaries: Binaries;
  readonly account: Account;
}

/** Returns the superuser's password. Creates the cluster first if there is none. */
export async function prepareCluster(cluster: string, dataDir: string, by: Installation): Promise<string> {
  await removeUnfinished(dataDir);
  const version = await readFile(join(cluster, "PG_VERSION"), "utf8").catch(() => undefined);
  if (version === undefined) await createCluster(cluster, dataDir, by);
  else await requireVersion(version.trim(), cluster, by);
  return (await readFile(join(cluster, passwordFile), "utf8")).trim();
}

async function removeUnfinished(dataDir: string): Promise<void> {
  const leftovers = (await readdir(dataDir)).filter((name) => name.startsWith(unfinished));
  // An initdb that has outlived its server may still write into one. The next start removes what it leaves.
  for (const name of leftovers)
    await rm(join(dataDir, name), { recursive: true, force: true }).catch(() => {});
}

async function createCluster(cluster: string, dataDir: string, by: Installation): Promise<void> {
  const folder = join(dataDir, `${unfinished}${randomBytes(6).toString("hex")}`);
  const password = `${folder}.password`;
  await mkdir(folder, { mode: 0o700 });
  await writeFile(password, `${randomBytes(24).toString("hex")}\n`, { mode: 0o600 });
  await Promise.all([by.account.own(folder), by.account.own(password)]);
  await initdb(folder, password, by);
  await rename(password, join(folder, passwordFile));
  await rename(folder, cluster);
}

async function initdb(folder: string, password: string, { binaries, account }: Installation): Promise<void> {
  const [program = "", ...rest] = [
    ...account.prefix,
    binaries.initdb,
    `--pgdata=${folder}`,
    `--username=${superuser}`,
    `--pwfile=${password}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    // The built-in provider sorts text by code point, alike on every platform.
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--locale=C",
    "--no-instructions",
  ];
  await run(program, rest, { cwd: folder, env: { LC_ALL: "C" } }).catch((cause) => {
    const lastLine = String(cause.stderr).trim().split("\n").at(-1);
    // 127 says that a library is missing. The package's install script links the libraries.
    const advice = cause.code === 127 ? '; run "bun install" so that the package can finish installing' : "";
    throw new Error(`The embedded PostgreSQL could not create its cluster: ${lastLine}${advice}`, { cause });
  });
}

async function requireVersion(
  made: string,
  cluster: string,
  { binaries, account }: Installation,
): Promise<void> {
  const [program = "", ...rest] = [...account.prefix, binaries.postgres, "--version"];
  const { stdout } = await run(program, rest, { cwd: cluster });
  const carried = stdout.match(/\d+/)?.[0];
  if (carried === made) return;
  const advice =
    "dump it with the Waybill that made it and restore it into a new DATA_DIR, or set DATABASE_URL";
  throw new ConfigError(
    `DATA_DIR holds a database of PostgreSQL ${made} and this Waybill carries PostgreSQL ${carried}: ${advice}`,
  );
}
