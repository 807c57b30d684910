/** Variables of every type: written at the start, by a task, by a correction; read while it runs, and after its end. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { upload } from "../support/attachments.ts";
import { end, flow, start, userTask } from "../support/bpmn.ts";
import { expectProblem } from "../support/problem.ts";
import { expected } from "./differences.ts";
import { startWorld, type World } from "./world.ts";

setDefaultTimeout(60_000);
let world: World;
let waiting: string;
beforeAll(async () => {
  world = await startWorld();
  waiting = await world.deploy([start(), userTask("review"), end(), flow("start", "review", "end")]);
});
afterAll(() => world.stop());

const path = "/api/v1/probis/process-instances";
const correct = (id: string, body: unknown) =>
  world.request(`${path}/${id}/variables`, { method: "PATCH", body: JSON.stringify(body) });

/** JSON of variables of every type. */
const everyType = `{
  "string": {"value": "é\\n\\"x\\" <&>"}, "integer": {"value": -7}, "long": {"value": 9223372036854775807, "type": "Long"},
  "double": {"value": 1.25, "type": "Double"}, "small": {"value": 5e-324}, "boolean": {"value": false},
  "nothing": {"value": null}, "empty": {"value": null, "type": "String"}, "blank": {"value": ""},
  "date": {"value": "2026-01-23T14:30:00.123+0200", "type": "Date"},
  "json": {"value": {"a": [1.10, 12345678901234567890]}}, "list": {"value": "[1, 2]", "type": "Json"},
  "file": {"value": "aGVsbG8=", "type": "File", "valueInfo": {"filename": "é.txt", "mimetype": "text/plain"}}}`;

const shown = () => ({
  string: { type: "String", value: 'é\n"x" <&>', valueInfo: {} },
  integer: { type: "Integer", value: -7, valueInfo: {} },
  double: { type: "Double", value: 1.25, valueInfo: {} },
  small: { type: "Double", value: 5e-324, valueInfo: {} },
  boolean: { type: "Boolean", value: false, valueInfo: {} },
  nothing: { type: "Null", value: null, valueInfo: {} },
  empty: { type: "String", value: null, valueInfo: {} },
  blank: { type: "String", value: "", valueInfo: {} },
  date: {
    type: "Date",
    value: expected("offset of a date", {
      usual: "2026-01-23T14:30:00.123+0200",
      different: "2026-01-23T12:30:00.123+0000",
    }),
    valueInfo: {},
  },
  json: { type: "Json", value: '{"a":[1.10,12345678901234567890]}', valueInfo: {} },
  list: { type: "Json", value: "[1, 2]", valueInfo: {} },
  file: { type: "File", value: null, valueInfo: { filename: "é.txt", mimeType: "text/plain" } },
});

/** What is read now, with every digit of the long. */
async function readAll(id: string) {
  const text = await (await world.request(`${path}/${id}/variables`)).text();
  expect(text).toMatch(/"long":\{"type":"Long","value":9223372036854775807,/);
  const { long: _, ...others } = JSON.parse(text) as Record<string, unknown>;
  return others;
}

async function startRaw(variables: string): Promise<string> {
  const body = `{"process_key":"${waiting}","variables":${variables}}`;
  const answer = await world.request(path, { method: "POST", body });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { process_instance_id: string }).process_instance_id;
}

test("every type that the start writes is read while the instance runs, and after its end", async () => {
  const id = await startRaw(everyType);
  expect(await readAll(id)).toEqual(shown());
  await world.complete((await world.task(id)).task_id);
  await world.reaches(id, "completed");
  expect(await readAll(id)).toEqual(shown());
});

test("a task writes every type", async () => {
  const id = await world.start(waiting, { string: 1, integer: "changes its type" });
  const { task_id } = await world.task(id);
  const body = `{"variables":${everyType}}`;
  const answer = await world.request(`/api/v1/tasklist/tasks/${task_id}/complete`, { method: "POST", body });
  expect(answer.status).toBe(204);
  await world.reaches(id, "completed");
  expect(await readAll(id)).toEqual(shown());
});

test("a correction writes every type, and the instance does not move", async () => {
  const id = await world.start(waiting, { string: 1, stays: "as it is" });
  const body = `{"variables":${everyType}}`;
  const answer = await world.request(`${path}/${id}/variables`, { method: "PATCH", body });
  expect(answer.status).toBe(204);
  expect(await readAll(id)).toEqual({
    ...shown(),
    stays: { type: "String", value: "as it is", valueInfo: {} },
  });
  expect(await world.tasks(id)).toHaveLength(1);
});

test("a correction binds a file, or else writes nothing", async () => {
  const id = await world.start(waiting, { a: "1" });
  const foreign = await upload(world.server, { by: world.stranger });
  const refused = await correct(id, {
    variables: { a: { value: "2" }, card: { value: JSON.stringify(foreign) } },
  });
  await expectProblem(refused, "not_committed");
  expect(await world.variables(id)).toEqual({ a: { type: "String", value: "1", valueInfo: {} } } as never);
  const card = await upload(world.server, { by: world.admin });
  await world.correct(id, { card: JSON.stringify(card) });
  const [row] = await world.server.sql`
    select state, process_instance_id from waybill.attachments where id = ${card.attachment_id}`;
  expect(row).toEqual({ state: "committed", process_instance_id: id } as never);
});

test("simultaneous corrections of one instance are all written", async () => {
  const id = await world.start(waiting);
  const names = Array.from({ length: 20 }, (_, n) => `v${n}`);
  await Promise.all(names.map((name) => world.correct(id, { [name]: name })));
  expect(Object.keys(await world.variables(id)).toSorted()).toEqual(names.toSorted());
});

test("a long text is kept whole", async () => {
  const long = "0123456789é".repeat(6_000);
  const id = await world.start(waiting, { long });
  expect((await world.variables(id)).long).toMatchObject({ type: "String", value: long });
});

test("names with any characters are kept apart", async () => {
  const names = ["a b", "a/b", "a%2Fb", "é", "a.b", "a?b#c", "'", "__proto__"];
  const id = await world.start(waiting, Object.fromEntries(names.map((name) => [name, `of ${name}`])));
  const read = await world.variables(id);
  for (const name of names.slice(0, -1)) expect(read[name]?.value).toBe(`of ${name}`);
});

test("the bytes of a File are downloaded under its name, by those who see the instance", async () => {
  const jane = world.member();
  const valueInfo = { filename: "página.html", mimetype: "text/html" };
  const page = { value: btoa("<script>"), type: "File", valueInfo };
  const id = await world.start(waiting, { page, text: "x" }, jane);
  const at = (name: string) => `/api/v1/tasklist/${waiting}/download/${id}/${name}`;
  const answer = await world.request(at("page"), { by: jane });
  expect(await answer.text()).toBe("<script>");
  expect(answer.headers.get("content-type")).toBe("application/octet-stream");
  expect(answer.headers.get("content-disposition")).toContain("filename*=UTF-8''p%C3%A1gina.html");
  for (const name of ["text", "nothing"])
    await expectProblem(await world.request(at(name)), "variable_not_found");
  for (const by of [world.member(), world.stranger])
    await expectProblem(await world.request(at("page"), { by }), "variable_not_found");
  await world.complete((await world.task(id)).task_id);
  expect(await (await world.request(at("page"), { by: jane })).text()).toBe("<script>");
});
