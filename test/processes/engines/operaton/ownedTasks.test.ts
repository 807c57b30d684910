/** Which user tasks a model gives to somebody. */
import { expect, test } from "bun:test";
import { readOwnedTasks } from "../../../../src/processes/engines/operaton/ownedTasksWork.ts";

const bpmn = "http://www.omg.org/spec/BPMN/20100524/MODEL";
const model = (tasks: string) =>
  `<b:definitions xmlns:b="${bpmn}" xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
     xmlns:operaton="http://operaton.org/schema/1.0/bpmn" xmlns:other="http://example.org">
   <b:process id="p"><b:subProcess id="s">${tasks}</b:subProcess></b:process></b:definitions>`;

const owned = (tasks: string) => [...readOwnedTasks({ bpmn: model(tasks) })];

const role = (name: string, text: string) =>
  `<b:${name}><b:resourceAssignmentExpression><b:formalExpression>${text}</b:formalExpression></b:resourceAssignmentExpression></b:${name}>`;

test("attributes of both namespaces count, whatever their expression", () => {
  const attributes = [
    'camunda:assignee="ann"',
    'camunda:assignee="${x}"',
    'camunda:candidateUsers="ann"',
    'operaton:candidateGroups="#{service.find()}"',
    'xmlns:c="http://camunda.org/schema/1.0/bpmn" c:assignee="ann"',
  ];
  for (const attribute of attributes)
    expect(owned(`<b:userTask id="t" ${attribute}/><b:userTask id="u"/>`)).toEqual(["t"]);
});

test("the standard's roles count if an expression names somebody", () => {
  for (const name of ["humanPerformer", "potentialOwner"]) {
    expect(owned(`<b:userTask id="t">${role(name, "user(ann)")}</b:userTask>`)).toEqual(["t"]);
    expect(owned(`<b:userTask id="t">${role(name, "<![CDATA[${x}]]>")}</b:userTask>`)).toEqual(["t"]);
    expect(owned(`<b:userTask id="t">${role(name, " ")}</b:userTask>`)).toEqual([]);
    expect(
      owned(`<b:userTask id="t"><b:${name}><b:resourceRef>r</b:resourceRef></b:${name}></b:userTask>`),
    ).toEqual([]);
  }
});

test("empty attributes, other namespaces, other elements and other roles do not count", () => {
  const tasks = [
    '<b:userTask id="t" camunda:assignee="" camunda:candidateGroups=" , "/>',
    '<b:userTask id="t" other:assignee="ann" assignee="ann"/>',
    '<b:userTask id="t" camunda:formKey="ann"/>',
    '<b:serviceTask id="t" camunda:assignee="ann"/>',
    `<b:manualTask id="t">${role("potentialOwner", "ann")}</b:manualTask>`,
    `<b:userTask id="t">${role("performer", "ann")}</b:userTask>`,
    "<b:userTask id=\"t\"><b:documentation>camunda:assignee='ann'</b:documentation></b:userTask>",
  ];
  for (const task of tasks) expect(owned(task)).toEqual([]);
});

test("what is not XML is an error, and not a model without owners", () => {
  expect(() => readOwnedTasks({ bpmn: "<a><b></a>" })).toThrow();
  expect(() => readOwnedTasks({ bpmn: "" })).toThrow();
});
