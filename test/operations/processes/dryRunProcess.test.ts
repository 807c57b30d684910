/** A dry run shows what the service tasks of a model would send, and does none of it. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { DryRun, DryRunTask } from "../../../sdk/src/generated/index.ts";
import { type Partner, startPartner } from "../../infrastructure/outbound/partner.ts";
import { upload } from "../../support/attachments.ts";
import { addon, apiCall, end, flow, model, oneCall, type Properties, start } from "../../support/bpmn.ts";
import { expectProblem } from "../../support/problem.ts";
import {
  deploy,
  freshKey,
  reaches,
  startInstance,
  type Values,
  variablesOf,
} from "../../support/processes.ts";
import { startServer, type TestServer } from "../../support/server.ts";

setDefaultTimeout(60_000);
let server: TestServer;
let partner: Partner;
let url: string;
const secret = 'core "token" & <more>';
beforeAll(async () => {
  server = await startServer({
    environment: { OUTBOUND_ALLOW: "127.0.0.1,::1", SECRETS_KEY: "k".repeat(20) + crypto.randomUUID() },
  });
  partner = await startPartner();
  url = `http://127.0.0.1:${partner.port}`;
  const integration = await server.integration();
  await integration.putSecret({
    xActiveTenant: "tenant-1",
    name: "core_token",
    newSecret: { value: secret },
  });
  await integration.putSecret({ xActiveTenant: "tenant-1", name: "base", newSecret: { value: url } });
  await integration.putAddon({ xActiveTenant: "tenant-1", key: "score", newAddon: { url: `${url}/score` } });
});
afterAll(async () => {
  await partner.stop();
  await server.stop();
});

interface Options {
  readonly variables?: Values;
  readonly forms?: readonly object[];
}

async function dryRun(bpmn: string, { variables = {}, forms }: Options = {}): Promise<DryRun> {
  const api = await server.processes();
  const newDryRun = { bpmn, variables: variablesOf(variables), ...(forms ? { forms: [...forms] } : {}) };
  return api.dryRunProcess({ xActiveTenant: "tenant-1", newDryRun });
}

async function only(properties: Properties, variables: Values = {}): Promise<DryRunTask> {
  const { service_tasks } = await dryRun(oneCall("p", properties), { variables });
  expect(service_tasks).toHaveLength(1);
  return service_tasks[0] as DryRunTask;
}

const send = (body: unknown) =>
  server.request("/api/v1/probis/process-definitions/dry-run", {
    method: "POST",
    headers: { "x-active-tenant": "tenant-1", "content-type": "application/json" },
    body: JSON.stringify(body),
  });

const inRow = (key: string, ...tasks: readonly string[]) => {
  const ids = tasks.map((task) => /id="(\w+)"/.exec(task)?.[1] ?? "");
  return model(key, [start(), ...tasks, end(), flow("start", ...ids, "end")].join("\n"));
};

test("it shows what is sent afterwards, but for tokens, secrets and the instance", async () => {
  const key = freshKey();
  const bpmn = inRow(
    key,
    apiCall("json", {
      method: "post",
      url: `${url}/loans/\${who}?x=1`,
      "query.tag": "${who}",
      "header.Authorization": "Bearer ${secret.core_token}",
      "header.X-Who": "${who}",
      body: '{"who":"${who}","amount":${amount},"card":"${card}","more":${list},"key":"${secret.core_token}"}',
    }),
    apiCall("xml", {
      method: "PUT",
      url: "${secret.base}/xml/${who}",
      content_type: "application/xml",
      body: "<a b='${who}'>${secret.core_token}${card}</a>",
    }),
    apiCall("get", { method: "GET", url: `${url}/get`, "query.key": "${secret.core_token}" }),
    addon("scored", { addon: "score", parameters: '{"card":"${card}"}' }),
  );
  const card = await upload(server);
  const variables = {
    who: 'Jane "J" & Ünal/..',
    amount: { value: "9007199254740993", type: "Long" },
    list: { value: [1, { a: null }] },
    card: JSON.stringify(card),
  };
  const { faults, warnings, service_tasks } = await dryRun(bpmn, { variables });
  expect({ faults, warnings }).toEqual({ faults: [], warnings: [] });
  expect(partner.received).toHaveLength(0);
  await deploy(server, bpmn);
  const { process_instance_id: id } = await startInstance(server, key, { variables });
  await reaches(server, id, "completed");
  const shownForms = [JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), secret];
  const asXml = secret.replaceAll(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
  const hidden = (text: string) =>
    [...shownForms, asXml]
      .reduce((rest, form) => rest.replaceAll(form, "${secret.core_token}"), text)
      .replaceAll(/v1\.[\w-]{43}\.[\w-]{43}/g, "[token]");
  const expected = ["json", "xml", "get", "scored"];
  expect(service_tasks.map(({ activity_id }) => activity_id)).toEqual(expected);
  for (const [index, { request, failure, activity_id }] of service_tasks.entries()) {
    const received = partner.received[index];
    expect(failure).toBeNull();
    expect(request?.method).toBe(received?.method ?? "");
    expect(request?.url.replace("${secret.base}", url)).toBe(`${url}${hidden(received?.url ?? "")}`);
    expect(request?.body ?? "").toBe(hidden(received?.body ?? ""));
    const headers = new Map(received?.headers);
    expect(request?.headers["Idempotency-Key"]).toBe(`<process_instance_id>:${activity_id}:1`);
    expect(headers.get("idempotency-key")).toBe(`${id}:${activity_id}:1`);
    for (const [name, value] of Object.entries(request?.headers ?? {}))
      if (name !== "Idempotency-Key") expect(hidden(headers.get(name.toLowerCase()) ?? "")).toBe(value);
  }
});

test("nothing is deployed, stored, issued or called", async () => {
  const before = partner.received.length;
  const counts = () => server.sql`
    select (select count(*) from waybill.process_definitions) as definitions,
           (select count(*) from waybill.process_instances) as instances,
           (select count(*) from waybill.download_tokens) as tokens,
           (select count(*) from tenant_1._audit) as actions`;
  const stored = [...(await counts())];
  const card = await upload(server);
  await only({ method: "POST", url, body: '{"card":"${card}"}' }, { card: JSON.stringify(card) });
  expect([...(await counts())]).toEqual(stored);
  expect(partner.received).toHaveLength(before);
});

test.each<[string, Properties, string]>([
  [
    "a variable that is missing",
    { method: "POST", url: "https://a.example", body: '"${amount}"' },
    "unknown_placeholder",
  ],
  [
    "a secret that is missing",
    { method: "GET", url: "https://a.example/${secret.none}" },
    "secret_not_found",
  ],
  [
    "a value that does not fit",
    { method: "GET", url: "https://a.example/x", "header.A": "${lines}" },
    "value_does_not_fit",
  ],
  ["properties with faults", { method: "FETCH", url: "https://a.example" }, "invalid_template"],
])("%s is a failure with the type of the incident, and no request", async (_, properties, type) => {
  const { request, failure, line, topic } = await only(properties, { lines: "a\nb" });
  expect({ request, line, topic }).toEqual({ request: null, line: 5, topic: "api-call" });
  expect(failure?.type).toBe(type);
  expect(failure?.message).not.toBe("");
});

test("a property that is there twice is a failure, as in a deployment", async () => {
  const once = oneCall("p", { method: "GET", url: "https://a.example/" });
  const bpmn = once.replace(/(<camunda:property name="method".*?\/>)/, "$1$1");
  const { faults, service_tasks } = await dryRun(bpmn);
  expect(service_tasks[0]?.failure?.message).toBe('The property "method" is there twice.');
  expect(faults).toEqual([expect.stringContaining('The property "method" is there twice.')]);
});

test("an addon that is missing is a failure", async () => {
  const { service_tasks } = await dryRun(inRow("p", addon("a", { addon: "none" })));
  expect(service_tasks).toMatchObject([{ topic: "addon", failure: { type: "addon_not_found" } }]);
});

test("what the outbound policy refuses is shown with the reason, without a name server", async () => {
  for (const host of ["169.254.169.254", "10.0.0.1", "[::ffff:10.0.0.1]"]) {
    const { request, failure } = await only({ method: "GET", url: `http://${host}/` });
    expect(request?.url).toBe(`http://${host}/`);
    expect(failure?.type).toBe("refused_by_policy");
  }
  const named = await only({ method: "GET", url: "http://no-such-host.invalid:81/" });
  expect(named.failure).toBeNull();
});

test("a server that cannot issue URLs says so for tasks with files only", async () => {
  const bare = await startServer({ environment: { PUBLIC_BASE_URL: "" } });
  const api = await bare.processes();
  const bpmn = inRow(
    "p",
    apiCall("with", { method: "POST", url: "https://a.example", body: '"${card}"' }),
    apiCall("without", { method: "POST", url: "https://a.example", body: "1" }),
  );
  const card = JSON.stringify(await upload(server));
  const newDryRun = { bpmn, variables: { card: { value: card } } };
  const { service_tasks } = await api.dryRunProcess({ xActiveTenant: "tenant-1", newDryRun });
  await bare.stop();
  expect(service_tasks.map(({ failure }) => failure?.type)).toEqual(["url_issuance_failed", undefined]);
});

test("faults and warnings are those of a deployment, and the tasks are tried all the same", async () => {
  const bpmn = inRow(
    "p",
    apiCall("call", { method: "POST", url: "https://a.example", body: "1" }),
    '<callActivity id="other" calledElement="q"/>',
  );
  const { faults, service_tasks } = await dryRun(bpmn);
  const refused = await deploy(server, bpmn).catch(({ response }) => response.json());
  expect(faults).toEqual(refused.errors.map(({ detail }: { detail: string }) => detail));
  expect(faults).toHaveLength(1);
  expect(service_tasks[0]?.request?.body).toBe("1");
  const broken = await dryRun("<definitions");
  expect(broken.faults.length).toBeGreaterThan(0);
  expect(broken.service_tasks).toEqual([]);
});

test("forms are checked if they are given", async () => {
  const bpmn = model(
    "p",
    [start("start", 'camunda:formRef="apply"'), end(), flow("start", "end")].join("\n"),
  );
  expect((await dryRun(bpmn)).faults).toEqual([]);
  expect((await dryRun(bpmn, { forms: [] })).faults).toEqual([expect.stringContaining('the form "apply"')]);
  const apply = { id: "apply", components: [{ type: "number", key: "a", defaultValue: 1.5 }] };
  expect((await dryRun(bpmn, { forms: [apply] })).faults).toEqual([]);
});

test("a model of Operaton is tried too, with events that send messages", async () => {
  const call = apiCall("call", { method: "GET", url: "https://a.example/" });
  const [properties = ""] = /<extensionElements>.*<\/extensionElements>/s.exec(call) ?? [];
  const definition = '<messageEventDefinition id="d" camunda:type="external" camunda:topic="api-call"/>';
  const event = `<intermediateThrowEvent id="sent">${properties}${definition}</intermediateThrowEvent>`;
  const bpmn = inRow("p", call, event).replaceAll("camunda", "operaton");
  const { service_tasks } = await dryRun(bpmn);
  expect(service_tasks.map(({ activity_id }) => activity_id)).toEqual(["call", "sent"]);
  for (const { request } of service_tasks) expect(request?.url).toBe("https://a.example/");
});

test("a body with faults gets all of them, and only administrators of the tenant may ask", async () => {
  const { errors } = await expectProblem(
    await send({ bpmn: "", variables: { a: { value: "x", type: "Long" } } }),
    "invalid_body",
  );
  expect(errors?.map(({ pointer }) => pointer).sort()).toEqual(["/bpmn", "/variables/a/value"]);
  await expectProblem(await send({ bpmn: "é".repeat(1024 ** 2 + 1) }), "invalid_body");
  const members = await server.processes({ user: "bob", roles: ["member"] });
  const refused = members.dryRunProcess({ xActiveTenant: "tenant-1", newDryRun: { bpmn: "x" } });
  await expect(refused).rejects.toMatchObject({ response: { status: 401 } });
});

test("1,000 tasks with 16 MiB of variables are refused as too large, and others are served meanwhile", async () => {
  const tasks = Array.from({ length: 1_000 }, (_, index) =>
    apiCall(`t${index}`, { method: "POST", url: "https://a.example/", body: '{"a":"${a}"}' }),
  );
  const bpmn = inRow("p", ...tasks);
  let longest = 0;
  let isOver = false;
  const watch = (async () => {
    while (!isOver) {
      const began = performance.now();
      await Bun.sleep(5);
      longest = Math.max(longest, performance.now() - began);
    }
  })();
  const large = await send({ bpmn, variables: { a: { value: "x".repeat(16 * 1024 ** 2) } } });
  const { message } = await expectProblem(large, "answer_too_large");
  expect(message).toBe(
    "The requests of the service tasks are larger than 16777216 bytes together. Send smaller variables.",
  );
  const many = await send({ bpmn, variables: { a: { value: "\u0001".repeat(4_000) } } });
  await expectProblem(many, "answer_too_large");
  isOver = true;
  await watch;
  expect(longest).toBeLessThan(2_000);
  const fits = await dryRun(bpmn, { variables: { a: "x" } });
  expect(fits.service_tasks).toHaveLength(1_000);
  expect(fits.service_tasks.at(-1)).toMatchObject({ activity_id: "t999", request: { body: '{"a":"x"}' } });
});

test("of more than 1,000 tasks the first are shown, with a warning", async () => {
  const task = (index: number) => apiCall(`t${index}`, { method: "GET", url: "https://a.example/" });
  const bpmn = inRow("p", ...Array.from({ length: 1_001 }, (_, index) => task(index)));
  const { service_tasks, warnings } = await dryRun(bpmn);
  expect(service_tasks).toHaveLength(1_000);
  expect(warnings).toEqual(["The model has 1001 service tasks. Only the first 1000 are shown."]);
});
