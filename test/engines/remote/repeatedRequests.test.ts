/** Repeated requests with an `Idempotency-Key` whose first answer was lost on the way from the engine. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { end, flow, start, userTask } from "../../support/bpmn.ts";
import { expectProblem } from "../../support/problem.ts";
import { until } from "../../support/until.ts";
import { askEngine } from "../engine.ts";
import { startWorld, type World } from "../world.ts";
import { type EngineProxy, startEngineProxy } from "./engineProxy.ts";

setDefaultTimeout(120_000);
let world: World;
let proxy: EngineProxy;
beforeAll(async () => {
  proxy = startEngineProxy();
  world = await startWorld({ environment: { ENGINE_URL: proxy.url, ENGINE_TIMEOUT_SECONDS: "4" } });
});
afterAll(async () => {
  await world.stop();
  await proxy.stop();
});

const deployReview = () => world.deploy([start(), userTask("review"), end(), flow("start", "review", "end")]);

const instances = "/api/v1/probis/process-instances";
const post = (path: string, body: unknown, { key, by = world.admin }: { key: string; by?: World["admin"] }) =>
  world.request(path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "Idempotency-Key": key },
    by,
  });

const instancesAtEngine = (key: string) =>
  askEngine<{ id: string }[]>(
    `/history/process-instance?processDefinitionKey=${key}&tenantIdIn=${world.admin.slug}`,
  );

test("a start whose answer was lost is found by the repeated request: one instance", async () => {
  const processKey = await deployReview();
  const begin = { process_key: processKey, variables: {} };
  const key = crypto.randomUUID();
  proxy.loseAnswers(/POST .*\/(start|history\/process-instance)$/);
  await expectProblem(await post(instances, begin, { key }), "engine_unavailable");
  await expectProblem(
    await post(instances, { ...begin, business_key: "x" }, { key }),
    "idempotency_key_reused",
  );
  proxy.loseAnswers(undefined);
  const found = await post(instances, begin, { key });
  expect(found.status).toBe(201);
  const { process_instance_id: id } = (await found.json()) as { process_instance_id: string };
  expect((await instancesAtEngine(processKey)).map((each) => each.id)).toEqual([id]);
  const again = await post(instances, begin, { key });
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect(await again.json()).toMatchObject({ process_instance_id: id });
});

test("a start that never arrived is refused until that is sure, and then starts", async () => {
  const processKey = await deployReview();
  const begin = { process_key: processKey, variables: {} };
  const key = crypto.randomUUID();
  proxy.dropCalls(/POST .*\/start$/);
  await expectProblem(await post(instances, begin, { key }), "engine_unavailable");
  proxy.dropCalls(undefined);
  await expectProblem(await post(instances, begin, { key }), "idempotency_key_in_use");
  const startsOf = () => world.server.sql`
    select from waybill.engine_starts where process_key = ${processKey} and process_instance_id is null`;
  expect(await startsOf()).toHaveLength(1);
  // As if the time in which the engine may still start it were over: a job undoes it.
  await world.server.sql`
    update waybill.engine_starts set created_at = now() - interval '11 minutes' where process_key = ${processKey}`;
  await until(async () => (await startsOf()).length === 0, 60);
  expect((await post(instances, begin, { key })).status).toBe(201);
  expect(await instancesAtEngine(processKey)).toHaveLength(1);
});

test("a completion whose answer was lost is refused while it may be under way, and then answered", async () => {
  const by = world.member();
  const id = await world.start(await deployReview(), {}, by);
  const { task_id } = await world.task(id);
  const path = `/api/v1/tasklist/tasks/${task_id}/complete`;
  const completion = { variables: { approved: { value: true } } };
  const key = crypto.randomUUID();
  proxy.loseAnswers(/POST .*\/complete$/);
  await expectProblem(await post(path, completion, { key, by }), "engine_unavailable");
  proxy.loseAnswers(undefined);
  const refused = await post(path, completion, { key, by });
  expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(9);
  await expectProblem(refused, "idempotency_key_in_use");
  await world.server.sql`
    update tenant_1._idempotency_keys set created_at = now() - interval '1 minute' where key = ${key}`;
  expect((await post(path, completion, { key, by })).status).toBe(204);
  expect((await post(path, completion, { key, by })).headers.get("idempotency-replayed")).toBe("true");
  await world.reaches(id, "completed");
});

test("a repeated completion of a task that somebody else completed is refused", async () => {
  const by = world.member();
  const id = await world.start(await deployReview(), {}, by);
  const { task_id } = await world.task(id);
  const path = `/api/v1/tasklist/tasks/${task_id}/complete`;
  const key = crypto.randomUUID();
  proxy.dropCalls(/POST .*\/(claim|complete)$/);
  await expectProblem(await post(path, { variables: {} }, { key, by }), "engine_unavailable");
  proxy.dropCalls(undefined);
  await world.server.sql`
    update tenant_1._idempotency_keys set created_at = now() - interval '1 minute' where key = ${key}`;
  await askEngine(`/task/${task_id}/assignee`, {
    method: "POST",
    body: JSON.stringify({ userId: "somebody" }),
  });
  await world.complete(task_id);
  await expectProblem(await post(path, { variables: {} }, { key, by }), "task_completed");
});

test("a repeated completion that never arrived completes the task", async () => {
  const by = world.member();
  const id = await world.start(await deployReview(), {}, by);
  const { task_id } = await world.task(id);
  const path = `/api/v1/tasklist/tasks/${task_id}/complete`;
  const key = crypto.randomUUID();
  proxy.dropCalls(/POST .*\/complete$/);
  await expectProblem(await post(path, { variables: {} }, { key, by }), "engine_unavailable");
  proxy.dropCalls(undefined);
  await world.server.sql`
    update tenant_1._idempotency_keys set created_at = now() - interval '1 minute' where key = ${key}`;
  expect((await post(path, { variables: {} }, { key, by })).status).toBe(204);
  await world.reaches(id, "completed");
});
