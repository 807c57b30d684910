/** What is refused says why and what to do. What is good although it looks odd is not refused. */
import { describe, expect, test } from "bun:test";
import { type ProcessModel, readModel } from "../../../src/processes/bpmn/readModel.ts";
import { runStep, type Snapshot } from "../../../src/processes/engines/embedded/run.ts";
import { boundaryTimer, conditionalFlow, end, flow, model, start, userTask } from "../../support/bpmn.ts";

const between = (element: string, id = "x", beside = "") =>
  model("odd", [start(), element, end(), flow("start", id, "end")].join("\n"), beside);

async function faultsOf(xml: string) {
  const read = await readModel(xml);
  return "faults" in read
    ? read.faults.map(({ line, element, detail }) => `${line} ${element}: ${detail}`)
    : [];
}

async function accepted(xml: string): Promise<ProcessModel> {
  const read = await readModel(xml);
  if ("faults" in read) throw new Error(JSON.stringify(read.faults));
  return read.model;
}

const begin = (given: ProcessModel, values: Record<string, unknown> = {}): Snapshot =>
  runStep({ model: given, state: undefined, event: { kind: "started" }, values });
const tasksOf = ({ userTasks }: Snapshot) => userTasks.map(({ activityId }) => activityId);

describe("what another engine can run names ENGINE_URL", () => {
  const script = '<userTask id="y"/><sequenceFlow id="f" sourceRef="x" targetRef="y"><conditionExpression';
  const cases: [name: string, element: string, words: string][] = [
    ["a script task", '<scriptTask id="x"/>', "A script task is not supported."],
    ["a call activity", '<callActivity id="x"/>', "A call activity is not supported."],
    [
      "an event with an escalation",
      '<intermediateThrowEvent id="x"><escalationEventDefinition/></intermediateThrowEvent>',
      "An intermediate throw event with an escalation event is not supported.",
    ],
    ["a class", '<serviceTask id="x" camunda:class="a.B"/>', "This one has camunda:class."],
    ["a bean", '<serviceTask id="x" camunda:delegateExpression="${b}"/>', "has camunda:delegateExpression."],
    [
      "a topic",
      '<serviceTask id="x" camunda:type="external" camunda:topic="mail"/>',
      'This one has the topic "mail".',
    ],
    ["no topic", '<serviceTask id="x" camunda:type="external"/>', "This one has no topic."],
    ["another type", '<serviceTask id="x" camunda:type="mail"/>', 'This one has camunda:type="mail".'],
    ["nothing", '<serviceTask id="x"/>', "This one has no camunda:type."],
    ["a loop", '<userTask id="x"><standardLoopCharacteristics/></userTask>', "Loops and multiple instances"],
    [
      "a listener",
      '<userTask id="x"><extensionElements><camunda:taskListener/></extensionElements></userTask>',
      "Task listeners are not supported.",
    ],
    [
      "a cycle",
      `<intermediateCatchEvent id="x"><timerEventDefinition><timeCycle>R/PT1H</timeCycle></timerEventDefinition>
      </intermediateCatchEvent>`,
      "A timer cycle is not supported. Here, use a duration or a date.",
    ],
    [
      "a method",
      `<userTask id="x"/>${script}>\${list.isEmpty()}</conditionExpression></sequenceFlow>`,
      "only these methods of Json: prop(), hasProp(), numberValue(), stringValue(), boolValue(), elements().",
    ],
    [
      "equals",
      `<userTask id="x"/>${script}>\${a.equals('b')}</conditionExpression></sequenceFlow>`,
      "Instead of equals(), write ==.",
    ],
    [
      "a script as a condition",
      `<userTask id="x"/>${script} xsi:type="tFormalExpression" language="js">1</conditionExpression></sequenceFlow>`,
      "Scripts are not supported. Here, write the condition as an expression.",
    ],
  ];
  test.each(cases)("%s", async (_, element, words) => {
    const [first = "", ...others] = await faultsOf(between(element));
    expect(first).toContain(words);
    expect(first).toEndWith("Operaton or Camunda 7 can run this: set ENGINE_URL.");
    expect(others).toEqual([]);
  });

  test("several executable processes", async () => {
    const other = `<process id="other" isExecutable="true">${start("s")}</process>`;
    const [fault = ""] = await faultsOf(between(userTask("x"), "x", other));
    expect(fault).toStartWith("10 other: A model with more than one executable process is not supported.");
    expect(fault).toContain("ENGINE_URL");
  });
});

describe("a model for Camunda 8 is refused by that reason alone", () => {
  const zeebe = 'xmlns:zeebe="http://camunda.org/schema/zeebe/1.0"';
  const modeler = 'xmlns:modeler="http://camunda.org/schema/modeler/1.0"';
  const worker =
    '<serviceTask id="x"><extensionElements><z:taskDefinition type="a"/></extensionElements></serviceTask>';
  const plain = between(userTask("x"));
  test.each([
    [
      "its platform",
      plain.replace("<definitions", `<definitions ${modeler} modeler:executionPlatform="Camunda Cloud"`),
    ],
    [
      "its elements",
      between(worker).replace("<definitions", `<definitions ${zeebe.replace(":zeebe", ":z")}`),
    ],
    [
      "its attributes",
      between(userTask("x", 'zeebe:modelerTemplate="t"')).replace("<definitions", `<definitions ${zeebe}`),
    ],
  ])("%s", async (_, xml) => {
    const faults = await faultsOf(xml);
    expect(faults).toEqual([
      expect.stringContaining("This model is for Camunda 8, which works in another way."),
    ]);
  });

  test("a declared namespace, and the platform Camunda 7, do no harm", async () => {
    const declared = `<definitions ${zeebe} ${modeler} modeler:executionPlatform="Camunda Platform"`;
    expect(await faultsOf(plain.replace("<definitions", declared))).toEqual([]);
  });
});

describe("what looks odd and is good", () => {
  test("two forms with a field of one name are not one id twice", async () => {
    const fields =
      '<extensionElements><camunda:formData><camunda:formField id="name" type="enum"><camunda:value id="a"/>';
    const task = (id: string) =>
      `<userTask id="${id}">${fields}</camunda:formField></camunda:formData></extensionElements></userTask>`;
    const xml = model(
      "fields",
      [start(), task("a"), task("b"), end(), flow("start", "a", "b", "end")].join("\n"),
    );
    expect((await faultsOf(xml)).join()).not.toContain("twice");
    const twice = model("twice", [start(), userTask("a"), userTask("a"), flow("start", "a")].join("\n"));
    expect(await faultsOf(twice)).toEqual([
      '6 a: This id is used twice. The first element with the id "a" is in line 5. Rename one of them.',
    ]);
  });

  test("a diagram may show elements that are gone; a reference of the process may not", async () => {
    const diagram = `<di:BPMNDiagram xmlns:di="http://www.omg.org/spec/BPMN/20100524/DI" id="D">
      <di:BPMNPlane id="P" bpmnElement="gone"><di:BPMNShape id="S" bpmnElement="lost"/></di:BPMNPlane></di:BPMNDiagram>`;
    const { warnings } = await accepted(between(userTask("x"), "x", diagram));
    expect(warnings).toEqual([
      'Line 11, "P": The diagram shows "gone", "lost", but no element has this id. The process runs all the same.',
    ]);
    const [fault] = await faultsOf(between(userTask("x")).replace('targetRef="end"', 'targetRef="gone"'));
    expect(fault).toBe('8 x_end: The targetRef of this sequence flow is "gone", but no element has this id.');
  });

  test("a reference that only documents may lead to nothing; one that the engine follows may not", async () => {
    const parts = [
      ...[start(), userTask("x"), end(), flow("start", "x", "end")],
      '<dataStoreReference id="d" dataStoreRef="gone"/>',
      '<textAnnotation id="t"/><association id="a" sourceRef="x" targetRef="gone"/>',
    ];
    const beside = '<collaboration id="c"><participant id="p" processRef="gone"/></collaboration>';
    const { warnings } = await accepted(model("loose", parts.join("\n"), beside));
    expect(warnings.map((text) => text.replace(/^Line \d+, /, "")).toSorted()).toEqual([
      '"a": The targetRef of this association is "gone", but no element has this id. It is ignored.',
      '"d": The dataStoreRef of this data store reference is "gone", but no element has this id. It is ignored.',
      '"p": The processRef of this participant is "gone", but no element has this id. It is ignored.',
    ]);
    const event =
      '<boundaryEvent id="b" attachedToRef="gone"><errorEventDefinition errorRef="lost"/></boundaryEvent>';
    const faults = (await faultsOf(between(userTask("x") + event))).join("\n");
    expect(faults).toContain('The attachedToRef of this boundary event is "gone"');
    expect(faults).toContain('The errorRef of this error event definition is "lost"');
  });

  test("another encoding is a warning, unless characters were lost", async () => {
    const latin = (name: string) =>
      between(userTask("x")).replace("UTF-8", "ISO-8859-1").replace("Task x", name);
    const words = "The model says that its encoding is ISO-8859-1, and is read as UTF-8. Save it as UTF-8.";
    expect((await accepted(latin("Check"))).warnings).toEqual([expect.stringContaining(words)]);
    expect((await faultsOf(latin("Pr\uFFFDfen"))).join()).toContain(words);
  });

  test("an attribute of Camunda in the wrong place is ignored; one that BPMN does not have is refused", async () => {
    const { warnings } = await accepted(between(userTask("x", 'camunda:class="a.B"')));
    expect(warnings).toEqual(['Line 5, "x": camunda:class is ignored: it has no meaning at a user task.']);
    expect(await faultsOf(between(userTask("x", 'assigned="a"')))).toEqual([
      '5 x: BPMN has no attribute "assigned" of a user task. Remove it.',
    ]);
  });

  test.each(["embedded:app:forms/a.html", "embedded:deployment:a.html", "app:a.jsf", "https://a.example/b"])(
    "the page %s is no form, and is ignored with a warning",
    async (page) => {
      const { warnings, userTasks } = await accepted(between(userTask("x", `camunda:formKey="${page}"`)));
      expect(warnings).toEqual([
        `Line 5, "x": The form "${page}" is ignored: it is a page, and Waybill shows forms of form-js.`,
      ]);
      expect(userTasks.get("x")?.formRef).toBeUndefined();
    },
  );

  test("a path may end at a boundary event", async () => {
    const parts = [
      start(),
      userTask("a"),
      boundaryTimer("b", "a", { after: "PT1S" }),
      end(),
      flow("start", "a", "end"),
    ];
    const given = await accepted(model("short", parts.join("\n")));
    const begun = begin(given);
    expect(tasksOf(begun)).toEqual(["a"]);
    const later = new Date(Date.now() + 5_000);
    const event = { kind: "timerDue", except: new Set<string>() } as const;
    const ended = runStep({ model: given, state: begun.state, event, values: {}, now: later });
    expect([ended.state, ended.userTasks]).toEqual([undefined, []]);
  });
});

test("an empty condition is named as such; an expression in a task's name is not evaluated", async () => {
  const parts = [start(), userTask("x"), end(), flow("start", "x"), conditionalFlow("x", "end", " ")];
  expect(await faultsOf(model("empty", parts.join("\n")))).toEqual([
    "8 x_end: The condition is empty. Write one, such as ${amount > 1000}, or remove it.",
  ]);
  const named = between(userTask("x")).replace('name="Task x"', 'name="Check ${customer}"');
  expect((await accepted(named)).warnings).toEqual([
    'Line 5, "x": The name is shown as it is: expressions in names are not evaluated.',
  ]);
});

describe("a flow without a condition beside others", () => {
  const decision = (kind: string, flows: readonly string[], attribute = "") =>
    model(
      "choice",
      [
        start(),
        `<${kind}Gateway id="g" ${attribute}/>`,
        ...flows.map((_, index) => userTask(`t${index}`)),
        flow("start", "g"),
        ...flows.map((condition, index) =>
          condition === "" ? flow("g", `t${index}`) : conditionalFlow("g", `t${index}`, condition),
        ),
      ].join("\n"),
    );

  // The answers of Operaton 1.0.3 for the same models.
  test.each<[kind: string, flows: string[], attribute: string, tasks: string[] | "refused"]>([
    ["exclusive", ["${true}", ""], "", ["t0"]],
    ["exclusive", ["", "${true}"], "", ["t0"]],
    ["exclusive", ["${false}", ""], "", ["t1"]],
    ["exclusive", ["", ""], "", "refused"],
    ["exclusive", ["${false}", "", ""], "", "refused"],
    ["exclusive", ["${false}", "", ""], 'default="g_t1"', "refused"],
    ["exclusive", ["", "${false}"], 'default="g_t0"', ["t0"]],
    ["inclusive", ["${true}", ""], "", ["t0", "t1"]],
    ["inclusive", ["", "${false}"], "", ["t0"]],
    ["inclusive", ["", ""], "", ["t0", "t1"]],
    ["inclusive", ["${true}", "", ""], 'default="g_t1"', ["t0", "t2"]],
    ["inclusive", ["", "${false}", ""], 'default="g_t0"', ["t2"]],
  ])("%s gateway, %p %s: %p", async (kind, flows, attribute, expected) => {
    const xml = decision(kind, flows, attribute);
    if (expected === "refused") {
      expect((await faultsOf(xml)).join()).toContain("needs a condition unless it is the default flow");
      return;
    }
    const given = await accepted(xml);
    expect(tasksOf(begin(given)).toSorted()).toEqual(expected);
    const isOdd = kind === "exclusive" && attribute === "";
    expect(given.warnings.length).toBe(isOdd ? 1 : 0);
    if (isOdd) expect(given.warnings[0]).toContain("Make it the default flow.");
  });
});
