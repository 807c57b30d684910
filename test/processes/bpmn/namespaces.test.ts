/** `operaton:` means what `camunda:` means, whatever the prefixes are. */
import { expect, test } from "bun:test";
import { type ProcessModel, readModel } from "../../../src/processes/bpmn/readModel.ts";
import { apiCall, end, flow, model, start, userTask } from "../../support/bpmn.ts";

const camunda = "http://camunda.org/schema/1.0/bpmn";
const operaton = "http://operaton.org/schema/1.0/bpmn";

const loan = await Bun.file(
  new URL("../../../examples/loan-application/loan_application.bpmn", import.meta.url),
).text();

const between = (key: string, element: string, id: string) =>
  model(key, [start("start", 'camunda:formRef="f"'), element, end(), flow("start", id, "end")].join("\n"));
const extended = (inner: string) =>
  between("extended", `<userTask id="x"><extensionElements>${inner}</extensionElements></userTask>`, "x");

const models: readonly [name: string, xml: string][] = [
  ["the loan application", loan],
  ["forms", between("forms", userTask("x", 'camunda:formKey="camunda-forms:deployment:a.form"'), "x")],
  ["a page", between("page", userTask("x", 'camunda:formKey="embedded:app:a.html"'), "x")],
  [
    "ignored attributes",
    between("ignored", userTask("x", 'camunda:dueDate="2026-01-01" camunda:priority="1"'), "x"),
  ],
  ["an attribute in the wrong place", between("wrong", userTask("x", 'camunda:class="a.B"'), "x")],
  ["a Java class", between("java", '<serviceTask id="x" camunda:class="a.B"/>', "x")],
  [
    "another topic",
    between("mail", '<serviceTask id="x" camunda:type="external" camunda:topic="mail"/>', "x"),
  ],
  ["a wrong property", between("property", apiCall("x", { url: "https://a.example", retries: "3" }), "x")],
  [
    "a property twice",
    extended('<camunda:properties><camunda:property name="a" value="b"/></camunda:properties>'),
  ],
  ["a task listener", extended('<camunda:taskListener event="create" class="a.B"/>')],
  [
    "an input",
    extended(
      '<camunda:inputOutput><camunda:inputParameter name="a">1</camunda:inputParameter></camunda:inputOutput>',
    ),
  ],
  ["fields", extended('<camunda:formData><camunda:formField id="x" type="string"/></camunda:formData>')],
  ["retries", extended("<camunda:failedJobRetryTimeCycle>R3/PT1M</camunda:failedJobRetryTimeCycle>")],
];

/** All that a reader of the model learns. */
async function view(xml: string) {
  const read = await readModel(xml);
  if ("faults" in read) return read;
  const { source: _source, ...facts }: ProcessModel = read.model;
  return facts;
}

const inOtherPrefix = (xml: string) =>
  xml.replaceAll(/\bcamunda:(?=\w)/g, "o:").replace("xmlns:camunda=", "xmlns:o=");

/** Both namespaces: every second name is in the other one. */
function mixed(xml: string): string {
  let count = 0;
  const other = (name: string) => (count++ % 2 === 0 ? name : name.replace("camunda:", "operaton:"));
  return xml
    .replaceAll(/(?<=\s)camunda:\w+(?==")/g, other)
    .replace(`xmlns:camunda="${camunda}"`, `xmlns:camunda="${camunda}" xmlns:operaton="${operaton}"`);
}

test.each(models)("%s: the namespaces of Camunda and Operaton mean the same", async (_, xml) => {
  const expected = await view(xml);
  for (const [name, same] of [
    ["operaton", xml.replace(camunda, operaton)],
    ["operaton with its prefix", inOtherPrefix(xml).replace(camunda, operaton)],
    ["camunda with another prefix", inOtherPrefix(xml)],
    ["both", mixed(xml)],
  ] as const)
    expect([name, await view(same)]).toEqual([name, expected]);
});

test("the prefix camunda of another namespace means nothing", async () => {
  const xml = between("other", userTask("x", 'camunda:formRef="form"'), "x").replace(camunda, "urn:other");
  const read = await view(xml);
  expect(read).toMatchObject({ startFormRef: undefined });
});

test("an attribute in both namespaces has one value", async () => {
  const task = (mine: string, theirs: string) =>
    between(
      "both",
      userTask("x", `xmlns:o="${operaton}" o:formRef="${mine}" camunda:formRef="${theirs}"`),
      "x",
    );
  expect(await view(task("a", "a"))).toMatchObject({
    userTasks: new Map([["x", expect.objectContaining({ formRef: "a" })]]),
  });
  expect(await view(task("a", "b"))).toMatchObject({
    faults: [{ line: 5, element: "x", detail: expect.stringContaining("formRef twice") }],
  });
});
