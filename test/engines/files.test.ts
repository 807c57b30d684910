/** Files of instances: bound by a form or by an engine, read by those who see the instance, issued as signed URLs. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { upload } from "../support/attachments.ts";
import { end, flow, start, userTask } from "../support/bpmn.ts";
import { expectProblem } from "../support/problem.ts";
import { type Actor, startWorld, type World } from "./world.ts";

setDefaultTimeout(60_000);
let world: World;
let waiting: string;
let engine: Actor;
beforeAll(async () => {
  world = await startWorld();
  waiting = await world.deploy([start(), userTask("review"), end(), flow("start", "review", "end")]);
  engine = { ...world.admin, user: "engine-1", roles: ["engine"] };
});
afterAll(() => world.stop());

const post = (path: string, body: object, by = engine) =>
  world.request(path, { method: "POST", body: JSON.stringify(body), by });
const binding = (id: string, attachment: string, tenant_id = 1) => ({
  tenant_id,
  process_instance_id: id,
  attachment_ids: [attachment],
});
const bindings = "/api/v1/internal/form-attachments/bindings";
const urls = "/api/v1/internal/form-attachments/download-urls";
const download = (id: string, by: Actor) =>
  world.request(`/api/v1/probis/form-attachments/${id}/download`, { by });

test("an engine binds a file to an instance and gets URLs for it, which work once", async () => {
  const id = await world.start(waiting);
  const { attachment_id } = await upload(world.server, { by: world.member() });
  const bound = await post(bindings, binding(id, attachment_id));
  expect(await bound.json()).toMatchObject({ committed: [attachment_id], process_instance_id: id });
  const other = await world.start(waiting);
  await expectProblem(await post(bindings, binding(other, attachment_id)), "not_committed");
  const issued = await post(urls, binding(id, attachment_id));
  expect(issued.status).toBe(201);
  const { urls: [first] = [] } = (await issued.json()) as { urls: { url: string }[] };
  expect((await fetch(first?.url ?? "")).status).toBe(200);
  expect((await fetch(first?.url ?? "")).status).toBe(401);
});

test("no URL is issued for a file of another instance or another tenant", async () => {
  const [id, other] = [await world.start(waiting), await world.start(waiting)];
  const { attachment_id } = await upload(world.server, { by: world.admin });
  await post(bindings, binding(id, attachment_id));
  await expectProblem(await post(urls, binding(other, attachment_id)), "not_committed");
  const theirs = { ...world.stranger, roles: ["engine"] };
  await expectProblem(await post(urls, binding(id, attachment_id, 2), theirs), "not_committed");
  await expectProblem(await post(urls, binding(id, attachment_id), theirs), "unauthenticated");
});

test("a user finalizes a draft for an instance, before or after a variable names it", async () => {
  const id = await world.start(waiting);
  const by = world.member();
  const [early, late] = [await upload(world.server, { by }), await upload(world.server, { by })];
  const finalize = async (attachment_id: string) => {
    const api = await world.server.attachments(by);
    const finalization = { attachment_ids: [attachment_id], process_instance_id: id };
    return api.finalizeAttachments({ xActiveTenant: by.slug, finalization });
  };
  expect(await finalize(early.attachment_id)).toMatchObject({ committed: [early.attachment_id] });
  const { task_id } = await world.task(id);
  const variables = { early: JSON.stringify(early), late: JSON.stringify(late) };
  await world.complete(task_id, variables, by);
  expect(await finalize(late.attachment_id)).toMatchObject({ committed: [late.attachment_id] });
  await world.reaches(id, "completed");
});

test("its uploader, its instance's starter and participants download a file; for others it does not exist", async () => {
  const [jane, bob, eve] = [world.member(), world.member(), world.member()];
  const id = await world.start(waiting, {}, jane);
  const { attachment_id } = await upload(world.server, { by: bob });
  await post(bindings, binding(id, attachment_id));
  for (const by of [jane, bob]) expect((await download(attachment_id, by)).status).toBe(200);
  for (const by of [eve, world.admin, world.stranger])
    await expectProblem(await download(attachment_id, by), "attachment_not_found");
  const discussions = await world.server.discussions(jane);
  const target = { xActiveTenant: jane.slug, processInstanceId: id };
  await discussions.addParticipant({ ...target, newParticipant: { user: eve.user ?? "" } });
  expect((await download(attachment_id, eve)).status).toBe(200);
});

test("a discussion takes messages of its participants, and is hidden from others", async () => {
  const [jane, eve] = [world.member(), world.member()];
  const id = await world.start(waiting, {}, jane);
  const target = { xActiveTenant: jane.slug, processInstanceId: id };
  const api = await world.server.discussions(jane);
  await api.postMessage({ ...target, text: "Is the card readable?" });
  const { messages } = await api.listMessages(target);
  expect(messages).toMatchObject([{ text: "Is the card readable?" }]);
  const path = `/api/v1/probis/discussions/${id}/messages`;
  for (const by of [eve, world.stranger]) {
    const answer = await world.request(path, { by });
    // An administrator manages the discussions of the own tenant: there, this one is empty.
    if (by === eve) await expectProblem(answer, "discussion_not_found");
    else expect(await answer.json()).toMatchObject({ messages: [] });
  }
});
