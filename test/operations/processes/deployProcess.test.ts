/** Deployments are validated completely, and become versions of their process. A refused one stores nothing. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { fileURLToPath } from "node:url";
import {
  apiCall,
  boundaryError,
  conditionalFlow,
  end,
  flow,
  model,
  start,
  userTask,
} from "../../support/bpmn.ts";
import { stopsDuring } from "../../support/eventLoop.ts";
import { expectProblem, type ProblemBody } from "../../support/problem.ts";
import { deploy, freshKey, startInstance } from "../../support/processes.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { makeTable } from "../../support/tables.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

async function send(bpmn: string, forms: readonly string[] = [], headers: Record<string, string> = {}) {
  const body = new FormData();
  body.set("bpmn", new File([bpmn], "model.bpmn"));
  for (const form of forms) body.append("form", new File([form], "a.form"));
  const init = { method: "POST", headers: { "x-active-tenant": "tenant-1", ...headers }, body };
  return server.request("/api/v1/probis/process-definitions", init);
}

async function refusal(bpmn: string, forms: readonly string[] = []): Promise<string[]> {
  const problem: ProblemBody = await expectProblem(await send(bpmn, forms), "invalid_bpmn");
  return (problem.errors ?? []).map(({ detail }) => detail);
}

const between = (element: string, id: string, beside = "") =>
  model(freshKey(), [start(), element, end(), flow("start", id, "end")].join("\n"), beside);

test("the loan application of examples/ deploys with its forms and without a warning", async () => {
  const folder = fileURLToPath(new URL("../../../examples/loan-application/", import.meta.url));
  const read = (name: string) => Bun.file(folder + name).text();
  const forms = ["loan_application", "correct_application", "review_application"];
  const answer = await send(
    await read("loan_application.bpmn"),
    await Promise.all(forms.map((name) => read(`${name}.form`))),
  );
  expect(answer.status).toBe(201);
  expect(await answer.json()).toEqual({
    process_key: "loan_application",
    version: 1,
    name: "Loan application",
    warnings: [],
  });
});

test("each deployment of a process is its next version, even if many come at the same time", async () => {
  const key = freshKey();
  const bpmn = model(key, [start(), end(), flow("start", "end")].join("\n"));
  const deployed = await Promise.all(Array.from({ length: 6 }, () => deploy(server, bpmn)));
  expect(deployed.map(({ version }) => version).sort()).toEqual([1, 2, 3, 4, 5, 6]);
});

describe("what the engine cannot run is refused with its element and line", () => {
  const cases: [name: string, element: string, words: RegExp][] = [
    [
      "a script task",
      '<scriptTask id="x" scriptFormat="javascript"><script>1</script></scriptTask>',
      /script task/,
    ],
    ["a business rule task", '<businessRuleTask id="x" camunda:decisionRef="d"/>', /business rule task/],
    ["a send task", '<sendTask id="x"/>', /send task/],
    ["a receive task", '<receiveTask id="x"/>', /receive task/],
    ["a call activity", '<callActivity id="x" calledElement="other"/>', /call activity/],
    ["a Java class", '<serviceTask id="x" camunda:class="com.bank.Send"/>', /external/],
    ["a delegate expression", '<serviceTask id="x" camunda:delegateExpression="${bean}"/>', /external/],
    ["another topic", '<serviceTask id="x" camunda:type="external" camunda:topic="mail"/>', /topic/],
    [
      "multiple instances",
      '<userTask id="x"><multiInstanceLoopCharacteristics/></userTask>',
      /multiple instances/,
    ],
    ["a standard loop", '<userTask id="x"><standardLoopCharacteristics/></userTask>', /Loops/],
    ["a transaction", '<transaction id="x"/>', /transaction/],
    ["an event-based gateway", '<eventBasedGateway id="x"/>', /event based gateway/],
    ["a complex gateway", '<complexGateway id="x"/>', /complex gateway/],
    [
      "a message event",
      '<intermediateCatchEvent id="x"><messageEventDefinition/></intermediateCatchEvent>',
      /message event/,
    ],
    [
      "a cycle",
      `<intermediateCatchEvent id="x">
        <timerEventDefinition><timeCycle>R3/PT1S</timeCycle></timerEventDefinition>
      </intermediateCatchEvent>`,
      /cycle/,
    ],
    [
      "a bad duration",
      `<intermediateCatchEvent id="x">
        <timerEventDefinition><timeDuration>soon</timeDuration></timerEventDefinition>
      </intermediateCatchEvent>`,
      /"soon"/,
    ],
    [
      "an input mapping",
      `<userTask id="x"><extensionElements>
        <camunda:inputOutput><camunda:inputParameter name="a">1</camunda:inputParameter></camunda:inputOutput>
      </extensionElements></userTask>`,
      /Input and output/,
    ],
    [
      "a listener",
      `<userTask id="x"><extensionElements>
        <camunda:executionListener class="a.B" event="start"/>
      </extensionElements></userTask>`,
      /listeners/,
    ],
    ["a service task without a URL", apiCall("x", { method: "POST", body: "{}" }), /"url"/],
    ["a body that is no JSON", apiCall("x", { method: "POST", url: "https://a.example", body: "{" }), /JSON/],
    ["a body with GET", apiCall("x", { method: "GET", url: "https://a.example", body: "{}" }), /GET/],
    ["a URL of another kind", apiCall("x", { method: "GET", url: "ftp://a.example/x" }), /https:/],
    [
      "an unknown property",
      apiCall("x", { method: "GET", url: "https://a.example", retries: "3" }),
      /"retries"/,
    ],
  ];
  test.each(cases)("%s", async (_name, element, words) => {
    const [first = ""] = await refusal(between(element, "x"));
    expect(first).toMatch(words);
    expect(first).toMatch(/^Line 5, "x": /);
  });
});

test("all faults are reported together, each with its line", async () => {
  const bpmn = between('<scriptTask id="a"/>\n<sendTask id="b"/>\n<callActivity id="c"/>', "a");
  expect((await refusal(bpmn)).map((detail) => /^Line \d+, "\w+"/.exec(detail)?.[0])).toEqual([
    'Line 5, "a"',
    'Line 6, "b"',
    'Line 7, "c"',
  ]);
});

test("what is not BPMN is refused: other or broken XML, entities, dangling references, repeated ids", async () => {
  for (const text of ["", "nonsense", "<a/>", "<definitions>", '{"a":1}'])
    expect(await refusal(text)).not.toEqual([]);
  const bomb = '<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><definitions>&b;</definitions>';
  expect((await refusal(bomb)).join()).toContain("document type");
  const dangling = model(freshKey(), [start(), end(), flow("start", "nowhere")].join("\n"));
  expect((await refusal(dangling)).join()).toContain("nowhere");
  const twice = model(freshKey(), [start(), end(), end(), flow("start", "end")].join("\n"));
  expect((await refusal(twice)).join()).toContain("twice");
});

test("a process needs one start event, isExecutable, and a key that can name a table", async () => {
  const key = freshKey();
  const two = model(key, [start(), start("other"), end(), flow("start", "end")].join("\n"));
  expect((await refusal(two)).join()).toContain("one start event");
  const inert = model(key, [start(), end(), flow("start", "end")].join("\n")).replace(
    'isExecutable="true"',
    "",
  );
  expect((await refusal(inert)).join()).toContain("isExecutable");
  const long = model("k".repeat(60), [start(), end(), flow("start", "end")].join("\n"));
  expect((await refusal(long)).join()).toContain("59 bytes");
});

test("huge and deep models are refused quickly", async () => {
  const many = Array.from({ length: 25_000 }, (_, n) => `<userTask id="t${n}"/>`).join("");
  expect((await refusal(model(freshKey(), many))).join()).toContain("20000");
  const deep = "<subProcess>".repeat(10_000) + "</subProcess>".repeat(10_000);
  expect((await refusal(model(freshKey(), deep))).join()).toContain("60 levels");
  const tooLarge = await send(`<!--${"x".repeat(2 * 1024 ** 2)}-->`);
  await expectProblem(tooLarge, "invalid_body");
});

test("other requests are served while a large model and large forms are read", async () => {
  const properties = Array.from({ length: 10_000 }, (_, n) => `<camunda:property name="p${n}" value="1"/>`);
  const extensions = `<extensionElements>
    <camunda:properties>${properties.join("")}</camunda:properties>
  </extensionElements>`;
  const bpmn = between(`<userTask id="x">${extensions}</userTask>`, "x");
  const form = (id: number) =>
    JSON.stringify({ id: `f${id}`, components: [], filling: Array(50_000).fill(0) });
  const forms = Array.from({ length: 10 }, (_, id) => form(id));
  // A new thread loads its modules first.
  await send(bpmn, forms);
  const { longest, total } = await stopsDuring(async () => {
    expect((await send(bpmn, forms)).status).toBe(201);
  });
  expect(longest).toBeLessThan(total / 2);
});

test("forms have at most 2,000 components and 64 levels", async () => {
  const bpmn = between(userTask("x"), "x");
  const textfield = (_: unknown, index: number) => ({ type: "textfield", key: `k${index}` });
  const wide = (count: number) =>
    JSON.stringify({ id: "f", components: Array.from({ length: count }, textfield) });
  expect((await send(bpmn, [wide(2_000)])).status).toBe(201);
  const many = await expectProblem(await send(bpmn, [wide(2_001)]), "invalid_form");
  expect(many.errors?.[0]?.detail).toContain("2000 components");
  for (const levels of [100, 100_000]) {
    const deep = `{"id":"f","components":[],"x":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    await expectProblem(await send(bpmn, [deep]), "invalid_form");
  }
});

test("ignored elements are warnings with their line", async () => {
  const task = userTask("x", 'camunda:priority="5" camunda:dueDate="2026-01-01T00:00:00Z"');
  const { warnings } = await deploy(server, between(task, "x"));
  expect(warnings).toHaveLength(2);
  expect(warnings[0]).toMatch(/^Line 5, "x": camunda:dueDate is ignored/);
});

test("an inclusive gateway may split, but not join", async () => {
  const key = freshKey();
  const gateways = '<inclusiveGateway id="split" default="split_end"/>\n<inclusiveGateway id="merge"/>';
  const split = [flow("start", "split", "end"), conditionalFlow("split", "a", "${n > 1}")];
  const parts = [start(), end(), userTask("a"), gateways];
  const joined = [...parts, ...split, flow("a", "merge", "end"), flow("start", "merge")];
  expect((await refusal(model(key, joined.join("\n")))).join()).toContain(
    '"merge": An inclusive gateway that joins',
  );
  await deploy(server, model(key, [...parts, ...split, flow("a", "merge", "end")].join("\n")));
});

test("an external pool and its message flows have no effect", async () => {
  const key = freshKey();
  const flows =
    '<messageFlow id="asks" sourceRef="them" targetRef="x"/><messageFlow id="tells" sourceRef="x" targetRef="them"/>';
  const collaboration = `
    <collaboration id="c">
      <participant id="us" processRef="${key}"/>
      <participant id="them" name="Customer"/>
      ${flows}
    </collaboration>`;
  const body = [start(), userTask("x"), end(), flow("start", "x", "end")].join("\n");
  const { warnings } = await deploy(server, model(key, body, collaboration));
  expect(warnings.map((text) => text.replace(/^Line \d+, /, ""))).toEqual([
    '"asks": A message flow is ignored.',
    '"tells": A message flow is ignored.',
  ]);
  expect((await startInstance(server, key)).state).toBe("active");
});

test("what can never happen is a warning: variables of errors, rejections that nothing catches", async () => {
  const key = freshKey();
  const properties = { method: "GET", url: "https://a.example", redirect_failures_to_error_boundary: "true" };
  const { event, error } = boundaryError("refused", "caught");
  const named = event.replace("errorRef", 'camunda:errorCodeVariable="code" errorRef');
  const other = boundaryError("other", "uncaught", "ANOTHER");
  const parts = [
    start(),
    apiCall("caught", properties),
    named,
    apiCall("uncaught", properties),
    other.event,
    end(),
    flow("start", "caught", "uncaught", "end"),
    flow("refused", "end"),
    flow("other", "end"),
  ];
  const { warnings } = await deploy(server, model(key, parts.join("\n"), `${error}${other.error}`));
  expect(warnings.map((text) => text.replace(/^Line \d+, /, "")).toSorted()).toEqual([
    '"refused": camunda:errorCodeVariable is ignored. The variables error_status and error_body hold the refusal.',
    '"uncaught": No boundary event catches the error INTEGRATION_REJECTED. Refusals become incidents.',
  ]);
});

test("forms are form-js schemas with ids, and every form that the model names is included", async () => {
  const task = userTask("x", 'camunda:formRef="review"');
  const bpmn = between(task, "x");
  const missing = await expectProblem(await send(bpmn), "invalid_form");
  expect(missing.errors?.[0]?.detail).toContain('"review"');
  for (const form of ["{", "[]", '{"id":"review"}', '{"components":[]}'])
    await expectProblem(await send(bpmn, [form]), "invalid_form");
  const good = '{"id":"review","components":[]}';
  await expectProblem(await send(bpmn, [good, good]), "invalid_form");
  expect((await send(bpmn, [good])).status).toBe(201);
});

test("the table builder neither shows nor touches a process's transaction table", async () => {
  const key = freshKey();
  await deploy(server, model(key, [start(), end(), flow("start", "end")].join("\n")));
  const tables = "/api/v1/report/1/schema/tables";
  const listed = await (await server.request(tables)).json();
  expect(JSON.stringify(listed)).not.toContain(`trx_${key}`);
  await expectProblem(await server.request(`${tables}/trx_${key}`), "table_not_found");
  await expectProblem(await server.request(`${tables}/trx_${key}/rows`), "table_not_found");
  const drop = { method: "DELETE", body: JSON.stringify({ confirm: true }) };
  await expectProblem(
    await server.request(`${tables}/trx_${key}?confirm=true`, drop),
    "table_not_found",
  ).catch(() => undefined);
  const create = { name: `trx_${key}`, columns: [{ name: "a", type: "text" }] };
  const taken = await server.request(tables, { method: "POST", body: JSON.stringify(create) });
  await expectProblem(taken, "table_name_in_use");
});

test("a process key whose table the tenant already has is refused", async () => {
  const key = freshKey();
  const table = await makeTable(server, { a: "text" }, { name: `trx_${key}` });
  await table.insert({ a: "mine" });
  const answer = await send(model(key, [start(), end(), flow("start", "end")].join("\n")));
  await expectProblem(answer, "process_key_in_use");
  expect(await table.values()).toEqual([{ a: "mine" }]);
});

test("only administrators can deploy", async () => {
  const bpmn = between(userTask("x"), "x");
  for (const roles of [["member"], ["engine"]]) {
    const authorization = `Bearer ${await server.token({ roles })}`;
    await expectProblem(await send(bpmn, [], { authorization }), "unauthenticated");
  }
});
