/** The engine's port: what it answers to another tenant, and for ids that the engine cannot have. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { ProcessEngine } from "../../src/processes/engine.ts";
import type { Tenant } from "../../src/tenants/tenant.ts";
import { end, flow, start, userTask } from "../support/bpmn.ts";
import { startWorld, type World } from "./world.ts";

setDefaultTimeout(60_000);
let world: World;
let engine: ProcessEngine;
let processKey: string;
let processInstanceId: string;
let taskId: string;
let owner: Tenant;
let stranger: Tenant;
const page = { offset: 0, limit: 10 };

beforeAll(async () => {
  world = await startWorld();
  engine = world.server.deps.engine;
  owner = { id: 1, slug: world.admin.slug, schema: "tenant_1" };
  stranger = { id: 2, slug: world.stranger.slug, schema: "tenant_2" };
  processKey = await world.deploy([start(), userTask("review"), end(), flow("start", "review", "end")]);
  const file = { value: btoa("x"), type: "File", valueInfo: { filename: "a.txt" } };
  processInstanceId = await world.start(processKey, { file, text: "x" });
  taskId = (await world.task(processInstanceId)).task_id;
});
afterAll(() => world.stop());

/** A list's value, however the driver wrote it. */
const listOf = (list: object): unknown[] =>
  "jsonText" in list ? JSON.parse(String(list.jsonText)) : (list as unknown[]);

test("its tenant reads what it deployed and started", async () => {
  const definition = await engine.findDefinition(owner, processKey);
  expect(definition).toMatchObject({ process_key: processKey, version: 1, start_form: null });
  expect(await engine.readBpmn(owner, definition?.id ?? "")).toContain(`id="${processKey}"`);
  expect(listOf(await engine.listDefinitions(owner))).toMatchObject([{ process_key: processKey }]);
  expect(listOf((await engine.listVersions(owner, processKey, page)) ?? [])).toHaveLength(1);
  expect(await engine.findVersion(owner, processKey, 1)).toEqual(definition);
  expect(listOf(await engine.listInstances(owner, page))).toMatchObject([{ process_key: processKey }]);
  const instance = { processInstanceId, processKey, state: "active", businessKey: null };
  expect(await engine.findInstance(owner, processInstanceId)).toMatchObject(instance);
  const upper = processInstanceId.toUpperCase();
  const starters = await engine.findStarters(owner, [processInstanceId, upper, crypto.randomUUID()]);
  expect([...starters.keys()]).toEqual([processInstanceId, upper]);
  expect([...(await engine.readVariables(owner, processInstanceId)).keys()]).toEqual(["file", "text"]);
  const file = await engine.readFile(owner, { processInstanceId, name: "file" });
  expect(file).toMatchObject({ name: "a.txt", size: 1 });
  expect(await engine.findTask(owner, taskId)).toMatchObject({ task_id: taskId });
  expect(listOf(await engine.listTasks(owner, page))).toHaveLength(1);
  expect(await engine.listReportInstances(owner, { processKey, ...page })).toMatchObject({ total: 1 });
});

test("for another tenant none of it exists", async () => {
  const { id = "" } = (await engine.findDefinition(owner, processKey)) ?? {};
  expect(await engine.findDefinition(stranger, processKey)).toBeUndefined();
  await expect(engine.readBpmn(stranger, id)).rejects.toMatchObject({ code: "process_not_found" });
  expect(listOf(await engine.listDefinitions(stranger))).toEqual([]);
  expect(await engine.listVersions(stranger, processKey, page)).toBeUndefined();
  expect(await engine.findVersion(stranger, processKey, 1)).toBeUndefined();
  expect(listOf(await engine.listInstances(stranger, page))).toEqual([]);
  expect(await engine.findInstance(stranger, processInstanceId)).toBeUndefined();
  expect((await engine.findStarters(stranger, [processInstanceId])).size).toBe(0);
  expect((await engine.readVariables(stranger, processInstanceId)).size).toBe(0);
  expect(await engine.readFile(stranger, { processInstanceId, name: "file" })).toBeUndefined();
  const task = await engine.findTask(owner, taskId);
  expect(await engine.findTask(stranger, taskId)).toBeUndefined();
  if (task) expect(await engine.findTaskForm(stranger, task)).toBeNull();
  expect(listOf(await engine.listTasks(stranger, page))).toEqual([]);
  expect(listOf(await engine.listTasks(stranger, { processInstanceId, ...page }))).toEqual([]);
  const incidents = { processInstanceId, resolved: false, ...page };
  expect(listOf(await engine.listIncidents(stranger, incidents))).toEqual([]);
  expect(await engine.listReportInstances(stranger, { processKey, ...page })).toBeUndefined();
});

test.each(["", "x", "4711", "0c8f9f0e-6f0b-4b8a-9d3e"])("the id %p finds nothing", async (id) => {
  expect(await engine.findInstance(owner, id)).toBeUndefined();
  expect((await engine.findStarters(owner, [id])).size).toBe(0);
  expect((await engine.readVariables(owner, id)).size).toBe(0);
  expect(await engine.readFile(owner, { processInstanceId: id, name: "file" })).toBeUndefined();
  expect(await engine.findTask(owner, id)).toBeUndefined();
  expect(listOf(await engine.listTasks(owner, { processInstanceId: id, ...page }))).toEqual([]);
  const incidents = { processInstanceId: id, resolved: false, ...page };
  expect(listOf(await engine.listIncidents(owner, incidents))).toEqual([]);
  await expect(
    engine.rerun({ tenant: owner, incidentId: id, by: { actor: "a", requestId: "r" } }),
  ).rejects.toMatchObject({ code: "incident_not_found" });
});
