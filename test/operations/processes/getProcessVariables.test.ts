import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { member, upload } from "../../support/attachments.ts";
import { end, flow, model, start, userTask } from "../../support/bpmn.ts";
import { expectProblem } from "../../support/problem.ts";
import { deploy, freshKey, startInstance } from "../../support/processes.ts";
import { startServer, type TestServer } from "../../support/server.ts";

setDefaultTimeout(60_000);
let server: TestServer;
let key: string;
beforeAll(async () => {
  server = await startServer();
  key = freshKey();
  await deploy(server, model(key, [start(), userTask("a"), end(), flow("start", "a", "end")].join("\n")));
});
afterAll(() => server.stop());

const read = async (id: string, headers: Record<string, string> = {}) =>
  server.request(`/api/v1/probis/process-instances/${id}/variables`, {
    headers: { "x-active-tenant": "tenant-1", ...headers },
  });

test("every type is returned as an engine shows it, with every digit", async () => {
  const metadata = JSON.stringify(await upload(server));
  const body = `{"process_key":"${key}","variables":{
    "string":{"value":"é\\n\\"x\\""}, "integer":{"value":7}, "long":{"value":9223372036854775807,"type":"Long"},
    "double":{"value":1.10,"type":"Double"}, "boolean":{"value":false}, "nothing":{"value":null},
    "date":{"value":"2026-01-23T14:30:00.000+0200","type":"Date"},
    "json":{"value":{"a":[1.10,12345678901234567890]}}, "text":{"value":"[1, 2]","type":"Json"},
    "empty":{"value":null,"type":"String"},
    "file":{"value":"aGVsbG8=","type":"File","valueInfo":{"filename":"a.txt","mimetype":"text/plain"}},
    "card":{"value":${JSON.stringify(metadata)}}}}`;
  const started = await server.request("/api/v1/probis/process-instances", {
    method: "POST",
    headers: { "x-active-tenant": "tenant-1" },
    body,
  });
  expect(started.status).toBe(201);
  const { process_instance_id: id } = (await started.json()) as { process_instance_id: string };
  const text = await (await read(id)).text();
  expect(text).toContain('"long":{"type":"Long","value":9223372036854775807,');
  expect(text).toContain('"double":{"type":"Double","value":1.10,');
  expect(text).not.toContain("aGVsbG8");
  expect(JSON.parse(text)).toMatchObject({
    string: { type: "String", value: 'é\n"x"', valueInfo: {} },
    integer: { type: "Integer", value: 7 },
    boolean: { type: "Boolean", value: false },
    nothing: { type: "Null", value: null },
    date: { type: "Date", value: "2026-01-23T14:30:00.000+0200" },
    json: { type: "Json", value: '{"a":[1.10,12345678901234567890]}' },
    text: { type: "Json", value: "[1, 2]" },
    empty: { type: "String", value: null },
    file: { type: "File", value: null, valueInfo: { filename: "a.txt", mimeType: "text/plain" } },
    card: { type: "String", value: metadata },
  });
});

test("a long String is accepted, and its length is logged but not its value", async () => {
  const long = "secret".repeat(1_000);
  const { process_instance_id: id } = await startInstance(server, key, { variables: { long } });
  expect(((await (await read(id)).json()) as { long: { value: string } }).long.value).toBe(long);
  const warning = server.logged.find(({ variable }) => variable === "long");
  expect(warning).toMatchObject({ level: "warn", length: 6_000 });
  expect(JSON.stringify(server.logged)).not.toContain("secretsecret");
});

test("for others the instance does not exist", async () => {
  const { process_instance_id: id } = await startInstance(server, key, { by: member("jane") });
  const eve = { authorization: `Bearer ${await server.token(member("eve"))}` };
  await expectProblem(await read(id, eve), "process_instance_not_found");
  const jane = { authorization: `Bearer ${await server.token(member("jane"))}` };
  expect((await read(id, jane)).status).toBe(200);
  await expectProblem(await read("nonsense"), "process_instance_not_found");
});
