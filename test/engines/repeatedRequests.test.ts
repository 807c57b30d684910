/** Starts and completions with an `Idempotency-Key` happen once, on each engine. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { end, flow, start, userTask } from "../support/bpmn.ts";
import { startWorld, type World } from "./world.ts";

setDefaultTimeout(90_000);
let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const instances = "/api/v1/probis/process-instances";
const post = (path: string, body: unknown, key: string) =>
  world.request(path, { method: "POST", body: JSON.stringify(body), headers: { "Idempotency-Key": key } });
const deployReview = (key?: string) =>
  world.deploy(
    [start(), userTask("review"), end(), flow("start", "review", "end")],
    key === undefined ? {} : { key },
  );

test("a repeated start answers the first instance, and a repeated completion completes once", async () => {
  const processKey = await deployReview();
  const begin = { process_key: processKey, variables: { amount: { value: 1 } } };
  const key = crypto.randomUUID();
  const first = await post(instances, begin, key);
  expect(first.status).toBe(201);
  const started = (await first.json()) as { process_instance_id: string };
  const again = await post(instances, begin, key);
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect(await again.json()).toEqual(started);
  expect(await (await world.request(`${instances}?process_key=${processKey}`)).json()).toHaveLength(1);

  const { task_id } = await world.task(started.process_instance_id);
  const path = `/api/v1/tasklist/tasks/${task_id}/complete`;
  const completion = { variables: { approved: { value: true } } };
  const completionKey = crypto.randomUUID();
  for (let time = 0; time < 3; time++) expect((await post(path, completion, completionKey)).status).toBe(204);
  expect((await post(path, completion, crypto.randomUUID())).status).toBe(409);
  expect((await post(path, { variables: {} }, completionKey)).status).toBe(422);
  await world.reaches(started.process_instance_id, "completed");
});

test("a refused start can be sent again with its key", async () => {
  const key = crypto.randomUUID();
  const processKey = `later_${crypto.randomUUID().replaceAll("-", "")}`;
  const begin = { process_key: processKey, variables: {} };
  expect((await post(instances, begin, key)).status).toBe(404);
  await deployReview(processKey);
  expect((await post(instances, begin, key)).status).toBe(201);
});

test("of simultaneous starts with one key, one starts", async () => {
  const processKey = await deployReview();
  const begin = { process_key: processKey, variables: {} };
  const key = crypto.randomUUID();
  const answers = await Promise.all(Array.from({ length: 6 }, () => post(instances, begin, key)));
  for (const { status } of answers) expect([201, 409]).toContain(status);
  expect(answers.map(({ status }) => status)).toContain(201);
  expect(await (await world.request(`${instances}?process_key=${processKey}`)).json()).toHaveLength(1);
});
