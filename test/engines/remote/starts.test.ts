/** Starts whose answer is lost, or that the engine refuses: nothing starts twice by itself, and no file is lost. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { upload } from "../../support/attachments.ts";
import { apiCall, conditionalFlow, end, flow, start, userTask } from "../../support/bpmn.ts";
import { expectProblem } from "../../support/problem.ts";
import { until } from "../../support/until.ts";
import { askEngine } from "../engine.ts";
import { startWorld, type World } from "../world.ts";
import { type EngineProxy, startEngineProxy } from "./engineProxy.ts";

setDefaultTimeout(90_000);
let world: World;
let proxy: EngineProxy;
let waiting: string;
beforeAll(async () => {
  proxy = startEngineProxy();
  world = await startWorld({ environment: { ENGINE_URL: proxy.url, ENGINE_TIMEOUT_SECONDS: "4" } });
  waiting = await world.deploy([start(), userTask("review"), end(), flow("start", "review", "end")]);
});
afterAll(async () => {
  await world.stop();
  await proxy.stop();
});

const path = "/api/v1/probis/process-instances";
const send = (body: unknown, by = world.admin) =>
  world.request(path, { method: "POST", body: JSON.stringify(body), by });

const attachment = async (id: string) => {
  const [row] = await world.server.sql<{ state: string; process_instance_id: string | null }[]>`
    select state, process_instance_id from waybill.attachments where id = ${id}`;
  return row;
};

const startsOf = (processKey: string) => world.server.sql<
  { id: string; process_instance_id: string | null }[]
>`
  select id::text, process_instance_id from waybill.engine_starts where process_key = ${processKey}`;

const instancesAtEngine = (key: string) =>
  askEngine<{ id: string; businessKey: string }[]>(
    `/history/process-instance?processDefinitionKey=${key}&tenantIdIn=${world.admin.slug}`,
  );

const freshProcess = () => world.deploy([start(), userTask("review"), end(), flow("start", "review", "end")]);

test("a start whose answer is lost is found again: one instance, with its files", async () => {
  const key = await freshProcess();
  const file = await upload(world.server, { by: world.admin });
  proxy.loseAnswers(/POST .*\/start$/);
  const answer = await send({ process_key: key, variables: { file: { value: JSON.stringify(file) } } });
  proxy.loseAnswers(undefined);
  expect(answer.status).toBe(201);
  const { process_instance_id: id } = (await answer.json()) as { process_instance_id: string };
  expect((await instancesAtEngine(key)).map((each) => each.id)).toEqual([id]);
  expect(await attachment(file.attachment_id)).toEqual({ state: "committed", process_instance_id: id });
});

test("an answer that nobody could wait for is settled later", async () => {
  const key = await freshProcess();
  const by = world.member();
  const file = await upload(world.server, { by });
  proxy.loseAnswers(/POST .*\/(start|history\/process-instance)$/);
  const variables = { file: { value: JSON.stringify(file) } };
  await expectProblem(await send({ process_key: key, variables }, by), "engine_unavailable");
  const [row] = await startsOf(key);
  expect(row?.process_instance_id).toBeNull();
  expect(await attachment(file.attachment_id)).toEqual({
    state: "committed",
    process_instance_id: row?.id ?? "",
  });
  proxy.loseAnswers(undefined);
  const [instance] = await instancesAtEngine(key);
  expect(instance?.businessKey).toBe(row?.id ?? "");
  // As if the time in which the engine may answer were over.
  await world.server.sql`
    update waybill.engine_starts set created_at = now() - interval '1 minute' where process_key = ${key}`;
  await until(async () => (await startsOf(key))[0]?.process_instance_id === instance?.id, 60);
  expect(await attachment(file.attachment_id)).toEqual({
    state: "committed",
    process_instance_id: instance?.id ?? "",
  });
  expect((await world.request(`${path}/${instance?.id}`, { by })).status).toBe(200);
});

test("a start that failed at the engine is not undone while nobody can ask what has become of it", async () => {
  const key = await freshProcess();
  const file = await upload(world.server, { by: world.admin });
  proxy.failAnswers(/POST .*\/(start|history\/process-instance)$/);
  const answer = await send({ process_key: key, variables: { file: { value: JSON.stringify(file) } } });
  proxy.failAnswers(undefined);
  expect(answer.status).toBeGreaterThanOrEqual(400);
  const [row] = await startsOf(key);
  expect(row?.process_instance_id).toBeNull();
  expect(await attachment(file.attachment_id)).toEqual({
    state: "committed",
    process_instance_id: row?.id ?? "",
  });
  expect(await instancesAtEngine(key)).toHaveLength(1);
});

test("a start with an answer that names no instance is found again", async () => {
  for (const answer of ["null", "{}", "[]", '{"id":"x"}']) {
    const key = await freshProcess();
    const file = await upload(world.server, { by: world.admin });
    proxy.failAnswers(/POST .*\/start$/, () => new Response(answer));
    const started = await send({ process_key: key, variables: { file: { value: JSON.stringify(file) } } });
    proxy.failAnswers(undefined);
    const { process_instance_id: id } = (await started.json()) as { process_instance_id: string };
    expect((await instancesAtEngine(key)).map((each) => each.id)).toEqual([id]);
    expect(await attachment(file.attachment_id)).toEqual({ state: "committed", process_instance_id: id });
  }
});

test("a start that never reached the engine is undone, and its files are drafts again", async () => {
  const key = await freshProcess();
  const file = await upload(world.server, { by: world.admin });
  const variables = { file: { value: JSON.stringify(file) } };
  proxy.goAway(true);
  await expectProblem(await send({ process_key: key, variables }), "engine_unavailable");
  proxy.goAway(false);
  expect(await instancesAtEngine(key)).toEqual([]);
  // A process that was killed after it remembered the start, before it asked the engine.
  const remembered = crypto.randomUUID();
  await world.server.sql.begin(async (tx) => {
    await tx`
      insert into waybill.engine_starts (id, tenant_id, process_key, drafts, finalized, created_at)
      values (${remembered}, 1, ${key}, ${[file.attachment_id]}::uuid[], '{}', now() - interval '1 hour')`;
    await tx`
      update waybill.attachments set state = 'committed', process_instance_id = ${remembered}
      where id = ${file.attachment_id}`;
  });
  await until(async () => (await startsOf(key)).length === 0, 60);
  expect(await attachment(file.attachment_id)).toEqual({ state: "draft", process_instance_id: null });
});

test("a service task sends the files of a start that the engine has not answered yet", async () => {
  const received = Promise.withResolvers<string>();
  const receiver = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      received.resolve(await request.text());
      return Response.json({});
    },
  });
  const call = apiCall("call", { method: "POST", url: receiver.url.href, body: '{ "file": "${file}" }' });
  const key = await world.deploy([start(), call, end(), flow("start", "call", "end")]);
  const file = await upload(world.server, { by: world.admin });
  const variables = { file: { value: JSON.stringify(file) } };
  proxy.loseAnswers(/POST .*\/start$/);
  const answer = send({ process_key: key, variables });
  const first = await Promise.race([received.promise, answer.then(() => "the start was answered first")]);
  const { file: link } = JSON.parse(first) as { file: string };
  expect((await fetch(link)).status).toBe(200);
  proxy.loseAnswers(undefined);
  const { process_instance_id: id } = (await (await answer).json()) as { process_instance_id: string };
  await world.reaches(id, "completed");
  expect(await attachment(file.attachment_id)).toEqual({ state: "committed", process_instance_id: id });
  await receiver.stop(true);
});

test("the starter's business key is kept beside that of the engine, and is a variable", async () => {
  const answer = await send({ process_key: waiting, business_key: "LN-1", variables: { a: { value: 1 } } });
  const { process_instance_id: id } = (await answer.json()) as { process_instance_id: string };
  expect(await world.instance(id)).toMatchObject({ business_key: "LN-1" });
  expect(await world.variables(id)).toMatchObject({ business_key: { type: "String", value: "LN-1" } });
  const list = await (await world.request(`${path}?business_key=LN-1`)).json();
  expect(list).toMatchObject([{ process_instance_id: id, business_key: "LN-1", started_by: "alice" }]);
});

test("an instance that another client started is shown with the engine's business key, to administrators", async () => {
  const { id } = await askEngine<{ id: string }>(
    `/process-definition/key/${waiting}/tenant-id/${world.admin.slug}/start`,
    { method: "POST", body: JSON.stringify({ businessKey: "theirs" }) },
  );
  expect(await world.instance(id)).toMatchObject({ state: "active", business_key: "theirs" });
  expect(await (await world.request(`${path}?business_key=theirs`)).json()).toMatchObject([
    { process_instance_id: id, started_by: null },
  ]);
  const member = world.member();
  await expectProblem(await world.request(`${path}/${id}`, { by: member }), "process_instance_not_found");
  await world.complete((await world.task(id)).task_id, {}, member);
  expect((await world.request(`${path}/${id}`, { by: member })).status).toBe(200);
  expect(await (await world.request(path, { by: member })).json()).toMatchObject([
    { process_instance_id: id },
  ]);
});

test("a task whose completion is refused keeps its files as drafts; one that is repeated completes once", async () => {
  const key = await world.deploy([
    start(),
    userTask("review"),
    '<exclusiveGateway id="decision"/>',
    end(),
    end("other"),
    flow("start", "review", "decision"),
    conditionalFlow("decision", "end", "${amount > 5}"),
    conditionalFlow("decision", "other", "${amount < 3}"),
  ]);
  const id = await world.start(key);
  const { task_id } = await world.task(id);
  const file = await upload(world.server, { by: world.admin });
  const completion = (amount: number) =>
    world.request(`/api/v1/tasklist/tasks/${task_id}/complete`, {
      method: "POST",
      body: JSON.stringify({
        variables: { amount: { value: amount }, file: { value: JSON.stringify(file) } },
      }),
    });
  await expectProblem(await completion(4), "process_failed");
  expect(await attachment(file.attachment_id)).toEqual({ state: "draft", process_instance_id: null });
  const statuses = (await Promise.all([completion(6), completion(6), completion(6)])).map(
    ({ status }) => status,
  );
  expect(statuses.toSorted()).toEqual([204, 409, 409]);
  expect(await attachment(file.attachment_id)).toEqual({ state: "committed", process_instance_id: id });
});
