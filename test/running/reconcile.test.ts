/** `bun run reconcile` on an embedded database. What it finds and repairs: test/files/maintenance/reconcile.test.ts. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import postgres from "postgres";
import { inFolder, repository } from "../support/waybillProcess.ts";

setDefaultTimeout(60_000);

/** The embedded PostgreSQL of a running server, as its superuser. */
async function superuserOf(folder: string): Promise<postgres.Sql> {
  const cluster = join(folder, ".data", "postgres");
  const password = await readFile(join(cluster, "waybill.password"), "utf8");
  const pidFile = await readFile(join(cluster, "postmaster.pid"), "utf8");
  return postgres({
    host: "127.0.0.1",
    port: Number(pidFile.split("\n")[3]),
    user: "waybill",
    password: password.trim(),
    database: "postgres",
    onnotice: () => {},
  });
}

/** Records the role that makes a temporary table, as the comparison does. */
const recordRoles = `
  create table public.comparing_roles (name text not null);
  create function public.record_role() returns event_trigger language plpgsql security definer as $$
  begin
    insert into public.comparing_roles
    select session_user from pg_event_trigger_ddl_commands() where schema_name = 'pg_temp';
  end $$;
  create event trigger record_role on ddl_command_end when tag in ('CREATE TABLE')
    execute function public.record_role();`;

test("bun run reconcile connects to an embedded database as the service, not as the superuser", () =>
  inFolder(async (folder, start) => {
    const first = start();
    await first.listening;
    const before = await superuserOf(folder);
    await before.unsafe(recordRoles);
    await before.end();
    first.kill("SIGTERM");
    await first.exited;

    const reconcile = start({ command: [join(repository, "src/commands/reconcile.ts")] });
    expect(await reconcile.exited).toBe(0);
    expect(reconcile.stdout()).toBe("Objects and rows agree.\n");

    await start().listening;
    const after = await superuserOf(folder);
    const roles = await after`select distinct name from public.comparing_roles`;
    expect(roles.map(({ name }) => name)).toEqual(["waybill_service"]);
    await after.end();
  }));
