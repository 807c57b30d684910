/** Values of variables that an engine beside Waybill treats in its own way. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { end, flow, start, userTask } from "../../support/bpmn.ts";
import { askEngine } from "../engine.ts";
import { startWorld, type World } from "../world.ts";

setDefaultTimeout(60_000);
let world: World;
let waiting: string;
beforeAll(async () => {
  world = await startWorld();
  waiting = await world.deploy([start(), userTask("review"), end(), flow("start", "review", "end")]);
});
afterAll(() => world.stop());

const text = async (id: string) =>
  (await world.request(`/api/v1/probis/process-instances/${id}/variables`)).text();
const atEngine = (id: string) =>
  askEngine<Record<string, { type: string; value: unknown; valueInfo: object }>>(
    `/process-instance/${id}/variables?deserializeValues=false`,
  );

test("values come back as they were sent, while the instance runs and after its end", async () => {
  const variables = {
    long: { type: "Long", value: "9007199254740993" },
    integer: { type: "Integer", value: 7 },
    double: { type: "Double", value: "0.1" },
    boolean: { type: "Boolean", value: false },
    nothing: { type: "String", value: null },
    null: { type: "Null", value: null },
    json: { type: "Json", value: '{"amount": 1.10, "big": 12345678901234567890}' },
    text: { type: "String", value: 'ä "quoted" ${x}' },
    moment: { type: "Date", value: "2026-01-23T14:30:00+02:00" },
    "odd name/ü?": { type: "String", value: "x" },
    file: { type: "File", value: btoa("hello"), valueInfo: { filename: "a b.txt", mimeType: "text/plain" } },
  };
  const id = await world.start(waiting, variables);
  const shown = await text(id);
  expect(shown).toContain('"value":9007199254740993');
  expect(JSON.parse(shown)).toMatchObject({
    integer: { type: "Integer", value: 7 },
    double: { type: "Double", value: 0.1 },
    boolean: { type: "Boolean", value: false },
    nothing: { type: "String", value: null },
    null: { type: "Null", value: null },
    json: { type: "Json", value: variables.json.value },
    text: variables.text,
    moment: { type: "Date", value: "2026-01-23T12:30:00.000+0000" },
    "odd name/ü?": { value: "x" },
    file: { type: "File", value: null, valueInfo: { filename: "a b.txt", mimeType: "text/plain" } },
  });
  const { task_id } = await world.task(id);
  const tasks = await (await world.request(`/api/v1/tasklist/tasks/${task_id}/variables`)).json();
  expect(tasks).toMatchObject({
    file: { type: "File", value: `/${waiting}/download/${id}/file`, filename: "a b.txt", size: 5 },
  });
  await world.complete(task_id);
  expect(await text(id)).toBe(shown);
  const download = await world.request(`/api/v1/tasklist/${waiting}/download/${id}/file`);
  expect(await download.text()).toBe("hello");
});

test("a String of more than 4,000 characters is Json at the engine, and a String for clients of Waybill", async () => {
  const long = `"${"ü".repeat(4_000)}`;
  const id = await world.start(waiting, { long, exact: "x".repeat(4_000) });
  expect(await world.variables(id)).toMatchObject({
    long: { type: "String", value: long },
    exact: { type: "String", value: "x".repeat(4_000) },
  });
  const stored = await atEngine(id);
  expect(stored.long).toMatchObject({ type: "Json", value: JSON.stringify(long) });
  expect(stored.exact?.type).toBe("String");
  await world.correct(id, { long: `${long}!` });
  expect((await world.variables(id)).long?.value).toBe(`${long}!`);
});

test("what other clients write is shown: objects as Json, bytes as a file, local variables not at all", async () => {
  const id = await world.start(waiting);
  const { task_id } = await world.task(id);
  const put = (path: string, value: object) =>
    askEngine(path, { method: "PUT", body: JSON.stringify(value) });
  const variables = `/process-instance/${id}/variables`;
  await put(`${variables}/object`, {
    value: '{"n":3}',
    type: "Object",
    valueInfo: { objectTypeName: "java.util.HashMap", serializationDataFormat: "application/json" },
  });
  await put(`${variables}/short`, { value: 3, type: "Short" });
  await put(`${variables}/bytes`, { value: btoa("abc"), type: "Bytes" });
  await put(`/task/${task_id}/localVariables/local`, { value: "x", type: "String" });
  const shown = await world.variables(id);
  expect(shown).toMatchObject({
    object: { type: "Json", value: '{"n":3}' },
    short: { type: "Integer", value: 3 },
    bytes: { type: "File" },
  });
  expect(Object.keys(shown)).toEqual(["bytes", "object", "short"]);
  const download = await world.request(`/api/v1/tasklist/${waiting}/download/${id}/bytes`);
  expect(await download.text()).toBe("abc");
});
