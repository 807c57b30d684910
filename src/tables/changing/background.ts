/**
 * What is done for tables in the background: indexes of large tables are built, references of their rows are checked,
 * and dropped tables and columns are purged when they can no longer be restored.
 *
 * A task stays until it is done, so another process does it after a crash. A lock of the session keeps two processes
 * from doing the same one. If a process is killed, PostgreSQL may go on for a while and keeps the lock.
 */
import type postgres from "postgres";
import { inLane, type Lane } from "../../infrastructure/database/lanes.ts";
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import type { Recurring } from "../../infrastructure/jobs/recurring.ts";
import { schemaOf } from "../../tenants/tenant.ts";
import { finishTable } from "./finish.ts";
import { purgeDropped } from "./purge.ts";
import { deleteTask, dueTasks, postponeTask, type Task } from "./tasks.ts";

type Deps = Pick<Infrastructure, "sql" | "log">;

/** Seconds. */
const interval = 5;
/** Tasks in one run. The others wait for the next. */
const batch = 100;
/** Tasks of different tables at a time. Each uses a connection. */
const together = 3;

export const tableTasksJob = (deps: Deps): Recurring => ({
  name: "table-tasks",
  everySeconds: interval,
  run: () => runTableTasks(deps),
});

/** Does what is due. A task that fails is logged, and tried again later. */
export async function runTableTasks(deps: Deps): Promise<void> {
  const tasks = await dueTasks(deps.sql, batch);
  const queue = tasks.values();
  await Promise.all(
    Array.from({ length: together }, async () => {
      for (const task of queue) await runTask(deps, task);
    }),
  );
}

async function runTask({ sql, log }: Deps, task: Task): Promise<void> {
  const lane: Lane = { kind: "job", tenant: task.tenantId };
  try {
    const done = await inLane(lane, () => underLock(sql, task));
    if (done) await deleteTask(sql, task.id);
    else await postponeTask(sql, task.id);
  } catch (err) {
    log.warn({ task, err }, "A task of a table failed; it is tried again");
    await postponeTask(sql, task.id);
  }
}

/** False if the task has to wait, for example because another process is doing it. */
async function underLock(sql: Infrastructure["sql"], task: Task): Promise<boolean> {
  const connection = await sql.reserve();
  try {
    const [row] = await connection<{ got: boolean }[]>`
      select pg_try_advisory_lock(hashtextextended('waybill.table_tasks', ${task.id})) as got`;
    if (!row?.got) return false;
    return await doTask(connection, task);
  } finally {
    await reset(connection);
    connection.release();
  }
}

/** The connection goes back to the pool, so nothing of the task may stay. */
async function reset(connection: postgres.ReservedSql): Promise<void> {
  const statements = "reset statement_timeout; reset lock_timeout; select pg_advisory_unlock_all()";
  await connection
    .unsafe(statements)
    .simple()
    .catch(() => {});
}

function doTask(connection: postgres.ReservedSql, task: Task): Promise<boolean> {
  const tenant = { id: task.tenantId, schema: schemaOf(task.tenantId) };
  return task.kind === "finish"
    ? finishTable(connection, { ...tenant, tableId: task.tableId, actor: task.actor })
    : purgeDropped(connection, { ...tenant, droppedId: task.droppedId ?? "0" });
}
