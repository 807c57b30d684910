/** Files of processes that other clients of the engine work on too, as users of Waybill and engines see them. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { AttachmentMetadata } from "../../../sdk/src/generated/index.ts";
import { upload } from "../../support/attachments.ts";
import { expectProblem } from "../../support/problem.ts";
import { until } from "../../support/until.ts";
import { askEngine } from "../engine.ts";
import { type Actor, startWorld, type World } from "../world.ts";
import { deployModel, failTask, fetchTask, startAtEngine, writeVariables } from "./otherClient.ts";

setDefaultTimeout(60_000);
let world: World;
beforeAll(async () => {
  world = await startWorld();
  await deployModel(world.admin.slug, models);
});
afterAll(() => world.stop());

const models = `
  <process id="waiting" isExecutable="true">
    <startEvent id="start"/><sequenceFlow id="f1" sourceRef="start" targetRef="task"/>
    <userTask id="task"/>
  </process>
  <process id="calling" isExecutable="true">
    <startEvent id="start2"/><sequenceFlow id="f2" sourceRef="start2" targetRef="call"/>
    <callActivity id="call" calledElement="waiting"/>
  </process>
  <process id="failing" isExecutable="true">
    <startEvent id="start3"/><sequenceFlow id="f3" sourceRef="start3" targetRef="send"/>
    <serviceTask id="send" camunda:type="external" camunda:topic="scoring"/>
  </process>
  <process id="custom" isExecutable="true">
    <startEvent id="start4"/><sequenceFlow id="f4" sourceRef="start4" targetRef="report"/>
    <serviceTask id="report" camunda:expression="\${execution.createIncident('bad address', null, 'No such street')}"/>
    <sequenceFlow id="f5" sourceRef="report" targetRef="task4"/><userTask id="task4"/>
  </process>`;

const file = (metadata: AttachmentMetadata) => ({
  card: { type: "String", value: JSON.stringify(metadata) },
});

async function childOf(root: string): Promise<string> {
  const path = `/process-instance?superProcessInstance=${root}&tenantIdIn=${world.admin.slug}`;
  return (await askEngine<{ id: string }[]>(path))[0]?.id ?? "";
}

/** An instance with a called one. */
async function family(by?: Actor): Promise<{ readonly root: string; readonly child: string }> {
  const root = await world.start("calling", {}, by);
  return { root, child: await childOf(root) };
}

const send = (path: string, body: unknown, by: Actor) =>
  world.request(`/api/v1/${path}`, {
    by,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

const finalize = (metadata: AttachmentMetadata, processInstanceId: string, by: Actor) =>
  send(
    "probis/form-attachments/finalize",
    { attachment_ids: [metadata.attachment_id], process_instance_id: processInstanceId },
    by,
  );

const download = ({ attachment_id }: AttachmentMetadata, by: Actor) =>
  world.request(`/api/v1/probis/form-attachments/${attachment_id}/download`, { by });

/** As the engine's service account. */
const issue = (processInstanceId: string, metadata: AttachmentMetadata, by: Actor = world.admin) =>
  send(
    "internal/form-attachments/download-urls",
    {
      tenant_id: by.tenant,
      process_instance_id: processInstanceId,
      attachment_ids: [metadata.attachment_id],
    },
    { ...by, roles: ["engine"] },
  );

test("a file that another client writes into a variable belongs to the instance soon", async () => {
  const card = await upload(world.server, { by: world.admin });
  const id = await startAtEngine(world.admin.slug, "waiting", file(card));
  await until(async () => (await issue(id, card)).status === 201, 45);
});

test("a URL is issued for files of the root and of what it calls, and not for those of others", async () => {
  const [one, other] = [await family(), await family()];
  const below = await upload(world.server, { by: world.admin });
  expect((await finalize(below, one.child, world.admin)).status).toBe(200);
  const above = await upload(world.server, { by: world.admin });
  expect((await finalize(above, one.root, world.admin)).status).toBe(200);
  for (const [asking, metadata] of [
    [one.root, below],
    [one.child, above],
    [one.child, below],
  ] as const)
    expect((await issue(asking, metadata)).status).toBe(201);
  for (const asking of [other.root, other.child, "nobody's"]) {
    const refusal = await expectProblem(await issue(asking, above), "not_committed");
    expect(refusal).toMatchObject({ not_committed: [above.attachment_id] });
  }
  await expectProblem(await issue(one.root, above, world.stranger), "not_committed");
});

test("participants of a root download the files below it, and those of a called instance its own", async () => {
  const [starter, reviewer, nobody] = [world.member(), world.member(), world.member()];
  const { root, child } = await family(starter);
  const above = await upload(world.server, { by: world.admin });
  await writeVariables(child, file(above));
  await until(async () => (await download(above, starter)).status === 200, 45);
  const below = await upload(world.server, { by: world.admin });
  expect((await finalize(below, child, world.admin)).status).toBe(200);
  const added = await send(`probis/discussions/${child}/participants`, { user: reviewer.user }, world.admin);
  expect(added.status).toBe(201);
  const statuses = async (by: Actor) => [
    (await download(above, by)).status,
    (await download(below, by)).status,
  ];
  expect(await statuses(starter)).toEqual([200, 200]);
  expect(await statuses(reviewer)).toEqual([404, 200]);
  expect(await statuses(nobody)).toEqual([404, 404]);
  const sees = async (by: Actor, id: string) =>
    (await world.request(`/api/v1/probis/process-instances/${id}`, { by })).status;
  expect([await sees(starter, child), await sees(reviewer, child)]).toEqual([200, 200]);
  expect([await sees(reviewer, root), await sees(nobody, child)]).toEqual([404, 404]);
});

test("own uploads are finalized for any instance, those of others for what one has started", async () => {
  const [starter, other] = [world.member(), world.member()];
  const { root, child } = await family(starter);
  const draft = () => upload(world.server, { by: other });
  expect((await finalize(await draft(), root, starter)).status).toBe(200);
  expect((await finalize(await draft(), child, starter)).status).toBe(200);
  expect((await finalize(await draft(), root, other)).status).toBe(200);
  const foreign = await upload(world.server, { by: starter });
  await expectProblem(await finalize(foreign, root, other), "not_committed");
  await expectProblem(await finalize(foreign, child, other), "not_committed");
});

test("incidents of other workers are listed and rerun by operation", async () => {
  const id = await startAtEngine(world.admin.slug, "failing", {});
  const task = await fetchTask(world.admin.slug, "scoring");
  if (task) await failTask(task, "The scoring service is closed");
  await world.reaches(id, "incident");
  const incident = await world.incident(id);
  expect(incident).toMatchObject({ type: "external_task_failed", request_sent: "no", activity_id: "send" });
  const path = `probis/incidents/${incident.incident_id}/rerun`;
  await expectProblem(await send(path, undefined, world.stranger), "incident_not_found");
  expect((await send(path, undefined, world.admin)).status).toBe(202);
  await expectProblem(await send(path, undefined, world.admin), "incident_resolved");
  expect((await fetchTask(world.admin.slug, "scoring"))?.id).toBe(task?.id ?? "");
  await world.reaches(id, "active");
});

test("an incident that an application has reported is listed, and a rerun of it answers 501", async () => {
  const id = await startAtEngine(world.admin.slug, "custom", {});
  const { incident_id } = await world.incident(id);
  const answer = await send(`probis/incidents/${incident_id}/rerun`, undefined, world.admin);
  const { message } = await expectProblem(answer, "not_supported_by_engine");
  expect(message).toContain('with the type "bad address"');
});
