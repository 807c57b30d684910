/** The commands of the audit trail, the recipe of docs/security.md, and the job that adds checkpoints. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { secretsFrom, startServer, type TestServer } from "../support/server.ts";
import { makeTable } from "../support/tables.ts";
import { until } from "../support/until.ts";
import { inFolder, repository } from "../support/waybillProcess.ts";

setDefaultTimeout(120_000);
const secret = "a secret that both of the processes share";
let database: TestDatabase;
let server: TestServer;
beforeAll(async () => {
  database = await createDatabase();
  server = await startServer({ database, secret });
  const table = await makeTable(server, { a: "text" });
  for (const a of ["x", 'a "b" é😀\n\u0001']) await table.insert({ a });
  await table.update({ a: "x" }, { a: "\u007f\u2028" });
  await makeTable(server, { a: "text" }, { caller: { tenant: 2 } });
});
afterAll(async () => {
  await server.stop();
  await database.drop();
});

async function audit(...parameters: string[]) {
  let output = { code: 0, stdout: "", stderr: "" };
  await inFolder(async (_folder, start) => {
    const command = [join(repository, "src/commands/audit.ts"), ...parameters];
    const environment = { DATABASE_URL: database.url, JWT_SECRET: secret };
    const running = start({ command, environment });
    const code = await running.exited;
    output = { code, stdout: running.stdout(), stderr: running.stderr() };
  });
  return output;
}

/** The program that docs/security.md prints. */
async function recipe(file: string) {
  const document = await Bun.file(join(repository, "docs/security.md")).text();
  const [, program = ""] = /```python\n(.*?)```/s.exec(document) ?? [];
  const run = Bun.spawn(["python3", "-c", program, file], { stdout: "pipe" });
  return { output: (await new Response(run.stdout).text()).trim(), code: await run.exited };
}

test("a server adds checkpoints by itself", () =>
  inFolder(async (_folder, start) => {
    await start({ environment: { DATABASE_URL: database.url, ...secretsFrom(secret) } }).listening;
    await until(async () => {
      const [row] = await server.sql`
        select (select count(*) from tenant_1._checkpoints) as one, (select count(*) from tenant_2._checkpoints) as two`;
      return row?.one === "1" && row?.two === "1";
    }, 60);
  }));

test("the commands verify, export and verify again without the database, and so does the recipe", async () => {
  const verified = await audit("verify");
  expect(verified.stderr).toBe("");
  expect(verified.code).toBe(0);
  expect(verified.stdout).toContain("tenant tenant-1: 4 records in 1 checkpoint, intact\n");
  expect(verified.stdout).toContain("tenant tenant-1: 0 records without a checkpoint yet\n");
  expect(verified.stdout).toContain("tenant tenant-2: 1 record in 1 checkpoint, intact\n");
  const [, digest = ""] = /tenant-1: last checkpoint (\S+)/.exec(verified.stdout) ?? [];
  expect(await audit("verify", "--tenant", "tenant-1", "--digest", digest)).toMatchObject({ code: 0 });
  const elsewhere = digest.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
  expect(await audit("verify", "--tenant", "tenant-1", "--digest", elsewhere)).toMatchObject({ code: 1 });
  await inFolder(async (folder) => {
    const exported = await audit("export", "--tenant", "tenant-1");
    expect(exported.code).toBe(0);
    const file = join(folder, "trail.ndjson");
    await Bun.write(file, exported.stdout);
    expect(await audit("verify", "--file", file, "--digest", digest)).toMatchObject({ code: 0 });
    expect(await recipe(file)).toEqual({ output: "intact - records without a checkpoint: 0", code: 0 });
    await Bun.write(file, exported.stdout.replace("alice", "carol"));
    const changed = await audit("verify", "--file", file);
    expect(changed).toMatchObject({ code: 1 });
    expect(changed.stdout).toContain("record 1 was changed\n");
    expect(await recipe(file)).toEqual({
      output: "wrong: 1\nchanged - records without a checkpoint: 0",
      code: 1,
    });
  });
});

test("the command names records that were changed, removed and added, and other tenants stay intact", async () => {
  await server.sql`update tenant_1._audit set statement = 'nothing' where id = 1`;
  await server.sql`delete from tenant_1._audit where id = 2`;
  await server.sql`
    insert into tenant_1._audit (id, actor, action, statement, outcome, request_id) overriding system value
    values (0, 'mallory', 'insert', 's', 'success', gen_random_uuid())`;
  const { code, stdout } = await audit("verify");
  expect(code).toBe(1);
  for (const line of ["record 0 was added", "record 1 was changed", "record 2 was removed"])
    expect(stdout).toContain(`tenant tenant-1: ${line}\n`);
  expect(stdout).toContain("tenant tenant-1: 4 records in 1 checkpoint, 3 faults\n");
  expect(stdout).toContain("tenant tenant-2: 1 record in 1 checkpoint, intact\n");
});

test.each([
  [[], "usage: bun run audit verify"],
  [["verify", "--colour"], "usage: bun run audit verify"],
  [["export"], "usage: bun run audit verify"],
  [["verify", "--tenant", "nobody"], 'There is no tenant with the slug "nobody".'],
  [["verify", "--tenant", "tenant-1", "--digest", "x"], "--digest takes NUMBER:HEX"],
])("%p exits with 2 and says why", async (parameters, said) => {
  const { code, stderr } = await audit(...parameters);
  expect(code).toBe(2);
  expect(stderr).toContain(said);
});
