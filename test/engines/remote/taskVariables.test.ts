/** What a remote engine's variables become in a request, and which files its service tasks may send. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { upload } from "../../support/attachments.ts";
import { addon, apiCall, end, flow, model, start } from "../../support/bpmn.ts";
import { freshKey } from "../../support/processes.ts";
import { until } from "../../support/until.ts";
import { type Remote, startRemote, type Variables } from "./remote.ts";

setDefaultTimeout(120_000);
let remote: Remote;
beforeAll(async () => {
  remote = await startRemote();
  remote.answer = (_, response) => void response.end();
  await remote.work();
});
afterAll(() => remote.stop());

const key = () => freshKey("worker_variables");
const bodyOf = (path: string) => remote.partner.received.find(({ url }) => url === path)?.body ?? "";

/** Starts an instance whose only task sends the body, and returns what arrived. */
async function sent(body: string, variables: Variables, around = (call: string) => call): Promise<string> {
  const [processKey, path] = [key(), `/${crypto.randomUUID()}`];
  const call = apiCall("call", { method: "POST", url: remote.partnerUrl + path, body });
  const elements = [start(), around(call), end(), flow("start", around("") === "" ? "call" : "outer", "end")];
  await remote.deploy(model(processKey, elements.join("\n")));
  const id = await remote.start(processKey, variables);
  await until(async () => (await remote.isEnded(id)) || (await remote.incidents(id)).length > 0);
  const [incident] = await remote.incidents(id);
  return incident?.incidentMessage ?? bodyOf(path);
}

test("each type of the engine is sent as its value, with all digits", async () => {
  const names = ["s", "i", "l", "d", "b", "when", "j", "o", "nul", "f", "sh"];
  const body = `{${names.map((name) => `"${name}":\${${name}}`).join(",")},"q":"\${s}"}`;
  const text = await sent(body, {
    s: { type: "String", value: 'say "hi"' },
    i: { type: "Integer", value: 7 },
    l: { type: "Long", value: 4503599627370497 },
    d: { type: "Double", value: 1.25 },
    b: { type: "Boolean", value: true },
    when: { type: "Date", value: "2026-01-02T03:04:05.000+0000" },
    j: { type: "Json", value: '{"a":[1.10,"x"]}' },
    o: {
      type: "Object",
      value: '{"n":1}',
      valueInfo: { objectTypeName: "java.util.HashMap", serializationDataFormat: "application/json" },
    },
    nul: { type: "Null", value: null },
    f: { type: "File", value: btoa("hello"), valueInfo: { filename: "a.txt", mimeType: "text/plain" } },
    sh: { type: "Short", value: 3 },
  });
  expect(JSON.parse(text)).toEqual({
    s: 'say "hi"',
    i: 7,
    l: 4503599627370497,
    d: 1.25,
    b: true,
    when: expect.stringMatching(/^2026-01-02T03:04:05\.000[+]0000$/),
    j: { a: [1.1, "x"] },
    o: { n: 1 },
    nul: null,
    f: btoa("hello"),
    sh: 3,
    q: 'say "hi"',
  });
});

test("a variable of an inner scope hides one of an outer scope", async () => {
  const inner = (call: string) =>
    call === ""
      ? "x"
      : `<subProcess id="outer"><extensionElements><camunda:inputOutput>
        <camunda:inputParameter name="a">inner</camunda:inputParameter></camunda:inputOutput></extensionElements>
        <multiInstanceLoopCharacteristics isSequential="true"><loopCardinality>1</loopCardinality></multiInstanceLoopCharacteristics>
        ${start("s")}${call}${end("e")}${flow("s", "call", "e")}</subProcess>`;
  const variables = { a: { type: "String", value: "outer" }, b: { type: "String", value: "B" } };
  expect(await sent('["${a}","${b}",${loopCounter}]', variables, inner)).toBe('["inner","B",0]');
});

test("a large value is sent whole", async () => {
  const large = { type: "Json", value: JSON.stringify({ text: "x".repeat(3_000_000) }) };
  expect(await sent("${large}", { large })).toBe(large.value);
});

test("values that are too large for one answer of the engine hold up no task", async () => {
  const large = { type: "Json", value: JSON.stringify({ text: "x".repeat(3_500_000) }) };
  const [processKey, path] = [key(), "/many-large"];
  const call = apiCall("call", { method: "POST", url: remote.partnerUrl + path, body: "${large}" });
  const loop = `<multiInstanceLoopCharacteristics><loopCardinality>4</loopCardinality></multiInstanceLoopCharacteristics>`;
  const calls = call.replace("</serviceTask>", `${loop}</serviceTask>`);
  await remote.deploy(model(processKey, [start(), calls, end(), flow("start", "call", "end")].join("\n")));
  const id = await remote.start(processKey, { large });
  await until(() => remote.isEnded(id), 50);
  expect(remote.keys(path)).toHaveLength(4);
  expect(bodyOf(path)).toBe(large.value);
});

test("an unknown name is an incident that names it, and nothing is sent", async () => {
  expect(await sent('"${missing}"', { a: { type: "String", value: "x" } })).toContain("${missing}");
});

test("a file that another client names is bound and sent, also by a called process", async () => {
  const [child, parent, path] = [key(), key(), "/file"];
  const call = apiCall("call", { method: "POST", url: remote.partnerUrl + path, body: '"${card}"' });
  await remote.deploy(model(child, [start(), call, end(), flow("start", "call", "end")].join("\n")));
  const mapping = `<extensionElements><camunda:in variables="all"/></extensionElements>`;
  const calling = `<callActivity id="outer" calledElement="${child}">${mapping}</callActivity>`;
  await remote.deploy(model(parent, [start(), calling, end(), flow("start", "outer", "end")].join("\n")));
  const metadata = await upload(remote.server, { by: remote.member });
  const id = await remote.start(parent, { card: { type: "String", value: JSON.stringify(metadata) } });
  await until(() => remote.isEnded(id));
  const url = JSON.parse(bodyOf(path));
  expect((await fetch(url)).status).toBe(200);
  expect((await fetch(url)).status).toBe(401);
  const [row] = await remote.server.sql`
    select state, process_instance_id as "boundTo"
    from waybill.attachments
    where id = ${metadata.attachment_id}`;
  expect(row).toMatchObject({ state: "committed", boundTo: id });
});

test("a file that is bound to an instance of another tree is not sent", async () => {
  const metadata = await upload(remote.server, { by: remote.member });
  const card = { type: "String", value: JSON.stringify(metadata) };
  expect(await sent('"${card}"', { card })).toContain("/download?token=");
  expect(await sent('"${card}"', { card })).toContain("not committed to this process instance");
});

test("an addon gets all variables, without the content of files", async () => {
  const [processKey, path] = [key(), "/addon"];
  const addonKey = freshKey("remote_addon");
  const api = await remote.server.integration(remote.member);
  await api.putAddon({
    xActiveTenant: remote.slug,
    key: addonKey,
    newAddon: { url: remote.partnerUrl + path },
  });
  const call = addon("call", { addon: addonKey, parameters: '{"n":${n}}' });
  await remote.deploy(model(processKey, [start(), call, end(), flow("start", "call", "end")].join("\n")));
  const id = await remote.start(processKey, {
    n: { type: "Integer", value: 4 },
    f: { type: "File", value: btoa("hello"), valueInfo: { filename: "a.txt" } },
  });
  await until(() => remote.isEnded(id));
  const body = JSON.parse(bodyOf(path));
  expect(body).toMatchObject({ parameters: { n: 4 }, variables: { n: 4 } });
  expect(JSON.stringify(body)).not.toContain(btoa("hello"));
});

test("tasks of other topics and of unknown tenants are left to their own workers", async () => {
  const processKey = key();
  const call = apiCall("call", { method: "POST", url: `${remote.partnerUrl}/other`, body: "{}" });
  const other = call.replace('topic="api-call"', 'topic="somebody-else"');
  await remote.deploy(model(processKey, [start(), other, end(), flow("start", "call", "end")].join("\n")));
  const id = await remote.start(processKey);
  const form = new FormData();
  form.set("tenant-id", `${remote.slug}-unknown`);
  const own = model(processKey, [start(), call, end(), flow("start", "call", "end")].join("\n"));
  form.set(
    "model",
    new File([own.replace("<process ", '<process camunda:historyTimeToLive="1" ')], "m.bpmn"),
  );
  await remote.ask("POST", "/deployment/create", form);
  const path = `/process-definition/key/${processKey}/tenant-id/${remote.slug}-unknown/start`;
  const { id: unknown } = await remote.ask<{ id: string }>("POST", path, {});
  await Bun.sleep(5_000);
  for (const instance of [id, unknown]) {
    const query = `/external-task?processInstanceId=${instance}`;
    expect(await remote.ask("GET", query)).toMatchObject([{ workerId: null }]);
  }
  expect(remote.keys("/other")).toEqual([]);
});
