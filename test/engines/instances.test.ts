/** Starting, reading and terminating instances: with all of their files, or not at all. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { fixture, upload } from "../support/attachments.ts";
import { conditionalFlow, end, flow, start, userTask } from "../support/bpmn.ts";
import { expectProblem } from "../support/problem.ts";
import { startInstance } from "../support/processes.ts";
import { startWorld, type World } from "./world.ts";

setDefaultTimeout(60_000);
let world: World;
/** A process that waits in a task. */
let waiting: string;
beforeAll(async () => {
  world = await startWorld();
  waiting = await world.deploy([start(), userTask("review"), end(), flow("start", "review", "end")]);
});
afterAll(() => world.stop());

const path = "/api/v1/probis/process-instances";
const send = (body: unknown, by = world.admin) =>
  world.request(path, { method: "POST", body: JSON.stringify(body), by });
const terminate = (id: string, by = world.admin) => world.request(`${path}/${id}`, { method: "DELETE", by });

const attachment = async (id: string) => {
  const [row] = await world.server.sql`
    select state, process_instance_id from waybill.attachments where id = ${id}`;
  return row as { state: string; process_instance_id: string | null };
};

/** How many instances of a process its reports show. */
async function count(processDefinitionKey: string): Promise<number> {
  const reports = await world.server.reports(world.admin);
  return (await reports.listReportInstances({ tenantId: 1, processDefinitionKey })).data.total;
}

test("an instance starts and waits at its task, and its starter takes part in its discussion", async () => {
  const jane = world.member();
  const instance = await startInstance(world.server, waiting, { by: jane, variables: { amount: 25_000 } });
  expect(instance).toEqual({
    process_instance_id: expect.any(String),
    process_key: waiting,
    state: "active",
  });
  const id = instance.process_instance_id;
  expect(await world.tasks(id)).toMatchObject([{ activity_id: "review", process_key: waiting }]);
  const api = await world.server.discussions(world.admin);
  const { participants } = await api.listParticipants({
    xActiveTenant: world.admin.slug,
    processInstanceId: id,
  });
  expect(participants.map(({ user }) => user)).toEqual([jane.user ?? ""]);
  expect(await world.instance(id, jane)).toMatchObject({ process_key: waiting, state: "active" });
});

test("an instance in which nothing waits is completed in the answer", async () => {
  const key = await world.deploy([start(), end(), flow("start", "end")]);
  expect((await startInstance(world.server, key, { by: world.admin })).state).toBe("completed");
});

test("its starter, participants, administrators and engines see it; for others it does not exist", async () => {
  const [jane, bob, eve] = [world.member(), world.member(), world.member()];
  const id = await world.start(waiting, {}, jane);
  const discussions = await world.server.discussions(world.admin);
  const target = { xActiveTenant: world.admin.slug, processInstanceId: id };
  await discussions.addParticipant({ ...target, newParticipant: { user: bob.user ?? "" } });
  for (const by of [jane, bob, world.admin, { ...world.admin, roles: ["engine"] }])
    expect((await world.request(`${path}/${id}`, { by })).status).toBe(200);
  for (const by of [eve, world.stranger]) {
    await expectProblem(await world.request(`${path}/${id}`, { by }), "process_instance_not_found");
    await expectProblem(await world.request(`${path}/${id}/variables`, { by }), "process_instance_not_found");
  }
});

test.each([crypto.randomUUID(), "nonsense", "%20", "a'b\"c"])("the id %p is of no instance", async (id) => {
  const at = `${path}/${encodeURIComponent(id)}`;
  for (const address of [at, `${at}/variables`])
    await expectProblem(await world.request(address), "process_instance_not_found");
  await expectProblem(await world.request(at, { method: "DELETE" }), "process_instance_not_found");
  const body = JSON.stringify({ variables: { a: { value: 1 } } });
  const correction = await world.request(`${at}/variables`, { method: "PATCH", body });
  await expectProblem(correction, "process_instance_not_found");
});

test("a process that this tenant has not deployed cannot start", async () => {
  await expectProblem(await send({ process_key: "nothing" }), "process_not_found");
  await expectProblem(await send({ process_key: waiting }, world.stranger), "process_not_found");
});

test("attachments that variables name are bound, as String or Json, and their metadata is the server's", async () => {
  const by = world.member();
  const [one, two] = await Promise.all([upload(world.server, { by }), upload(world.server, { by })]);
  const forged = { file_name: "forged.pdf", mime_type: "application/pdf", size: 1 };
  const variables = {
    one: JSON.stringify({ ...one, ...forged }),
    two: { type: "Json", value: { ...two, ...forged } },
  };
  const id = await world.start(waiting, variables, by);
  for (const { attachment_id } of [one, two])
    expect(await attachment(attachment_id)).toEqual({ state: "committed", process_instance_id: id });
  expect(await world.variables(id)).toMatchObject({
    one: { type: "String", value: JSON.stringify(one) },
    two: { type: "Json", value: JSON.stringify(two) },
  });
});

test("with a file that cannot be bound nothing starts, and no other file is bound", async () => {
  const key = await world.deploy([start(), userTask("review"), end(), flow("start", "review", "end")]);
  const good = await upload(world.server, { by: world.admin });
  const foreign = await upload(world.server, { by: world.stranger });
  for (const bad of [foreign, { ...good, attachment_id: crypto.randomUUID() }]) {
    const variables = { good: { value: JSON.stringify(good) }, bad: { value: JSON.stringify(bad) } };
    const problem = await expectProblem(await send({ process_key: key, variables }), "not_committed");
    expect(problem).toMatchObject({ not_committed: [bad.attachment_id] });
  }
  expect(await count(key)).toBe(0);
  expect((await attachment(good.attachment_id)).state).toBe("draft");
});

test("if two instances start with one file at the same time, one gets it", async () => {
  const key = await world.deploy([start(), userTask("review"), end(), flow("start", "review", "end")]);
  const card = { value: JSON.stringify(await upload(world.server, { by: world.admin })) };
  const body = { process_key: key, variables: { card } };
  const answers = await Promise.all(Array.from({ length: 6 }, () => send(body)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409, 409]);
  expect(await count(key)).toBe(1);
});

test("a process that cannot do its first step does not start, and its files are drafts again", async () => {
  const gateway = '<exclusiveGateway id="decision"/>';
  const conditions = ["${amount > 5}", "${amount < 0}"];
  const flows = conditions.map((condition, at) => conditionalFlow("decision", `end${at}`, condition));
  const elements = [start(), gateway, end("end0"), end("end1"), flow("start", "decision"), ...flows];
  const key = await world.deploy(elements);
  const file = await upload(world.server, { by: world.admin, file: await fixture("libreoffice.pdf") });
  const variables = { amount: { value: 3 }, file: { value: JSON.stringify(file) } };
  const problem = await expectProblem(await send({ process_key: key, variables }), "process_failed");
  expect(problem.message).toContain("decision");
  await expectProblem(await send({ process_key: key }), "process_failed");
  expect(await count(key)).toBe(0);
  expect(await attachment(file.attachment_id)).toEqual({ state: "draft", process_instance_id: null });
  const id = await world.start(key, { amount: 6, file: JSON.stringify(file) });
  await world.reaches(id, "completed");
});

test("a terminated instance has no tasks, and cannot be terminated or corrected again", async () => {
  const id = await world.start(waiting);
  const { task_id } = await world.task(id);
  await expectProblem(await terminate(id, world.stranger), "process_instance_not_found");
  await expectProblem(await terminate(id, world.member()), "unauthenticated");
  expect((await terminate(id)).status).toBe(204);
  expect((await world.instance(id)).state).toBe("terminated");
  expect(await world.tasks(id)).toEqual([]);
  await expectProblem(await terminate(id), "instance_ended");
  const body = JSON.stringify({ variables: { a: { value: 1 } } });
  const corrected = await world.request(`${path}/${id}/variables`, { method: "PATCH", body });
  await expectProblem(corrected, "instance_ended");
  const late = await world.request(`/api/v1/tasklist/tasks/${task_id}/complete`, {
    method: "POST",
    body: "{}",
  });
  await expectProblem(late, "task_completed");
});

test("an id that names something else in an engine's interface is an unknown instance", async () => {
  for (const id of ["delete", "count", "report", "a%2Fb", "x:y"]) {
    await expectProblem(await world.request(`${path}/${id}`), "process_instance_not_found");
    await expectProblem(await terminate(id), "process_instance_not_found");
  }
});
