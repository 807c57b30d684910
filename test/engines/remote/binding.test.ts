/** Files that other clients of the engine write into variables: they are bound, and the sweep waits for that. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { AttachmentMetadata } from "../../../sdk/src/generated/index.ts";
import { sweepOnce } from "../../../src/files/maintenance/sweep.ts";
import { idsShape } from "../../../src/processes/engines/operaton/answerShape.ts";
import {
  bindNamedFiles,
  type NamedValue,
} from "../../../src/processes/engines/operaton/binding/bindFiles.ts";
import {
  type FollowTimes,
  followVariables,
} from "../../../src/processes/engines/operaton/binding/followVariables.ts";
import { findRoots } from "../../../src/processes/engines/operaton/binding/roots.ts";
import { createEngineRest } from "../../../src/processes/engines/operaton/rest.ts";
import { EngineUnreachable } from "../../../src/processes/engines/operaton/restErrors.ts";
import { upload } from "../../support/attachments.ts";
import type { TestServer } from "../../support/server.ts";
import { freshSlug, startOnEngine } from "../engine.ts";
import { deployModel, startAtEngine, writeTaskVariables, writeVariables } from "./otherClient.ts";

setDefaultTimeout(60_000);
let server: TestServer;
const slug = freshSlug();
const admin = { user: "alice", tenant: 1, slug, roles: ["admin_sop"] };
const stranger = { user: "bob", tenant: 2, slug: freshSlug(), roles: ["admin_sop"] };
beforeAll(async () => {
  server = await startOnEngine({ workers: false });
  await deployModel(slug, models);
});
afterAll(() => server.stop());

/** Lets the engine's transaction take so many seconds. */
const sleep = (seconds: number) => {
  const unit = "''.getClass().forName('java.util.concurrent.TimeUnit').getField('SECONDS').get(null)";
  return `\${${unit}.sleep(${seconds})}`;
};

const models = `
  <process id="waiting" isExecutable="true">
    <startEvent id="start"/><sequenceFlow id="f1" sourceRef="start" targetRef="task"/>
    <userTask id="task"/>
  </process>
  <process id="calling" isExecutable="true">
    <startEvent id="start2"/><sequenceFlow id="f2" sourceRef="start2" targetRef="call"/>
    <callActivity id="call" calledElement="waiting"/>
  </process>
  <process id="slow" isExecutable="true">
    <startEvent id="start3"/><sequenceFlow id="f3" sourceRef="start3" targetRef="sleep"/>
    <serviceTask id="sleep" camunda:expression="${sleep(3)}"/>
    <sequenceFlow id="f4" sourceRef="sleep" targetRef="wait"/><userTask id="wait"/>
  </process>`;

/** Every reading is a complete one, and no transaction counts as slow. */
const atOnce: FollowTimes = { overlapMs: 0, latenessMs: 0, completeEveryMs: 0 };

const context = (url = server.deps.config.engine?.url ?? "") => ({
  ...server.deps,
  rest: createEngineRest({ url, authorization: undefined, timeoutMs: 10_000 }),
});
const follow = (times?: FollowTimes) => followVariables(context(), times ? { times } : {});
const text = (metadata: AttachmentMetadata) => JSON.stringify(metadata);
const file = (metadata: AttachmentMetadata) => ({ card: { type: "String", value: text(metadata) } });
const draft = () => upload(server, { by: admin });

async function boundTo({ attachment_id }: AttachmentMetadata): Promise<string | null | undefined> {
  const [row] = await server.sql<{ state: string; to: string | null }[]>`
    select state, process_instance_id as to
    from waybill.attachments
    where id = ${attachment_id}`;
  return row?.state === "committed" ? row.to : undefined;
}

const makeOlder = ({ attachment_id }: AttachmentMetadata, by: string) => server.sql`
  update waybill.attachments
     set state_since = now() - ${by}::text::interval
   where id = ${attachment_id}`;

const exists = async ({ attachment_id }: AttachmentMetadata) =>
  (await server.sql`select from waybill.attachments where id = ${attachment_id}`).length === 1;

/** All readings so far are forgotten, and all files are done with. */
async function startAfresh(): Promise<void> {
  await server.sql`delete from waybill.attachments`;
  await server.sql`delete from waybill.variable_readings`;
}

async function childOf(root: string): Promise<string> {
  const query = { superProcessInstance: root, tenantIdIn: slug };
  const [child] = await context().rest.call({ path: "/process-instance", query }, idsShape);
  return child?.id ?? "";
}

test("a file in a variable of another client's start is bound to the instance", async () => {
  const card = await draft();
  const id = await startAtEngine(slug, "waiting", file(card));
  expect(await boundTo(card)).toBeUndefined();
  await follow();
  expect(await boundTo(card)).toBe(id);
});

test("files in a Json, in an object and in a task's own variable are bound", async () => {
  const id = await startAtEngine(slug, "waiting", {});
  const [json, object, local] = [await draft(), await draft(), await draft()];
  const valueInfo = {
    objectTypeName: "java.util.LinkedHashMap",
    serializationDataFormat: "application/json",
  };
  await writeVariables(id, {
    json: { type: "Json", value: text(json) },
    object: { type: "Object", value: text(object), valueInfo },
  });
  const query = { processInstanceId: id, tenantIdIn: slug };
  const [task] = await context().rest.call({ path: "/task", query }, idsShape);
  const { attachment_id, ...rest } = local;
  const value = JSON.stringify({ ...rest, id: attachment_id });
  await writeTaskVariables(task?.id ?? "", { local: { type: "String", value } });
  await follow();
  expect([await boundTo(json), await boundTo(object), await boundTo(local)]).toEqual([id, id, id]);
});

test("a file that a called process writes is bound to the root", async () => {
  const root = await startAtEngine(slug, "calling", {});
  const card = await draft();
  await writeVariables(await childOf(root), file(card));
  await follow();
  expect(await boundTo(card)).toBe(root);
});

test("the root of an instance is known to its tenant alone", async () => {
  const root = await startAtEngine(slug, "calling", {});
  const child = await childOf(root);
  const ids = [child, root, "nobody's", "../../task"];
  const own = await findRoots(context(), { id: 1, slug, schema: "tenant_1" }, ids);
  expect([...own.values()]).toEqual([root, root, "nobody's", "../../task"]);
  const others = await findRoots(context(), { id: 2, slug: stranger.slug, schema: "tenant_2" }, ids);
  expect([...others.values()]).toEqual(ids);
});

test("a file finalized without an instance is bound to the first instance that names it", async () => {
  const card = await draft();
  const attachments = await server.attachments(admin);
  await attachments.finalizeAttachments({
    xActiveTenant: slug,
    finalization: { attachment_ids: [card.attachment_id] },
  });
  const first = await startAtEngine(slug, "waiting", file(card));
  await startAtEngine(slug, "waiting", file(card));
  await follow();
  expect(await boundTo(card)).toBe(first);
});

test("another tenant's file, and a file that does not exist, are left alone", async () => {
  const foreign = await upload(server, { by: stranger });
  const own = await draft();
  const id = await startAtEngine(slug, "waiting", {
    foreign: { type: "String", value: text(foreign) },
    missing: { type: "String", value: text({ ...own, attachment_id: crypto.randomUUID() }) },
    broken: { type: "String", value: '{"file_name":' },
    own: { type: "String", value: text(own) },
  });
  await follow();
  expect(await boundTo(foreign)).toBeUndefined();
  expect(await boundTo(own)).toBe(id);
});

test("files are bound to the first instance that names them, whatever becomes of the others", async () => {
  const [first, second, removed] = await Promise.all([draft(), draft(), draft()]);
  await server.sql`update waybill.attachments set state = 'deleting' where id = ${removed.attachment_id}`;
  const named = (rootInstanceId: string, ...files: AttachmentMetadata[]) =>
    files.map((each) => ({ rootInstanceId, value: text(each) }));
  const bind = (...values: NamedValue[]) => bindNamedFiles(context(), 1, values);
  const amount = { rootInstanceId: "root-1", value: 4 };
  expect(await bind(...named("root-1", first), amount)).toEqual([first.attachment_id]);
  expect(await bind(...named("root-2", removed, first, second), ...named("root-3", second))).toEqual([
    second.attachment_id,
  ]);
  expect(await bindNamedFiles(context(), 2, named("root-4", await draft()))).toEqual([]);
  expect([await boundTo(first), await boundTo(second), await boundTo(removed)]).toEqual([
    "root-1",
    "root-2",
    undefined,
  ]);
});

test("more variables than a page has are all read", async () => {
  const card = await draft();
  const many = Array.from({ length: 700 }, (_, at) => [`v${at}`, { type: "String", value: String(at) }]);
  const id = await startAtEngine(slug, "waiting", { ...Object.fromEntries(many), ...file(card) });
  await follow(atOnce);
  expect(await boundTo(card)).toBe(id);
});

test("an old draft that a variable names is bound, and one that nothing names is swept", async () => {
  await startAfresh();
  const [held, unused] = [await draft(), await draft()];
  const id = await startAtEngine(slug, "waiting", file(held));
  await makeOlder(held, "25 hours");
  await makeOlder(unused, "25 hours");
  await sweepOnce(server.deps);
  expect([await exists(held), await exists(unused)]).toEqual([true, true]);
  await follow(atOnce);
  await sweepOnce(server.deps);
  expect([await boundTo(held), await exists(unused)]).toEqual([id, false]);
});

test("while the engine is away, no draft is swept that it might hold", async () => {
  await startAfresh();
  const card = await draft();
  const id = await startAtEngine(slug, "waiting", file(card));
  await makeOlder(card, "25 hours");
  const away = context("http://127.0.0.1:9/engine-rest");
  await expect(followVariables(away, { times: atOnce })).rejects.toBeInstanceOf(EngineUnreachable);
  await sweepOnce(server.deps);
  expect(await exists(card)).toBe(true);
  await follow(atOnce);
  await sweepOnce(server.deps);
  expect(await boundTo(card)).toBe(id);
});

test("after three days without the engine, one run reads up to the present", async () => {
  await startAfresh();
  const card = await draft();
  const id = await startAtEngine(slug, "waiting", file(card));
  await server.sql`
    update waybill.attachments
       set uploaded_at = uploaded_at - interval '3 days'`;
  await server.sql`
    insert into waybill.variable_readings (tenant_id, seen_until, complete_until)
    values (1, now() - interval '3 days', now() - interval '3 days')`;
  await follow();
  expect(await boundTo(card)).toBe(id);
});

test("a variable that a slow transaction wrote is found before the sweep", async () => {
  await startAfresh();
  const times = { overlapMs: 500, latenessMs: 10_000, completeEveryMs: 0 };
  const card = await draft();
  const starting = startAtEngine(slug, "slow", file(card));
  await Bun.sleep(1_500);
  // This reading passes the time of the variable, which is not visible yet.
  await follow(times);
  expect(await boundTo(card)).toBeUndefined();
  await makeOlder(card, "24 hours 1 second");
  await sweepOnce(server.deps);
  expect(await exists(card)).toBe(true);
  const id = await starting;
  await follow(times);
  expect(await boundTo(card)).toBe(id);
});

test("a draft is swept when the readings have come to the moment at which it became old", async () => {
  await startAfresh();
  const unused = await draft();
  await makeOlder(unused, "24 hours 1 minute");
  await follow({ ...atOnce, latenessMs: 120_000 });
  await sweepOnce(server.deps);
  expect(await exists(unused)).toBe(true);
  await follow({ ...atOnce, latenessMs: 30_000 });
  await sweepOnce(server.deps);
  expect(await exists(unused)).toBe(false);
});
