/**
 * An upgrade without a pause: the version before runs, and starts, on the database that this version has migrated, and
 * both work beside each other. The version before comes from the repository's history.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  AttachmentsApi,
  Configuration,
  FormSessionsApi,
  ProcessesApi,
  PublicAttachmentsApi,
  type TableRecord,
  TablesApi,
  TasklistApi,
} from "../../sdk/src/generated/index.ts";
import { createAccessTokens } from "../../src/infrastructure/identity/accessTokens.ts";
import { type Partner, startPartner } from "../infrastructure/outbound/partner.ts";
import { fixture } from "../support/attachments.ts";
import { apiCall, end, flow, model, start, userTask } from "../support/bpmn.ts";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { allowLoopback } from "../support/processes.ts";
import { secretsFrom, startServer, type TestServer } from "../support/server.ts";
import { refusal } from "../support/tables.ts";
import { repository, startWaybill, type WaybillProcess } from "../support/waybillProcess.ts";

setDefaultTimeout(300_000);
/** The last commit of the version before: 0.2.0. To be moved on with each release. */
const before = "d4e831a";
const secret = "a secret that all of these processes share";
const secrets = secretsFrom(secret);
const xActiveTenant = "tenant-1";
let folder: string;
let database: TestDatabase;
let partner: Partner;
let server: TestServer;
let running: { readonly old: WaybillProcess; readonly url: string };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "waybill-upgrade-"));
  await mkdir(join(folder, "code"));
  await Bun.$`git -C ${repository} archive ${before} | tar -x -C ${join(folder, "code")}`.quiet();
  await Bun.$`bun install --frozen-lockfile --silent`.cwd(join(folder, "code")).quiet();
  database = await createDatabase();
  partner = await startPartner((_request, response) => response.end("{}"));
  running = await startBefore();
  await useBefore();
  // Migrates the database under the running version before.
  server = await startServer({ database, environment: environment() });
});
afterAll(async () => {
  running?.old.kill("SIGTERM");
  await running?.old.exited;
  await server?.stop();
  await partner?.stop();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

const environment = () => ({ DATA_DIR: join(folder, "data"), ...secrets, ...allowLoopback });

async function startBefore() {
  const command = [join(folder, "code", "src/main.ts")];
  const given = { ...environment(), DATABASE_URL: database.url, PUBLIC_BASE_URL: "http://127.0.0.1:1" };
  const old = startWaybill({ cwd: folder, environment: given, command });
  return { old, url: await old.listening };
}

/** Creates a table that stays, and one that is dropped, with their rows. */
async function useBefore(): Promise<void> {
  const keys = { kind: "secret", secret } as const;
  const now = () => new Date();
  const claims = { sub: "early", tenants: [{ id: 1, slug: xActiveTenant, roles: ["admin_sop"] }] };
  const accessToken = await createAccessTokens({ keys, fetch, now }).sign(claims, { ttlSeconds: 600 });
  const api = new TablesApi(new Configuration({ basePath: running.url, accessToken }));
  for (const name of ["early", "gone"]) {
    await api.createTable({ tenantId: 1, newTable: { name, columns: [{ name: "n", type: "integer" }] } });
    await api.insertRows({ tenantId: 1, table: name, newRows: { rows: [{ n: 1 }] } });
  }
  await api.dropTable({ tenantId: 1, table: "gone", confirm: true });
}

let made = 0;

/** What every version has to do: rows, uploads of users and visitors, processes with their service tasks. */
async function use(url: string): Promise<void> {
  const number = ++made;
  const signedIn = new Configuration({
    basePath: url,
    accessToken: await server.token({ user: `u${number}` }),
  });
  await useTables(signedIn, `upgraded_${number}`);
  await useProcesses(signedIn, `upgraded_${number}`);
}

async function useTables(signedIn: Configuration, table: string): Promise<void> {
  const api = new TablesApi(signedIn);
  const target = { tenantId: 1, table };
  await api.createTable({
    tenantId: 1,
    newTable: { name: table, columns: [{ name: "n", type: "integer" }] },
  });
  await api.insertRows({ ...target, newRows: { rows: [{ n: 1 }, { n: 2 }] } });
  await api.updateRows({ ...target, rowUpdate: { where: { n: 1 }, set: { n: 3 } } });
  await api.deleteRows({ ...target, rowDeletion: { where: { n: 2 } } });
  const { data } = await api.listRows(target);
  expect(data.rows.map(({ n }) => n)).toEqual([3]);
  expect(await auditedOf(table)).toEqual(["create_table", "insert", "update", "delete"]);
}

/** What the tenant's trail says of a table, oldest first. */
async function auditedOf(table: string): Promise<string[]> {
  const rows = await server.sql`select action from tenant_1._audit where table_name = ${table} order by id`;
  return rows.map(({ action }) => action);
}

async function useProcesses(signedIn: Configuration, key: string): Promise<void> {
  const processes = new ProcessesApi(signedIn);
  const call = apiCall("call", {
    method: "POST",
    url: `http://127.0.0.1:${partner.port}/${key}`,
    body: '{"file":"${card}"}',
  });
  const parts = [start("start", 'camunda:formRef="loan"'), call, userTask("check"), end()];
  const bpmn = model(key, [...parts, flow("start", "call", "check", "end")].join("\n"));
  const form = { id: "loan", components: [{ type: "filepicker", key: "card" }] };
  await processes.deployProcess({
    xActiveTenant,
    bpmn: new File([bpmn], "model.bpmn", { type: "application/xml" }),
    form: [new File([JSON.stringify(form)], "loan.form", { type: "application/json" })],
  });
  const byUser = await startWithUpload(signedIn, key);
  const byVisitor = await startAsVisitor(signedIn, key);
  const tasklist = new TasklistApi(signedIn);
  for (const processInstanceId of [byUser, byVisitor]) {
    const taskId = await taskOf(tasklist, processInstanceId);
    await tasklist.completeTask({ xActiveTenant, taskId, taskCompletion: { variables: {} } });
    expect((await processes.getProcessInstance({ xActiveTenant, processInstanceId })).state).toBe(
      "completed",
    );
  }
}

async function startWithUpload(signedIn: Configuration, key: string): Promise<string> {
  const file = await fixture("pillow.png");
  const upload = { xActiveTenant, file, processKey: key, fieldName: "card" };
  const card = await new AttachmentsApi(signedIn).uploadAttachment(upload);
  const started = await new ProcessesApi(signedIn).startProcessInstance({
    xActiveTenant,
    newProcessInstance: { process_key: key, variables: { card: { value: JSON.stringify(card) } } },
  });
  return started.process_instance_id;
}

async function startAsVisitor(signedIn: Configuration, key: string): Promise<string> {
  const forms = new FormSessionsApi(signedIn);
  const { embed_id } = await forms.createEmbed({ xActiveTenant, newEmbed: { process_key: key } });
  const { basePath } = signedIn;
  const { form_token } = await new FormSessionsApi(new Configuration({ basePath })).createFormSession({
    newFormSession: { embed_id },
  });
  const visitor = new Configuration({ basePath, apiKey: form_token });
  const file = await fixture("pillow.png");
  const card = await new PublicAttachmentsApi(visitor).uploadPublicAttachment({ file, fieldName: "card" });
  const started = await new FormSessionsApi(visitor).startPublicProcess({
    visitorStart: { variables: { card: { value: JSON.stringify(card) } } },
  });
  return started.process_instance_id;
}

/** The user task behind the call, once the call has been made, by whichever process took it. */
async function taskOf(tasklist: TasklistApi, processInstanceId: string): Promise<string> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await Bun.sleep(50)) {
    const [task] = await tasklist.listTasks({ xActiveTenant, processInstanceId });
    if (task) return task.task_id;
  }
  throw new Error("the service task was not carried out");
}

test("the version before goes on running while the database is migrated under it", () => use(running.url));

test("the version before starts on the migrated database", async () => {
  running.old.kill("SIGTERM");
  expect(await running.old.exited).toBe(0);
  running = await startBefore();
  await use(running.url);
});

test("both versions work beside each other", async () => {
  await Promise.all([use(running.url), use(server.url), use(running.url), use(server.url)]);
});

test("what was created and recorded before the migration is there after it", async () => {
  const { data } = await (await server.tables()).listRows({ tenantId: 1, table: "early" });
  expect(data.rows.map(({ n }) => n)).toEqual([1]);
  expect(await auditedOf("early")).toEqual(["create_table", "insert"]);
  expect(await auditedOf("gone")).toEqual(["create_table", "insert", "drop_table"]);
});

test("each version sees the tables that the other creates, and notices drops and alterations", async () => {
  const accessToken = await server.token();
  const [after, before] = [server.url, running.url].map(
    (basePath) => new TablesApi(new Configuration({ basePath, accessToken })),
  ) as [TablesApi, TablesApi];
  for (const [one, other, table] of [
    [after, before, "made_after"],
    [before, after, "made_before"],
  ] as const) {
    const target = { tenantId: 1, table };
    const columns = [{ name: "n", type: "integer" }] as const;
    await one.createTable({ tenantId: 1, newTable: { name: table, columns: [...columns] } });
    for (const api of [one, other, one, other, one, other])
      await api.insertRows({ ...target, newRows: { rows: [{ n: 1 }] } });
    expect((await one.listRows(target)).data.total).toBe(6);
    const { data } = await other.getTable(target);
    expect(known(data)).toEqual(known((await one.getTable(target)).data));
    await renameColumn(after, table);
    for (const api of [one, other]) await api.insertRows({ ...target, newRows: { rows: [{ m: 1 }] } });
    await other.dropTable({ ...target, confirm: true });
    for (const api of [one, other]) expect((await refusal(api.listRows(target))).status).toBe(404);
    expect(await auditedOf(table)).toHaveLength(11);
  }
});

test("the version before notices a table that was altered, dropped and restored", async () => {
  const accessToken = await server.token();
  const [after, before] = [server.url, running.url].map(
    (basePath) => new TablesApi(new Configuration({ basePath, accessToken })),
  ) as [TablesApi, TablesApi];
  const target = { tenantId: 1, table: "back" };
  const newTable = { name: "back", columns: [{ name: "n", type: "integer" as const }] };
  const { data } = await after.createTable({ tenantId: 1, newTable });
  await before.insertRows({ ...target, newRows: { rows: [{ n: 1 }] } });
  await renameColumn(after, "back");
  await after.dropTable({ ...target, confirm: true });
  expect((await refusal(before.listRows(target))).status).toBe(404);
  await after.restoreTable({ tenantId: 1, table: data.id, tableRestoration: {} });
  for (const api of [before, after]) await api.insertRows({ ...target, newRows: { rows: [{ m: 2 }] } });
  expect((await before.listRows(target)).data.rows.map(({ m }) => m)).toEqual([1, 2, 2]);
});

/** What both versions know of a table. */
const known = ({ version: _, indexes: __, ...record }: TableRecord) => record;

const renameColumn = (api: TablesApi, table: string) =>
  api.alterTable({
    tenantId: 1,
    table,
    tableAlteration: { rename_columns: [{ from: "n", to: "m" }] },
  });

test("the version before ignores owners: its tasks are every member's, and it completes those of others", async () => {
  const accessToken = await server.token({ user: "bob" });
  const [at, before] = [server.url, running.url].map(
    (basePath) => new Configuration({ basePath, accessToken }),
  );
  const key = "owned";
  const task = userTask("check", 'camunda:candidateGroups="clerks"');
  const bpmn = model(key, [start(), task, end(), flow("start", "check", "end")].join(""));
  await new ProcessesApi(at).deployProcess({
    xActiveTenant,
    bpmn: new File([bpmn], "model.bpmn", { type: "application/xml" }),
  });
  const member = await server.token({ user: "carol", roles: ["member"] });
  const completedBy = async (url: string, started: Configuration | undefined) => {
    const newProcessInstance = { process_key: key };
    const { process_instance_id: processInstanceId } = await new ProcessesApi(started).startProcessInstance({
      xActiveTenant,
      newProcessInstance,
    });
    const taskId = await taskOf(new TasklistApi(at), processInstanceId);
    const headers = { "x-active-tenant": xActiveTenant, authorization: `Bearer ${member}` };
    const body = new Blob(["{}"], { type: "application/json" });
    return fetch(`${url}/api/v1/tasklist/tasks/${taskId}/complete`, { method: "POST", headers, body });
  };
  expect((await completedBy(server.url, at)).status).toBe(403);
  expect((await completedBy(running.url, at)).status).toBe(204);
  expect((await completedBy(server.url, before)).status).toBe(204);
});
