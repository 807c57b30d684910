/** Whatever a model has lost or has twice, deploying it is refused with a reason, or works. Nothing throws. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { loadModel, readModel } from "../../../src/processes/bpmn/readModel.ts";
import { ProcessFailure } from "../../../src/processes/engines/embedded/processFailure.ts";
import { runStep } from "../../../src/processes/engines/embedded/run.ts";
import { OverBudget } from "../../../src/processes/engines/embedded/stepWatch.ts";
import { apiCall, boundaryError, boundaryTimer, conditionalFlow, flow, model } from "../../support/bpmn.ts";
import { nodesOf, readTree, writeTree, type XmlNode } from "../../support/xmlTree.ts";

const error = boundaryError("rejected", "call");

const refused = {
  data: '<camunda:formData><camunda:formField id="a"/></camunda:formData>',
  loop: "<multiInstanceLoopCharacteristics><loopCardinality>2</loopCardinality></multiInstanceLoopCharacteristics>",
  elements: `<callActivity id="called" calledElement="x"/>
    <intermediateCatchEvent id="got"><messageEventDefinition messageRef="message"/></intermediateCatchEvent>
    <scriptTask id="script" scriptFormat="js"><script>1</script></scriptTask>
    <businessRuleTask id="rule"/><receiveTask id="receive" messageRef="message"/>`,
};

/** A process with all that the engine ignores, and more. */
const withAll = ({ data, loop, elements }: typeof refused) =>
  model(
    "everything",
    `
  <ioSpecification><dataInput id="pi"/><inputSet/><outputSet/></ioSpecification>
  <property id="pp" name="p"/>
  <laneSet id="lanes"><lane id="lane"><flowNodeRef>task</flowNodeRef></lane></laneSet>
  <startEvent id="start" camunda:formKey="embedded:app:a.html"/>
  <userTask id="task" camunda:formRef="f" camunda:assignee="a">
    <extensionElements>${data}<foreign xmlns="urn:x" id="y">z</foreign></extensionElements>
    <ioSpecification>
      <dataInput id="di"/><dataOutput id="do"/><inputSet/><outputSet/>
    </ioSpecification>
    <property id="pr" name="x"/>
    <dataInputAssociation id="dia"><sourceRef>dor</sourceRef><targetRef>di</targetRef></dataInputAssociation>
    <dataOutputAssociation id="doa"><sourceRef>do</sourceRef><targetRef>dor</targetRef></dataOutputAssociation>
    <performer id="p"><resourceRef>resource</resourceRef></performer>
    <humanPerformer id="hp"><resourceRef>resource</resourceRef>
      <resourceParameterBinding parameterRef="rp"><formalExpression>x</formalExpression></resourceParameterBinding>
    </humanPerformer>
    <potentialOwner id="po"><resourceAssignmentExpression>
      <formalExpression>user(x), group(\${y})</formalExpression>
    </resourceAssignmentExpression></potentialOwner>
    ${loop}
  </userTask>
  <dataObject id="data"/><dataObjectReference id="dor" dataObjectRef="data"/>
  <dataStoreReference id="dsr" dataStoreRef="store"/>
  ${apiCall("call", { method: "GET", url: "https://a.example/x" })}
  ${error.event}
  ${boundaryTimer("late", "task", { after: "PT1H" })}
  <subProcess id="sub"><startEvent id="in"/><endEvent id="out"/>${flow("in", "out")}</subProcess>
  ${elements}
  <exclusiveGateway id="choice" default="choice_end"/><endEvent id="end"/>
  ${flow("start", "task", "call", "sub", "choice", "end")}
  ${flow("rejected", "end")}
  ${conditionalFlow("choice", "task", "${x > 4}")}
  <textAnnotation id="note"><text>x</text></textAnnotation>
  <association id="line" sourceRef="task" targetRef="note"/>`,
    `${error.error}<resource id="resource" name="r"><resourceParameter id="rp" name="n"/></resource>
  <message id="message" name="m"/><signal id="signal"/><escalation id="esc"/><dataStore id="store"/>
  <itemDefinition id="item"/><interface id="if" name="i"><operation id="op" name="o"><inMessageRef>message</inMessageRef>
  </operation></interface><category id="cat"><categoryValue id="cv"/></category>
  <collaboration id="c"><participant id="p1" processRef="everything"/><participant id="p2" processRef="other"/>
  <messageFlow id="mf" sourceRef="elsewhere" targetRef="task"/></collaboration>
  <process id="other"><startEvent id="s2"/><choreographyTask id="ct"/><userTask id="elsewhere"/></process>
  <bpmndi:BPMNDiagram xmlns:bpmndi="http://www.omg.org/spec/BPMN/20100524/DI" id="D">
  <bpmndi:BPMNPlane id="P" bpmnElement="c"><bpmndi:BPMNShape id="S" bpmnElement="task"/></bpmndi:BPMNPlane>
  </bpmndi:BPMNDiagram>`,
  );

/** What the engine runs. */
const runnable = await Bun.file(
  new URL("../../../examples/loan-application/loan_application.bpmn", import.meta.url),
).text();

type Change = (node: XmlNode, other: XmlNode) => void;

const attributeOf = (node: XmlNode, index: number) => Object.keys(node.attributes).at(index);

const changes: Readonly<Record<string, Change>> = {
  dropChild: (node) => void node.children.pop(),
  dropFirst: (node) => void node.children.shift(),
  dropAll: (node) => node.children.splice(0),
  duplicate: (node) => node.children.push(...node.children.slice(0, 1)),
  adopt: (node, other) => {
    if (!nodesOf(other).includes(node)) node.children.push(other);
  },
  rename: (node, other) => {
    node.name = other.name;
  },
  dropAttribute: (node) => Reflect.deleteProperty(node.attributes, attributeOf(node, -1) ?? ""),
  dropFirstAttribute: (node) => Reflect.deleteProperty(node.attributes, attributeOf(node, 0) ?? ""),
  copyAttributes: (node, other) => Object.assign(node.attributes, other.attributes),
  emptyAttribute: (node) => {
    node.attributes[attributeOf(node, -1) ?? "id"] = "";
  },
  addText: (node) => node.children.push("${a} text"),
};

function mutated(xml: string, steps: readonly (readonly [string, number, number])[]): string {
  const root = readTree(xml);
  for (const [name, at, from] of steps) {
    const nodes = nodesOf(root);
    const [node, other] = [nodes[at % nodes.length], nodes[from % nodes.length]];
    if (node && other && node !== root) changes[name]?.(node, structuredClone(other));
  }
  return writeTree(root);
}

const steps = fc.array(fc.tuple(fc.constantFrom(...Object.keys(changes)), fc.nat(200), fc.nat(200)), {
  minLength: 1,
  maxLength: 5,
});

test.each([
  ["with all that is ignored", withAll({ data: "", loop: "", elements: "" })],
  ["with much that is refused", withAll(refused)],
  ["the loan application", runnable],
])(
  "a model with changes deploys or is refused with reasons: %s",
  async (_, xml) => {
    const property = fc.asyncProperty(steps, async (chosen) => {
      const text = mutated(xml, chosen);
      const read = await readModel(text);
      if ("faults" in read) {
        expect(read.faults.length).toBeGreaterThan(0);
        for (const { detail } of read.faults) expect(detail).toMatch(/^[A-Z"].*[.…]$/s);
        return;
      }
      await loadModel(text);
      try {
        runStep({
          model: read.model,
          state: undefined,
          event: { kind: "started" },
          values: {},
          budget: 20_000,
        });
      } catch (thrown) {
        if (!(thrown instanceof OverBudget)) expect(thrown).toBeInstanceOf(ProcessFailure);
      }
    });
    await fc.assert(property, { numRuns: 75 });
  },
  60_000,
);

test("roles, data and other processes do not prevent that a process runs", async () => {
  const read = await readModel(
    model(
      "roles",
      `<laneSet id="lanes"/><startEvent id="start"/><userTask id="task">
        <performer><resourceRef>r</resourceRef></performer>
        <humanPerformer><resourceRef>r</resourceRef></humanPerformer>
        <potentialOwner><resourceRef>r</resourceRef></potentialOwner>
      </userTask>${flow("start", "task")}`,
      '<resource id="r" name="r"/><process id="other"><choreographyTask id="x"/></process>',
    ),
  );
  if ("faults" in read) throw new Error(JSON.stringify(read.faults));
  const { userTasks } = runStep({
    model: read.model,
    state: undefined,
    event: { kind: "started" },
    values: {},
  });
  expect(userTasks).toMatchObject([{ activityId: "task" }]);
});
