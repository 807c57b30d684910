/**
 * What the embedded engine can run, element by element. Whatever it would do wrongly, or not at all, is a fault; what it
 * leaves out without harm is a warning.
 */

import { ISODate, ISODuration } from "@0dep/piso";
import { transactionTableName } from "../../tenants/transactionTable.ts";
import { parseServiceTask } from "../delivery/serviceTask.ts";
import {
  boundariesOf,
  codeOf,
  type Element,
  errorsOf,
  everyElement,
  extensionsOf,
  flowElementsOf,
  incomingOf,
  isType,
  kindOf,
  listOf,
  outgoingOf,
  type Process,
  propertiesOf,
} from "./elements.ts";
import { checkExpression, isTimeText } from "./expressions.ts";

/** Says something of an element. */
export interface ValidationReport {
  fault(element: Element, detail: string): void;
  warning(element: Element, detail: string): void;
}

const maxFlowNodes = 1_000;
const maxFlows = 4_000;
const maxProperties = 200;
const longestId = 255;
const longestName = 1_000;
const passing = ["Task", "ManualTask"];
const gateways = ["ExclusiveGateway", "ParallelGateway", "InclusiveGateway"];
const activities = ["UserTask", "ServiceTask", "SubProcess", ...passing];
const runnable = [
  ...activities,
  ...gateways,
  "StartEvent",
  "EndEvent",
  "IntermediateCatchEvent",
  "IntermediateThrowEvent",
  "BoundaryEvent",
  "SequenceFlow",
];
const harmless = ["DataObject", "DataObjectReference", "DataStoreReference"];

export function validateProcess(process: Process, report: ValidationReport): void {
  if (Buffer.byteLength(transactionTableName(process.id)) > 63)
    report.fault(process, "The process id is longer than 59 bytes.");
  const all = [...everyElement(process)];
  const flows = all.filter(({ element }) => isType(element, "SequenceFlow")).length;
  if (all.length - flows > maxFlowNodes || flows > maxFlows) {
    report.fault(process, `The process has more than ${maxFlowNodes} elements, or ${maxFlows} flows.`);
    return;
  }
  validateExtensions(process, report);
  validateScope(process, report);
  for (const { element, scope } of all) validateElement(element, scope, report);
}

/** A process or a sub-process: one way in, and everything on it. */
function validateScope(scope: Element, report: ValidationReport): void {
  const starts = flowElementsOf(scope).filter((element) => isType(element, "StartEvent"));
  if (starts.length !== 1)
    report.fault(scope, `A ${kindOf(scope)} needs one start event; this one has ${starts.length}.`);
  const reached = new Set<Element>();
  const visit = (element: Element | undefined): void => {
    if (!element || reached.has(element)) return;
    reached.add(element);
    for (const flow of outgoingOf(scope, element)) visit(flow.targetRef as Element | undefined);
    for (const boundary of boundariesOf(scope, element)) visit(boundary);
  };
  starts.forEach(visit);
  for (const element of flowElementsOf(scope))
    if (
      isType(element, ...activities, ...gateways, "EndEvent", "IntermediateCatchEvent") &&
      !reached.has(element)
    )
      report.warning(element, "Nothing leads here.");
}

/** The engine's state has both many times. */
function validateNames(element: Element, report: ValidationReport): void {
  const { id = "", name = "" } = element;
  if (id.length > longestId) report.fault(element, `The id is longer than ${longestId} characters.`);
  if (name.length > longestName) report.fault(element, `The name is longer than ${longestName} characters.`);
}

function validateElement(element: Element, scope: Element, report: ValidationReport): void {
  validateNames(element, report);
  if (isType(element, ...harmless)) return;
  if (!isType(element, ...runnable)) {
    report.fault(element, `A ${kindOf(element)} cannot be run here.`);
    return;
  }
  validateActivity(element, report);
  validateExtensions(element, report);
  validateAttributes(element, report);
  if (isType(element, "SequenceFlow")) validateFlow(element, report);
  if (isType(element, "ServiceTask")) validateServiceTask(element, report);
  if (isType(element, "SubProcess")) validateSubProcess(element, report);
  if (/Event$/.test(element.$type)) validateEvent(element, report);
  const outgoing = outgoingOf(scope, element);
  if (isType(element, "BoundaryEvent") && outgoing.length === 0)
    report.fault(element, "Nothing follows this boundary event.");
  if (isType(element, "ExclusiveGateway", "InclusiveGateway")) validateGateway(element, outgoing, report);
  if (isType(element, "ParallelGateway")) validateFork(outgoing, report);
  if (!isType(element, "ExclusiveGateway")) validateTwins(element, outgoing, report);
  if (isType(element, ...activities)) validateCatches(boundariesOf(scope, element), report);
  if (isType(element, "InclusiveGateway") && incomingOf(scope, element).length > 1)
    report.fault(element, "An inclusive gateway that joins flows cannot be run here; a parallel one can.");
}

function validateActivity(element: Element, { fault }: ValidationReport): void {
  if (element.loopCharacteristics) fault(element, "Loops and multiple instances cannot be run here.");
  if (element.isForCompensation) fault(element, "Compensation cannot be run here.");
}

function validateSubProcess(element: Element, report: ValidationReport): void {
  if (element.triggeredByEvent) {
    report.fault(element, "An event sub-process cannot be run here.");
    return;
  }
  validateScope(element, report);
}

function validateServiceTask(element: Element, { fault }: ValidationReport): void {
  const { topic, type } = element;
  const external = type === "external" && (topic === "api-call" || topic === "addon");
  if (!external) {
    fault(
      element,
      'A service task is camunda:type="external" with the topic "api-call" or "addon" here; this one is not.',
    );
    return;
  }
  const { properties, repeated, count } = propertiesOf(element);
  if (count > maxProperties) {
    fault(element, `A service task has at most ${maxProperties} properties; this one has ${count}.`);
    return;
  }
  for (const name of repeated) fault(element, `The property "${name}" stands twice.`);
  const parsed = parseServiceTask(topic as string, properties);
  if ("faults" in parsed) for (const detail of parsed.faults) fault(element, detail);
}

function validateGateway(element: Element, outgoing: readonly Element[], { fault }: ValidationReport): void {
  if (outgoing.length < 2) return;
  for (const flow of outgoing)
    if (!flow.conditionExpression && element.default !== flow)
      fault(flow, "A flow out of this gateway needs a condition, or has to be the default.");
}

function validateFork(outgoing: readonly Element[], { fault }: ValidationReport): void {
  for (const flow of outgoing)
    if (flow.conditionExpression)
      fault(
        flow,
        "A condition means nothing behind a parallel gateway, which takes all its flows; remove it.",
      );
}

/** The engine takes them for one. */
function validateTwins(element: Element, outgoing: readonly Element[], { fault }: ValidationReport): void {
  const seen = new Set<unknown>();
  for (const flow of outgoing) {
    const { targetRef } = flow;
    if (seen.has(targetRef))
      fault(
        flow,
        `There is another flow from "${element.id}" to "${(targetRef as Element | undefined)?.id}"; two cannot be run here. Put a gateway between.`,
      );
    seen.add(targetRef);
  }
}

/** An error is caught once: which of two should it be? */
function validateCatches(events: readonly Element[], { fault }: ValidationReport): void {
  const seen = new Set<string | undefined>();
  for (const event of events)
    for (const code of errorsOf(event).map(codeOf)) {
      const which = code === undefined ? "catches every error" : `catches the error "${code}"`;
      if (seen.has(code)) fault(event, `Another boundary event of this activity ${which} as well.`);
      seen.add(code);
    }
}

function validateFlow(flow: Element, { fault }: ValidationReport): void {
  const condition = flow.conditionExpression as Element | undefined;
  if (!flow.sourceRef || !flow.targetRef) {
    fault(flow, "A sequence flow needs a source and a target.");
    return;
  }
  if (!condition) return;
  const isScript = condition.language || condition.resource;
  const why = isScript
    ? "A condition is an expression; scripts cannot be run here."
    : checkExpression(String(condition.body ?? ""));
  if (why) fault(flow, why);
}

function validateEvent(element: Element, report: ValidationReport): void {
  const [definition, ...others] = listOf(element, "eventDefinitions");
  if (others.length > 0) {
    report.fault(element, "An event with several definitions cannot be run here.");
    return;
  }
  const allowed: Readonly<Record<string, readonly string[]>> = {
    "bpmn:StartEvent": [],
    "bpmn:EndEvent": ["TerminateEventDefinition", "ErrorEventDefinition"],
    "bpmn:IntermediateCatchEvent": ["TimerEventDefinition"],
    "bpmn:IntermediateThrowEvent": [],
    "bpmn:BoundaryEvent": ["TimerEventDefinition", "ErrorEventDefinition"],
  };
  const known = allowed[element.$type] ?? [];
  if (!definition) {
    if (known.includes("TimerEventDefinition"))
      report.fault(element, `A ${kindOf(element)} without a definition cannot be run here.`);
    return;
  }
  if (!isType(definition, ...known)) {
    report.fault(
      element,
      `A ${kindOf(element)} with a ${kindOf(definition).replace(" definition", "")} cannot be run here.`,
    );
    return;
  }
  if (isType(definition, "TimerEventDefinition")) validateTimer(element, definition, report);
  for (const name of ["errorCodeVariable", "errorMessageVariable"])
    if (definition[name] !== undefined)
      report.warning(
        element,
        `camunda:${name} is ignored: error_status and error_body say what was refused.`,
      );
  if (isType(element, "BoundaryEvent")) validateBoundary(element, definition, report);
}

function validateBoundary(event: Element, definition: Element, { fault }: ValidationReport): void {
  const attachedTo = event.attachedToRef as Element | undefined;
  if (!attachedTo) {
    fault(event, "A boundary event needs the activity that it stands at.");
    return;
  }
  const places = isType(definition, "ErrorEventDefinition")
    ? ["ServiceTask", "SubProcess"]
    : ["UserTask", "ServiceTask", "SubProcess"];
  if (!isType(attachedTo, ...places))
    fault(event, `This boundary event cannot stand at a ${kindOf(attachedTo)}.`);
}

function validateTimer(event: Element, definition: Element, { fault }: ValidationReport): void {
  const { timeDuration, timeDate, timeCycle } = definition as Record<string, Element | undefined>;
  if (timeCycle) {
    fault(event, "A timer cycle cannot be run here; use a duration or a date.");
    return;
  }
  const [text, isLiteral] = timeDuration
    ? [String(timeDuration.body ?? ""), isDuration]
    : [String(timeDate?.body ?? ""), isDate];
  if (/[$#]\{/.test(text)) {
    const why = checkExpression(text.trim());
    if (why) fault(event, why);
  } else if (!isLiteral(text.trim()))
    fault(event, `"${text.slice(0, 100)}" is not an ISO 8601 ${timeDuration ? "duration" : "date"}.`);
}

const isDuration = (text: string) => isTimeText(text) && parses(() => new ISODuration(text).parse());
const isDate = (text: string) => isTimeText(text) && parses(() => new ISODate(text).parse());

function parses(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}

/** Extensions that run something, or that the process would miss. */
const refusedExtensions: Readonly<Record<string, string>> = {
  "camunda:InputOutput": "Input and output mappings",
  "camunda:ExecutionListener": "Execution listeners",
  "camunda:TaskListener": "Task listeners",
  "camunda:Connector": "Connectors",
  "camunda:FormData": "Generated task forms",
  "camunda:In": "Variable mappings",
  "camunda:Out": "Variable mappings",
  "camunda:ErrorEventDefinition": "Error definitions of external tasks",
};

function validateExtensions(element: Element, { fault, warning }: ValidationReport): void {
  for (const { $type } of extensionsOf(element)) {
    const refused = refusedExtensions[$type];
    if (refused) fault(element, `${refused} cannot be run here.`);
    else if ($type !== "camunda:Properties") warning(element, `${$type} is ignored.`);
  }
}

const openToAll = "is ignored: tasks are open to every member of the tenant.";
const ignored: Readonly<Record<string, string>> = {
  assignee: openToAll,
  candidateUsers: openToAll,
  candidateGroups: openToAll,
  dueDate: "is ignored.",
  followUpDate: "is ignored.",
  priority: "is ignored.",
  taskPriority: "is ignored.",
  jobPriority: "is ignored.",
  asyncBefore: "is ignored: every step is stored anyway.",
  asyncAfter: "is ignored: every step is stored anyway.",
  exclusive: "is ignored.",
  initiator: "is ignored: the task's completion or the start's variables can say who it is.",
};

function validateAttributes(element: Element, { warning }: ValidationReport): void {
  for (const [name, why] of Object.entries(ignored))
    if (Object.hasOwn(element, name) && element[name] !== false) warning(element, `camunda:${name} ${why}`);
}
