import { expect, test } from "bun:test";
import { formRefOf, propertiesOf } from "../../../src/processes/bpmn/elements.ts";
import { loadModel, readModel } from "../../../src/processes/bpmn/readModel.ts";
import { apiCall, conditionalFlow, end, flow, model, start, userTask } from "../../support/bpmn.ts";

/** User tasks in a row, each with the given number of further flows to later tasks. */
function large(tasks: number, more: number): string {
  const ids = Array.from({ length: tasks }, (_, index) => `t${index}`);
  const extra = Array.from({ length: more }, (_, index) =>
    flow(`t${index % tasks}`, `t${((index % tasks) + 2 + Math.floor(index / tasks)) % tasks}`),
  );
  return model(
    "large",
    [start(), ...ids.map((id) => userTask(id)), end(), flow("start", ...ids, "end"), ...extra].join("\n"),
  );
}

test("the largest model is read", async () => {
  expect(await readModel(large(900, 3_000))).toMatchObject({ model: { processKey: "large" } });
});

test.each([
  ["elements", large(1_000, 0)],
  ["flows", large(900, 3_200)],
])("a model with too many %s is refused", async (_, xml) => {
  const read = await readModel(xml);
  expect("faults" in read && read.faults.map(({ detail }) => detail)).toEqual([
    "The process has more than 1000 elements or 4000 flows.",
  ]);
});

const initiated = (initiator: string) =>
  model("p", [start("start", `camunda:initiator="${initiator}"`), end(), flow("start", "end")].join("\n"));

test("the variable of the initiator has a name that a variable can have", async () => {
  const read = await readModel(initiated("starter"));
  expect("model" in read && [read.model.initiator, read.model.warnings]).toEqual(["starter", []]);
  for (const name of ["secret.key", "a&#9;b", "x".repeat(256)])
    expect(await readModel(initiated(name))).toMatchObject({
      faults: [{ element: "start", detail: expect.stringContaining("camunda:initiator is no name") }],
    });
  const empty = await readModel(initiated(""));
  expect("model" in empty && [empty.model.initiator, empty.model.warnings]).toEqual([
    undefined,
    ['Line 4, "start": camunda:initiator is empty and ignored.'],
  ]);
});

test("a deployed model is loaded even if it would be refused today", async () => {
  const script = '<scriptTask id="a" scriptFormat="js"><script>1</script></scriptTask>';
  const xml = model("old", [start(), script, end(), flow("start", "a", "end")].join("\n"));
  expect(await readModel(xml)).toHaveProperty("faults");
  expect(await loadModel(xml)).toMatchObject({ processKey: "old" });
});

const gateway = (kind: string, id: string) => `<${kind}Gateway id="${id}"/>`;
const twin = (from: string, to: string) => flow(from, to).replace(' id="', ' id="second_');
const catching = (id: string, attributes = "") =>
  `<boundaryEvent id="${id}" attachedToRef="a"><errorEventDefinition id="${id}_d" ${attributes}/></boundaryEvent>`;

test.each<[string, string[], [number, string, string][]]>([
  [
    "two flows from a task to one",
    [userTask("a"), userTask("b"), flow("start", "a", "b", "end"), twin("a", "b")],
    [[12, "second_a_b", "There is another flow from"]],
  ],
  [
    "two flows from a fork to its join",
    [gateway("parallel", "a"), gateway("parallel", "b"), flow("start", "a", "b", "end"), twin("a", "b")],
    [[12, "second_a_b", "There is another flow from"]],
  ],
  [
    "a condition behind a fork",
    [
      gateway("parallel", "a"),
      userTask("b"),
      flow("start", "a"),
      conditionalFlow("a", "b", "${false}"),
      flow("b", "end"),
    ],
    [[10, "a_b", "A parallel gateway takes all its flows and ignores conditions. Remove this condition."]],
  ],
  [
    "two boundary events that catch all",
    [
      '<subProcess id="a"><startEvent id="in"/></subProcess>',
      catching("x"),
      catching("y"),
      flow("start", "a", "end"),
      flow("x", "end"),
      flow("y", "end"),
    ],
    [[9, "y", "Another boundary event of this activity also catches every error."]],
  ],
  [
    "a listener of the process",
    [
      '<extensionElements><camunda:executionListener class="x" event="start"/></extensionElements>',
      userTask("a"),
      flow("start", "a", "end"),
    ],
    [[3, "refused", "Execution listeners are not supported."]],
  ],
])("refused by name and line: %s", async (_, parts, expected) => {
  const [first = "", ...rest] = parts;
  const all = first.startsWith("<ext") ? [first, start(), end(), ...rest] : [start(), end(), "", ...parts];
  const read = await readModel(model("refused", all.join("\n")));
  const faults = "faults" in read ? read.faults : [];
  expect(faults.map(({ line, element, detail }) => [line, element, detail] as unknown)).toEqual(
    expected.map(([line, element, detail]) => [line, element, expect.stringContaining(detail)]),
  );
});

test("two flows of an exclusive gateway may lead to the same element", async () => {
  const flows = [
    conditionalFlow("a", "b", "${true}"),
    conditionalFlow("a", "b", "${false}").replace('id="', 'id="second_'),
    flow("start", "a"),
    flow("b", "end"),
  ];
  const read = await readModel(
    model("one", [start(), gateway("exclusive", "a"), userTask("b"), end(), ...flows].join("\n")),
  );
  expect(read).toHaveProperty("model");
});

test.each([
  ["an id that is none", '<userTask id="bad id"/>', "illegal ID <bad id>", 6],
  ["an element of nobody", '<foo id="a"/>', "unknown type <bpmn:Foo>", 6],
])("an element that cannot be read is the only fault, with its line: %s", async (_, element, why, line) => {
  const read = await readModel(
    model("unread", [start(), "", element, end(), flow("start", "end")].join("\n")),
  );
  expect("faults" in read && read.faults).toEqual([
    { line, element: undefined, detail: expect.stringContaining(why) },
  ]);
});

test.each([
  ["camunda-forms:deployment:loan.form", "loan"],
  ["camunda-forms:deployment:forms/2026/loan.form", "loan"],
  ["camunda-forms:bpmn:loan", "loan"],
  ["camunda-forms:deployment:a/.form", ".form"],
  ["camunda-forms:deployment:a/b/", "b/"],
  ["camunda-forms:deployment:/", "/"],
  ["camunda-forms:deployment:", "camunda-forms:deployment:"],
  ["operaton-forms:deployment:loan.form", "loan"],
  ["loan", "loan"],
  ["embedded:app:forms/loan.html", undefined],
  ["embedded:deployment:forms/loan.html", undefined],
  ["app:loan.jsf", undefined],
  ["forms/loan.html", undefined],
])("the form key %s names the form %s", (formKey, name) => {
  expect(formRefOf({ $type: "bpmn:UserTask", formKey })).toBe(name);
});

test("a form key with 60,000 slashes is read quickly", async () => {
  const key = `camunda-forms:deployment:${"/".repeat(60_000)}\u2028`;
  const xml = model(
    "slashes",
    [start("start", `camunda:formKey="${key}"`), end(), flow("start", "end")].join(""),
  );
  const begun = performance.now();
  await readModel(xml);
  expect(performance.now() - begun).toBeLessThan(1_000);
});

test("100,000 properties are read quickly, and repeated names are found", () => {
  const name = (index: number) => (index === 99_999 ? "p7" : `p${index}`);
  const values = Array.from({ length: 100_000 }, (_, index) => ({ name: name(index), value: "1" }));
  const properties = { $type: "camunda:Properties", values };
  const begun = performance.now();
  const read = propertiesOf({ $type: "bpmn:ServiceTask", extensionElements: { values: [properties] } });
  expect(performance.now() - begun).toBeLessThan(3_000);
  expect(read).toMatchObject({ repeated: ["p7"], count: 100_000 });
});

test("a service task has at most 200 properties", async () => {
  const properties = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`query.q${index}`, "1"]));
  const read = async (count: number) => {
    const call = apiCall("call", { method: "GET", url: "https://a.example", ...properties(count) });
    const result = await readModel(
      model("many", [start(), call, end(), flow("start", "call", "end")].join("\n")),
    );
    return "faults" in result ? result.faults.map(({ detail }) => detail) : [];
  };
  expect(await read(198)).toEqual([]);
  expect(await read(199)).toEqual(["A service task has at most 200 properties. This one has 201."]);
});

test("an id has at most 255 characters, a name 1,000", async () => {
  const read = async (id: string, name: string) => {
    const task = `<userTask id="${id}" name="${name}"/>`;
    const result = await readModel(
      model("long", [start(), task, end(), flow("start", id, "end")].join("\n")),
    );
    return "faults" in result ? result.faults.map(({ detail }) => detail) : [];
  };
  expect(await read("a".repeat(240), "n".repeat(1_000))).toEqual([]);
  expect(await read("a", "n".repeat(1_001))).toEqual(["The name is longer than 1000 characters."]);
  expect(await read("a".repeat(256), "n")).toContain("The id is longer than 255 characters.");
});
