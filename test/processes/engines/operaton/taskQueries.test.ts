/** The rows of external tasks: who may send, whose answer counts, and what a task that comes again has to do. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { connect } from "../../../../src/infrastructure/database/connect.ts";
import type { OperatonContext } from "../../../../src/processes/engines/operaton/operatonContext.ts";
import { createTaskBatches } from "../../../../src/processes/engines/operaton/serviceTasks/taskBatches.ts";
import {
  claimTasks,
  closeTasks,
  findAttempt,
  markReported,
  markTasksSent,
  storeAnswers,
  storeIncident,
  type TaskRow,
  unmarkTask,
} from "../../../../src/processes/engines/operaton/serviceTasks/taskQueries.ts";
import { startServer, type TestServer } from "../../../support/server.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ workers: false });
  await server.sql`insert into waybill.tenants (id, slug) values (1, 'tenant-1')`;
});
afterAll(() => server.stop());

let made = 0;
const freshTask = () => `task-${++made}`;

const newClaim = (id: string, worker = "first", tenantId = 1) => ({
  id,
  tenantId,
  worker,
  processInstanceId: "instance",
  processKey: "process",
  definitionId: "process:1:1",
  activityId: "call",
  redirects: false,
});

/** Claims the task in one statement with another one, as with all that follows. */
async function claimed(id: string, worker = "first", tenantId = 1): Promise<TaskRow> {
  const tasks = [newClaim(freshTask(), "other"), newClaim(id, worker, tenantId)];
  const [other, row] = await claimTasks(server.sql, tasks);
  expect([other?.worker, other?.attempt]).toEqual(["other", 1]);
  if (!row) throw new Error("the task was not claimed");
  return row;
}

async function markTaskSent(row: TaskRow): Promise<boolean | undefined> {
  const other = await claimed(freshTask());
  const [ofOther, ofRow] = await markTasksSent(server.sql, [other, row]);
  expect(ofOther).toBe(true);
  return ofRow;
}

async function storeAnswer(row: TaskRow, outcome: string): Promise<string | undefined> {
  const other = { ...(await claimed(freshTask(), "another")), outcome: answerOfOther };
  const [ofRow, ofOther] = await storeAnswers(server.sql, [{ ...row, outcome }, other]);
  expect(ofOther).toBe("another");
  expect((await findAttempt(server.sql, other))?.row.outcome).toBe(answerOfOther);
  return ofRow;
}

async function closeTask(row: TaskRow): Promise<void> {
  const other = await claimed(freshTask());
  await closeTasks(server.sql, [row, { ...other, attempt: other.attempt + 1 }]);
  expect((await findAttempt(server.sql, other))?.row.state).toBe("running");
}

/** What the notation of arrays has to quote. */
const answerOfOther = String.raw`{"error":null,"variables":{"a":{"type":"String","value":"{\"\\,NULL'\u0000"}}}`;
const answer = '{"error":null,"variables":{}}';
const rejected = { type: "rejected", message: "The integration said no.", requestSent: "yes" } as const;
const interrupted = { type: "interrupted", message: "The server ended.", requestSent: "unknown" } as const;

test("a task that came again before anything was sent has a new attempt, and only the latest claim may send", async () => {
  const id = freshTask();
  const first = await claimed(id);
  const second = await claimed(id, "second");
  expect([first, second].map(({ state, attempt, begun }) => [state, attempt, begun])).toEqual([
    ["running", 1, 1],
    ["running", 2, 2],
  ]);
  expect(await markTaskSent(first)).toBe(false);
  expect(await markTaskSent(second)).toBe(true);
  expect(await markTaskSent(second)).toBe(false);
});

test("two processes that claim at the same moment get two attempts, and one of them may send", async () => {
  const id = freshTask();
  const rows = await Promise.all(["a", "b", "c", "d"].map((worker) => claimed(id, worker)));
  expect(rows.map(({ attempt }) => attempt).toSorted()).toEqual([1, 2, 3, 4]);
  const marks = await Promise.all(rows.map((row) => markTaskSent(row)));
  expect(marks.filter(Boolean)).toHaveLength(1);
});

test("a task that was sent is not begun again, and the answer to its attempt still counts", async () => {
  const id = freshTask();
  const first = await claimed(id);
  await markTaskSent(first);
  const again = await claimed(id, "second");
  expect([again.state, again.attempt]).toEqual(["sent", 1]);
  expect(await storeIncident(server.sql, again, interrupted)).toEqual({ worker: "second", reported: false });
  // The engine has the task under the later worker's id.
  expect(await storeAnswer(first, answer)).toBe("second");
  const third = await claimed(id, "third");
  expect([third.state, third.attempt, JSON.parse(third.outcome ?? "")]).toEqual([
    "answered",
    1,
    JSON.parse(answer),
  ]);
});

test("an incident that the engine was not told stays one, and one that it was told is run again", async () => {
  const id = freshTask();
  const first = await claimed(id);
  await markTaskSent(first);
  await storeIncident(server.sql, first, rejected);
  const untold = await claimed(id);
  expect([untold.state, untold.attempt, untold.incidentMessage]).toEqual(["incident", 1, rejected.message]);
  await markReported(server.sql, untold);
  const rerun = await claimed(id);
  expect([rerun.state, rerun.attempt, rerun.begun]).toEqual(["running", 2, 1]);
  expect(await storeAnswer(first, answer)).toBeUndefined();
  expect(await findAttempt(server.sql, first)).toBeUndefined();
  expect((await findAttempt(server.sql, rerun))?.slug).toBe("tenant-1");
});

test("an incident with an answer is completed by its rerun", async () => {
  const id = freshTask();
  const first = await claimed(id);
  await markTaskSent(first);
  await storeAnswer(first, answer);
  await storeIncident(server.sql, first, { ...rejected, type: "process_failed" });
  await markReported(server.sql, first);
  const rerun = await claimed(id);
  expect([rerun.state, rerun.attempt]).toEqual(["answered", 1]);
  expect(await markTaskSent(rerun)).toBe(false);
});

test("nothing but an interruption replaces what came of a task", async () => {
  const id = freshTask();
  const row = await claimed(id);
  await markTaskSent(row);
  await storeAnswer(row, answer);
  expect(await storeIncident(server.sql, row, rejected)).toBeUndefined();
  expect(await storeIncident(server.sql, row, interrupted)).toBeUndefined();
  await closeTask(row);
  expect(await storeAnswer(row, answer)).toBeUndefined();
  expect(await storeIncident(server.sql, row, rejected)).toBeUndefined();
  const again = await claimed(id);
  expect([again.state, again.outcome]).toEqual(["done", null]);
  expect(await storeIncident(server.sql, again, interrupted)).toBeDefined();
});

test("an attempt that sent nothing is begun again, and its incident says so", async () => {
  const id = freshTask();
  const row = await claimed(id);
  await markTaskSent(row);
  await unmarkTask(server.sql, row, "Nothing was sent.");
  const second = await claimed(id);
  expect([second.state, second.attempt]).toEqual(["running", 2]);
  await markTaskSent(second);
  await storeIncident(server.sql, second, interrupted);
  await unmarkTask(server.sql, second, "Nothing was sent.");
  const [shown] = await server.sql`
    select state, request_sent as sent, incident_message as message
    from waybill.external_tasks
    where id = ${id}`;
  expect(shown).toMatchObject({ state: "incident", sent: "no", message: "Nothing was sent." });
});

test("a row that another session has locked holds up no other task for long", async () => {
  const settings = { lock_timeout: "300ms" };
  const sql = connect(server.database.url, { settings });
  const batches = createTaskBatches({ ...server.deps, sql } as unknown as OperatonContext);
  const [locked, other] = [await claimed(freshTask()), await claimed(freshTask())];
  await server.sql.begin(async (tx) => {
    await tx`select from waybill.external_tasks where id = ${locked.id} for update`;
    const marks = [locked, other].map((row) => batches.markSent(row));
    const [ofLocked, ofOther] = await Promise.allSettled(marks);
    expect(ofLocked).toMatchObject({ status: "rejected", reason: { code: "55P03" } });
    expect(ofOther).toEqual({ status: "fulfilled", value: true });
  });
  expect(await batches.markSent(locked)).toBe(true);
  await sql.end();
});

test("a task's id belongs to one tenant", async () => {
  const id = freshTask();
  await claimed(id);
  await expect(claimed(id, "first", 2)).rejects.toThrow("not claimed");
});
