/**
 * The account that PostgreSQL runs as. PostgreSQL refuses to run as root, so a server started by root starts it as the
 * owner of the cluster, or as `postgres`, which is created if it is missing.
 *
 * That account may be unable to pass through a folder such as /root (mode 0700) to the programs or the data. Only then
 * it gets one ambient capability, which lets it pass. No folder's mode is changed.
 */
import { execFile } from "node:child_process";
import { chown, stat } from "node:fs/promises";
import { promisify } from "node:util";
import { ConfigError } from "../config.ts";

const run = promisify(execFile);

export interface Account {
  /** Put before a command so that it runs as this account. Empty if that is the server's own account. */
  readonly prefix: readonly string[];
  /** Makes this account the owner of a file or folder that the server has created. */
  own(path: string): Promise<void>;
}

/** The weakest comes first. Containers have `dac_override` by default, but not `dac_read_search`. */
const capabilities = [undefined, "dac_read_search", "dac_override"] as const;

/**
 * `folder` is the data folder, `cluster` the cluster in it (which may not exist yet), `postgres` the program. Throws a
 * one-line ConfigError if no account can run the program there.
 */
export async function chooseAccount(paths: {
  folder: string;
  cluster: string;
  postgres: string;
}): Promise<Account> {
  if (process.getuid?.() !== 0) return { prefix: [], own: async () => {} };
  const setpriv = Bun.which("setpriv");
  if (setpriv === null) throw rootRefused("running as another user needs the program setpriv (util-linux)");
  const { uid, gid } = await owner(paths.cluster);
  const own = (path: string) => chown(path, uid, gid);
  for (const capability of capabilities) {
    const prefix = switchTo(setpriv, { uid, gid, capability });
    if (await reaches(prefix, paths)) return { prefix, own };
  }
  throw rootRefused(`its user (uid ${uid}) cannot reach ${paths.postgres} and ${paths.folder}`);
}

function switchTo(
  setpriv: string,
  to: { uid: number; gid: number; capability: string | undefined },
): string[] {
  // PostgreSQL checks its programs with access(2). That ignores the capabilities of ordinary users without this bit.
  const grant = to.capability
    ? [
        "--securebits=+no_setuid_fixup",
        `--inh-caps=-all,+${to.capability}`,
        `--ambient-caps=-all,+${to.capability}`,
      ]
    : ["--inh-caps=-all"];
  return [setpriv, `--reuid=${to.uid}`, `--regid=${to.gid}`, "--clear-groups", ...grant, "--"];
}

async function reaches(
  prefix: readonly string[],
  paths: { folder: string; postgres: string },
): Promise<boolean> {
  const [program = "", ...rest] = prefix;
  const probe = ["/bin/sh", "-c", 'cd "$1" && "$2" --version', "sh", paths.folder, paths.postgres];
  return run(program, [...rest, ...probe], { cwd: "/" }).then(
    () => true,
    () => false,
  );
}

async function owner(cluster: string): Promise<{ uid: number; gid: number }> {
  const existing = await stat(cluster).catch(() => undefined);
  if (existing && existing.uid !== 0) return existing;
  return (await postgresUser()) ?? (await createPostgresUser());
}

async function postgresUser(): Promise<{ uid: number; gid: number } | undefined> {
  try {
    const [uid, gid] = await Promise.all([run("id", ["-u", "postgres"]), run("id", ["-g", "postgres"])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return undefined;
  }
}

async function createPostgresUser(): Promise<{ uid: number; gid: number }> {
  try {
    await run("useradd", ["--system", "--user-group", "--no-create-home", "postgres"]);
  } catch (cause) {
    throw rootRefused("the user postgres does not exist and cannot be created", cause);
  }
  const user = await postgresUser();
  if (!user) throw rootRefused("the user postgres cannot be found");
  return user;
}

function rootRefused(why: string, cause?: unknown): ConfigError {
  const advice =
    "set DATABASE_URL, start Waybill as an ordinary user, " +
    "or move it and its DATA_DIR to where every user can reach them";
  return new ConfigError(`The embedded PostgreSQL cannot run as root here: ${why}; ${advice}`, { cause });
}
