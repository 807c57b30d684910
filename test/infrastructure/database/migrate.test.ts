import { afterAll, beforeAll, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigError } from "../../../src/infrastructure/config.ts";
import { connect, type Sql } from "../../../src/infrastructure/database/connect.ts";
import { migrate } from "../../../src/infrastructure/database/migrate.ts";
import { createDatabase } from "../../support/database.ts";
import { silent } from "./serverProcess.ts";

type Files = Record<string, string>;
interface Place {
  readonly url: string;
  readonly sql: Sql;
  readonly folder: string;
  migrate(): Promise<void>;
}

const first = {
  "0001_first.sql": "create table waybill.one (n integer); insert into waybill.one values (1);",
};
const second = { "0002_second.sql": "alter table waybill.one add column text text not null default 'x';" };

async function write(folder: string, files: Files): Promise<void> {
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));
}

/** A fresh database and a folder with these migrations. */
async function withMigrations(files: Files, use: (place: Place) => Promise<void>): Promise<void> {
  const [database, folder] = await Promise.all([
    createDatabase(),
    mkdtemp(join(tmpdir(), "waybill-migrations-")),
  ]);
  const sql = connect(database.url, { max: 2 });
  try {
    await write(folder, files);
    const { url } = database;
    await use({ url, sql, folder, migrate: () => migrate(url, { log: silent, folder }) });
  } finally {
    await sql.end({ timeout: 5 });
    await Promise.all([database.drop(), rm(folder, { recursive: true })]);
  }
}

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: Error) => error,
  );

const appliedNames = async (sql: Sql) =>
  (await sql`select name from waybill.schema_migrations order by version`).map(({ name }) => name);

test("each migration is applied once, in order, with its row", () =>
  withMigrations({ ...first, ...second, "README.md": "not one" }, async ({ sql, migrate }) => {
    await migrate();
    await migrate();
    expect(await appliedNames(sql)).toEqual(["0001_first.sql", "0002_second.sql"]);
    expect([...(await sql`select n, text from waybill.one`)]).toEqual([{ n: 1, text: "x" }]);
    const [row] = await sql`select sha256, applied_at from waybill.schema_migrations where version = 1`;
    expect(row?.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(row?.applied_at).toBeInstanceOf(Date);
  }));

test("a migration that is added later is applied to a database that has data", () =>
  withMigrations(first, async ({ sql, folder, migrate }) => {
    await migrate();
    await sql`insert into waybill.one values (2)`;
    await write(folder, second);
    await migrate();
    expect([...(await sql`select n, text from waybill.one order by n`)]).toEqual([
      { n: 1, text: "x" },
      { n: 2, text: "x" },
    ]);
  }));

test("a migration that fails changes nothing, names its file, and is applied once it is corrected", () =>
  withMigrations(
    { ...first, "0002_second.sql": "create table waybill.two (n integer); select 1 / 0;" },
    async ({ sql, folder, migrate }) => {
      const failure = await failureOf(migrate());
      expect(failure?.message).toBe("The migration 0002_second.sql failed: division by zero");
      expect(await appliedNames(sql)).toEqual(["0001_first.sql"]);
      expect((await sql`select to_regclass('waybill.two') as two`)[0]?.two).toBeNull();
      await write(folder, second);
      await migrate();
      expect(await appliedNames(sql)).toEqual(["0001_first.sql", "0002_second.sql"]);
    },
  ));

test("a migration that was changed after it was applied stops the start in one line", () =>
  withMigrations(first, async ({ sql, folder, migrate }) => {
    await migrate();
    await write(folder, { "0001_first.sql": "create table waybill.other (n integer)", ...second });
    const failure = await failureOf(migrate());
    expect(failure).toBeInstanceOf(ConfigError);
    expect(failure?.message).toMatch(/^The migration 0001_first\.sql was changed .*$/);
    expect(await appliedNames(sql)).toEqual(["0001_first.sql"]);
  }));

test("a database that newer code has migrated stops the start in one line", () =>
  withMigrations({ ...first, ...second }, async ({ folder, migrate }) => {
    await migrate();
    await rm(join(folder, "0002_second.sql"));
    const failure = await failureOf(migrate());
    expect(failure).toBeInstanceOf(ConfigError);
    expect(failure?.message).toMatch(
      /^The database is newer than this Waybill \(it has 0002_second\.sql\).*$/,
    );
  }));

/** Like version 0.2.0: five migrations without a line on compatibility. */
const five = Object.fromEntries(
  [1, 2, 3, 4, 5].map((n) => [`000${n}_old.sql`, `create table waybill.old_${n} ()`]),
);
const sixth = (from: string) => ({
  "0006_sixth.sql": `-- compatible from: ${from}\ncreate table waybill.sixth ();`,
});

test("a version starts on a database with newer migrations that are compatible with it, and not with others", () =>
  withMigrations({ ...five, ...sixth("0005") }, async ({ sql, folder, migrate }) => {
    await migrate();
    await rm(join(folder, "0006_sixth.sql"));
    await migrate();
    await sql`update waybill.migrations set compatible_from = 6`;
    const failure = await failureOf(migrate());
    expect(failure).toBeInstanceOf(ConfigError);
    expect(failure?.message).toMatch(
      /^The database is newer than this Waybill \(it has 0006_sixth\.sql\).*$/,
    );
    await write(folder, sixth("0005"));
    await migrate();
  }));

test("versions up to 0.2.0, which know five migrations, find no more than those", () =>
  withMigrations({ ...five, ...sixth("0005") }, async ({ sql, migrate }) => {
    await migrate();
    expect(await appliedNames(sql)).toEqual(Object.keys(five));
    expect([...(await sql`select version, compatible_from from waybill.migrations`)]).toEqual([
      { version: 6, compatible_from: 5 },
    ]);
  }));

test("a migration without a line on compatibility is refused before anything is applied", () =>
  withMigrations({ ...five, "0006_sixth.sql": "create table waybill.sixth ()" }, async ({ sql, migrate }) => {
    expect((await failureOf(migrate()))?.message).toContain("0006_sixth.sql begins with no line such as");
    expect((await sql`select to_regclass('waybill.old_1') as old`)[0]?.old).toBeNull();
  }));

test("a migration that waits for a long transaction does not delay others who use the table", () =>
  withMigrations(first, async ({ url, sql, folder, migrate }) => {
    await migrate();
    await write(folder, second);
    const reader = connect(url, { max: 1 });
    const release = Promise.withResolvers<void>();
    const reading = reader.begin(async (tx) => {
      await tx`select from waybill.one`;
      await release.promise;
    });
    const migrating = migrate();
    const times: number[] = [];
    for (const until = Date.now() + 6_000; Date.now() < until; await Bun.sleep(50)) {
      const at = performance.now();
      await sql`select from waybill.one`;
      times.push(performance.now() - at);
    }
    release.resolve();
    await reading;
    await migrating;
    await reader.end();
    // At most as long as one attempt. Most of them do not wait.
    expect(Math.max(...times)).toBeLessThan(2_000);
    expect(times.filter((ms) => ms < 500).length).toBeGreaterThan(times.length / 2);
    expect(await appliedNames(sql)).toEqual(["0001_first.sql", "0002_second.sql"]);
  }));

test("a migration that gets no lock fails after a while and changes nothing", () =>
  withMigrations(first, async ({ url, sql, folder, migrate: migrateFirst }) => {
    await migrateFirst();
    await write(folder, second);
    const failure = await sql.begin(async (tx) => {
      await tx`select from waybill.one`;
      return failureOf(migrate(url, { log: silent, folder, lockSeconds: 1 }));
    });
    expect(failure?.message).toBe(
      "The migration 0002_second.sql failed: canceling statement due to lock timeout",
    );
    expect(await appliedNames(sql)).toEqual(["0001_first.sql"]);
  }));

test("a gap in the numbers is refused before anything is applied", () =>
  withMigrations({ ...first, "0003_third.sql": "select 1" }, async ({ migrate }) => {
    expect((await failureOf(migrate()))?.message).toContain("0003_third.sql is number 2");
  }));

test("eight processes that migrate at once apply each migration once, and none of them fails", () =>
  withMigrations({ ...first, ...second }, async ({ url, sql, folder }) => {
    const source = join(import.meta.dir, "../../../src/infrastructure/database/migrate.ts");
    const script = `
      import { migrate } from ${JSON.stringify(source)};
      const [url, folder] = process.argv.slice(-2);
      await migrate(url, { folder, log: { info() {} } });`;
    const codes = await Promise.all(
      Array.from({ length: 8 }, () => {
        const child = spawn(process.execPath, ["-e", script, url, folder], {
          stdio: ["ignore", "ignore", "inherit"],
        });
        return new Promise((resolve) => child.once("exit", resolve));
      }),
    );
    expect(codes).toEqual(Array(8).fill(0));
    expect(await appliedNames(sql)).toEqual(["0001_first.sql", "0002_second.sql"]);
    expect([...(await sql`select n from waybill.one`)]).toEqual([{ n: 1 }]);
  }));

test("a process that finds another one migrating waits for longer than lock_timeout", () =>
  withMigrations(
    { "0001_slow.sql": "select pg_sleep(6); create table waybill.slow ();" },
    async ({ sql, migrate }) => {
      await Promise.all([migrate(), Bun.sleep(200).then(migrate)]);
      expect(await appliedNames(sql)).toEqual(["0001_slow.sql"]);
    },
  ));

test("a migrator that loses its session while it migrates fails and applies nothing", () =>
  withMigrations(
    { "0001_slow.sql": "create table waybill.slow (); select pg_sleep(5);" },
    async ({ sql, migrate }) => {
      const failing = failureOf(migrate());
      await Bun.sleep(300);
      await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`;
      expect(await failing).toBeInstanceOf(Error);
      expect(await appliedNames(sql)).toEqual([]);
      expect((await sql`select to_regclass('waybill.slow') as slow`)[0]?.slow).toBeNull();
    },
  ));

let own: Awaited<ReturnType<typeof createDatabase>>;
beforeAll(async () => {
  own = await createDatabase();
});
afterAll(() => own.drop());

test("the migrations of the code itself apply to an empty database, twice", async () => {
  await migrate(own.url, { log: silent });
  await migrate(own.url, { log: silent });
});
