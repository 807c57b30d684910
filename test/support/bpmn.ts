/** BPMN models as a modeler writes them, in few words. */

const namespaces = [
  'xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"',
  'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"',
  'xmlns:camunda="http://camunda.org/schema/1.0/bpmn"',
].join(" ");

export const escapeXml = (text: string) =>
  text.replaceAll(/[&<>"'\n\t\r]/g, (char) => `&#${char.charCodeAt(0)};`);

/** A whole model with one process. `beside` goes next to the process, such as an error. */
export const model = (key: string, body: string, beside = "") =>
  `<?xml version="1.0" encoding="UTF-8"?>
<definitions ${namespaces} id="definitions_${key}" targetNamespace="http://bpmn.io/schema/bpmn">
<process id="${key}" name="Process ${key}" isExecutable="true">
${body}
</process>
${beside}
</definitions>`;

export const start = (id = "start", attributes = "") => `<startEvent id="${id}" ${attributes}/>`;
export const end = (id = "end") => `<endEvent id="${id}"/>`;
export const userTask = (id: string, attributes = "") =>
  `<userTask id="${id}" name="Task ${id}" ${attributes}/>`;

/** Flows along the ids: `flow("start", "call", "end")` is two of them. */
export const flow = (...ids: string[]) =>
  ids
    .slice(1)
    .map(
      (to, index) => `<sequenceFlow id="${ids[index]}_${to}" sourceRef="${ids[index]}" targetRef="${to}"/>`,
    )
    .join("\n");

export const conditionalFlow = (from: string, to: string, condition: string) =>
  `<sequenceFlow id="${from}_${to}" sourceRef="${from}" targetRef="${to}">
<conditionExpression xsi:type="tFormalExpression">${escapeXml(condition)}</conditionExpression></sequenceFlow>`;

export type Properties = Readonly<Record<string, string>>;

export const serviceTask = (id: string, topic: string, properties: Properties) =>
  `<serviceTask id="${id}" name="Task ${id}" camunda:type="external" camunda:topic="${topic}">
<extensionElements><camunda:properties>
${Object.entries(properties)
  .map(([name, value]) => `<camunda:property name="${escapeXml(name)}" value="${escapeXml(value)}"/>`)
  .join("\n")}
</camunda:properties></extensionElements></serviceTask>`;

export const apiCall = (id: string, properties: Properties) => serviceTask(id, "api-call", properties);
export const addon = (id: string, properties: Properties) => serviceTask(id, "addon", properties);

/** Catches the BPMN error of an integration's refusal. */
export const boundaryError = (id: string, attachedTo: string, code = "INTEGRATION_REJECTED") => ({
  event: [
    `<boundaryEvent id="${id}" attachedToRef="${attachedTo}">`,
    `<errorEventDefinition id="${id}_d" errorRef="error_${code}"/></boundaryEvent>`,
  ].join(""),
  error: `<error id="error_${code}" name="${code}" errorCode="${code}"/>`,
});

export const boundaryTimer = (
  id: string,
  attachedTo: string,
  { after, interrupts = true }: { after: string; interrupts?: boolean },
) =>
  [
    `<boundaryEvent id="${id}" attachedToRef="${attachedTo}" cancelActivity="${interrupts}">`,
    `<timerEventDefinition id="${id}_d"><timeDuration xsi:type="tFormalExpression">${after}</timeDuration>`,
    "</timerEventDefinition></boundaryEvent>",
  ].join("");

/** start → one service task → end. */
export const oneCall = (key: string, properties: Properties) =>
  model(key, [start(), apiCall("call", properties), end(), flow("start", "call", "end")].join("\n"));
