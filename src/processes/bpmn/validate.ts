/**
 * Validates a process, element by element. What the embedded engine would run wrongly, or not at all, is a fault. What
 * it ignores without harm is a warning.
 */
import { transactionTableName } from "../../tenants/transactionTable.ts";
import { parseServiceTask } from "../delivery/serviceTask.ts";
import { faultOfName } from "../variables/parse.ts";
import {
  boundariesOf,
  codeOf,
  type Element,
  errorsOf,
  everyElement,
  extensionsOf,
  flowElementsOf,
  foreignFormOf,
  incomingOf,
  isType,
  kindOf,
  listOf,
  outgoingOf,
  type Process,
  propertiesOf,
} from "./elements.ts";
import { checkExpression, hasExpression } from "./expressions.ts";
import { validateDecision, validateEnds } from "./flowFaults.ts";
import { validateFormData } from "./formData.ts";
import { warnOfUnreachable } from "./reachability.ts";
import { validateOwners } from "./taskOwners.ts";
import { validateTimer } from "./timers.ts";
import {
  capitalized,
  foreignServiceTask,
  unsupported,
  unsupportedKind,
  wayOut,
  withArticle,
} from "./unsupported.ts";
import type { ValidationReport } from "./validationReport.ts";

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
    report.fault(process, "The process id is longer than 59 bytes. Shorten it.");
  const all = [...everyElement(process)];
  const flows = all.filter(({ element }) => isType(element, "SequenceFlow")).length;
  if (all.length - flows > maxFlowNodes || flows > maxFlows) {
    report.fault(process, `The process has more than ${maxFlowNodes} elements or ${maxFlows} flows.`);
    return;
  }
  validateExtensions(process, report);
  validateScope(process, report);
  for (const { element, scope } of all) validateElement(element, scope, report);
}

/** A process or a sub-process has one start event. */
function validateScope(scope: Element, report: ValidationReport): void {
  const starts = flowElementsOf(scope).filter((element) => isType(element, "StartEvent"));
  warnOfUnreachable(scope, report);
  if (starts.length !== 1) report.fault(scope, startsFault(kindOf(scope), starts.length));
}

function startsFault(kind: string, count: number): string {
  const detail = `${capitalized(withArticle(kind))} needs exactly one start event. This one has ${count}.`;
  return count === 0 ? detail : `${detail} ${wayOut}`;
}

/** The stored state of an instance contains ids and names many times. */
function validateNames(element: Element, report: ValidationReport): void {
  const { id = "", name = "" } = element;
  if (id.length > longestId) report.fault(element, `The id is longer than ${longestId} characters.`);
  if (name.length > longestName) report.fault(element, `The name is longer than ${longestName} characters.`);
}

function validateElement(element: Element, scope: Element, report: ValidationReport): void {
  validateNames(element, report);
  if (isType(element, ...harmless)) return;
  if (!isType(element, ...runnable)) {
    report.fault(element, unsupportedKind(kindOf(element)));
    return;
  }
  validateActivity(element, report);
  validateExtensions(element, report);
  validateAttributes(element, report);
  if (isType(element, "SequenceFlow")) {
    validateFlow(element, report);
    validateEnds(element, scope, report);
  }
  if (isType(element, "ServiceTask")) validateServiceTask(element, report);
  if (isType(element, "UserTask")) validateOwners(element, report);
  if (isType(element, "UserTask", "StartEvent")) validateForm(element, report);
  if (isType(element, "StartEvent")) validateInitiator(element, scope, report);
  if (isType(element, "UserTask") && hasExpression(element.name ?? ""))
    report.warning(element, "The name is shown as it is: expressions in names are not evaluated.");
  if (isType(element, "SubProcess")) validateSubProcess(element, report);
  if (/Event$/.test(element.$type)) validateEvent(element, report);
  const outgoing = outgoingOf(scope, element);
  if (isType(element, "ExclusiveGateway", "InclusiveGateway")) {
    validateGateway(element, outgoing, report);
    validateDecision(element, scope, report);
  }
  if (isType(element, "ParallelGateway")) validateFork(outgoing, report);
  if (!isType(element, "ExclusiveGateway")) validateTwins(element, outgoing, report);
  if (isType(element, ...activities)) validateCatches(boundariesOf(scope, element), report);
  if (isType(element, "InclusiveGateway") && incomingOf(scope, element).length > 1)
    report.fault(
      element,
      unsupported("An inclusive gateway that joins flows is", "Here, use a parallel gateway."),
    );
}

function validateActivity(element: Element, { fault }: ValidationReport): void {
  if (element.loopCharacteristics) fault(element, unsupported("Loops and multiple instances are"));
  if (element.isForCompensation) fault(element, unsupported("Compensation is"));
}

function validateSubProcess(element: Element, report: ValidationReport): void {
  if (element.triggeredByEvent) {
    report.fault(element, unsupportedKind("event sub-process"));
    return;
  }
  validateScope(element, report);
}

function validateServiceTask(element: Element, { fault }: ValidationReport): void {
  const { topic, type } = element;
  const external = type === "external" && (topic === "api-call" || topic === "addon");
  if (!external) {
    fault(element, foreignServiceTask(element));
    return;
  }
  const { properties, repeated, count } = propertiesOf(element);
  if (count > maxProperties) {
    fault(element, `A service task has at most ${maxProperties} properties. This one has ${count}.`);
    return;
  }
  for (const name of repeated) fault(element, `The property "${name}" is there twice.`);
  const parsed = parseServiceTask(topic as string, properties);
  if ("faults" in parsed) for (const detail of parsed.faults) fault(element, detail);
}

/** A page does not prevent that the process runs. */
function validateForm(element: Element, { warning }: ValidationReport): void {
  const page = foreignFormOf(element)?.slice(0, 100);
  if (page !== undefined)
    warning(element, `The form "${page}" is ignored: it is a page, and Waybill shows forms of form-js.`);
}

/** As in Operaton, one flow of an exclusive gateway may have no condition. It is taken if no flow before it is. */
function validateGateway(element: Element, outgoing: readonly Element[], report: ValidationReport): void {
  if (outgoing.length < 2 || !isType(element, "ExclusiveGateway")) return;
  const open = outgoing.filter((flow) => !flow.conditionExpression && element.default !== flow);
  const [only, ...others] = open;
  if (only && others.length === 0 && !element.default)
    report.warning(
      only,
      "This flow has no condition: flows after it are never taken. Make it the default flow.",
    );
  else
    for (const flow of open)
      report.fault(flow, "A flow out of this gateway needs a condition unless it is the default flow.");
}

function validateFork(outgoing: readonly Element[], { fault }: ValidationReport): void {
  for (const flow of outgoing)
    if (flow.conditionExpression)
      fault(flow, "A parallel gateway takes all its flows and ignores conditions. Remove this condition.");
}

/** The engine counts two flows between the same elements as one. */
function validateTwins(element: Element, outgoing: readonly Element[], { fault }: ValidationReport): void {
  const seen = new Set<unknown>();
  for (const flow of outgoing) {
    const { targetRef } = flow;
    if (seen.has(targetRef))
      fault(
        flow,
        `There is another flow from "${element.id}" to "${(targetRef as Element | undefined)?.id}". ` +
          unsupported("Two flows between the same elements are", "Here, put a gateway between them."),
      );
    seen.add(targetRef);
  }
}

/** One event catches an error. With two that could, the choice would be arbitrary. */
function validateCatches(events: readonly Element[], { fault }: ValidationReport): void {
  const seen = new Set<string | undefined>();
  for (const event of events)
    for (const code of errorsOf(event).map(codeOf)) {
      const which = code === undefined ? "catches every error" : `catches the error "${code}"`;
      if (seen.has(code)) fault(event, `Another boundary event of this activity also ${which}.`);
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
  const text = String(condition.body ?? "");
  const why =
    condition.language || condition.resource
      ? unsupported("Scripts are", "Here, write the condition as an expression.")
      : text.trim() === ""
        ? "The condition is empty. Write one, such as ${amount > 1000}, or remove it."
        : checkExpression(text);
  if (why) fault(flow, why);
}

/** The definitions that an event of each type can have. */
const eventDefinitions: Readonly<Record<string, readonly string[]>> = {
  "bpmn:StartEvent": [],
  "bpmn:EndEvent": ["TerminateEventDefinition", "ErrorEventDefinition"],
  "bpmn:IntermediateCatchEvent": ["TimerEventDefinition"],
  "bpmn:IntermediateThrowEvent": [],
  "bpmn:BoundaryEvent": ["TimerEventDefinition", "ErrorEventDefinition"],
};

function validateEvent(element: Element, report: ValidationReport): void {
  const [definition, ...others] = listOf(element, "eventDefinitions");
  if (others.length > 0) {
    report.fault(element, unsupportedKind("event with several definitions"));
    return;
  }
  const supported = eventDefinitions[element.$type] ?? [];
  if (!definition) {
    if (supported.includes("TimerEventDefinition"))
      report.fault(element, unsupportedKind(`${kindOf(element)} without a definition`));
    return;
  }
  if (!isType(definition, ...supported)) {
    const kind = kindOf(definition).replace(" definition", "");
    report.fault(element, unsupportedKind(`${kindOf(element)} with ${withArticle(kind)}`));
    return;
  }
  if (isType(definition, "TimerEventDefinition")) validateTimer(element, definition, report);
  validateIgnored(element, definition, report);
  if (isType(element, "BoundaryEvent")) validateBoundary(element, definition, report);
}

function validateIgnored(event: Element, definition: Element, { warning }: ValidationReport): void {
  for (const name of ["errorCodeVariable", "errorMessageVariable"])
    if (definition[name] !== undefined)
      warning(
        event,
        `camunda:${name} is ignored. The variables error_status and error_body hold the refusal.`,
      );
}

function validateBoundary(event: Element, definition: Element, { fault }: ValidationReport): void {
  const attachedTo = event.attachedToRef as Element | undefined;
  if (!attachedTo) {
    fault(event, "A boundary event needs an activity that it is attached to.");
    return;
  }
  const places = isType(definition, "ErrorEventDefinition")
    ? ["ServiceTask", "SubProcess"]
    : ["UserTask", "ServiceTask", "SubProcess"];
  if (!isType(attachedTo, ...places))
    fault(event, unsupported(`This boundary event at ${withArticle(kindOf(attachedTo))} is`));
}

/** Extensions that run something, or without which the process would work differently. */
const refusedExtensions: Readonly<Record<string, string>> = {
  "camunda:InputOutput": "Input and output mappings",
  "camunda:ExecutionListener": "Execution listeners",
  "camunda:TaskListener": "Task listeners",
  "camunda:Connector": "Connectors",
  "camunda:In": "Variable mappings",
  "camunda:Out": "Variable mappings",
  "camunda:ErrorEventDefinition": "Error definitions of external tasks",
};

function validateExtensions(element: Element, { fault, warning }: ValidationReport): void {
  for (const { $type } of extensionsOf(element)) {
    const refused = refusedExtensions[$type];
    if (refused) fault(element, unsupported(`${refused} are`));
    else if ($type === "camunda:FormData") validateFormData(element, warning);
    else if ($type !== "camunda:Properties") warning(element, `${$type} is ignored.`);
  }
}

const everyStep = "is ignored. Waybill stores every step anyway.";
const ignored: Readonly<Record<string, string>> = {
  dueDate: "is ignored.",
  followUpDate: "is ignored.",
  priority: "is ignored.",
  taskPriority: "is ignored.",
  jobPriority: "is ignored.",
  asyncBefore: everyStep,
  asyncAfter: everyStep,
  exclusive: "is ignored.",
};

function validateAttributes(element: Element, { warning }: ValidationReport): void {
  for (const [name, why] of Object.entries(ignored))
    if (Object.hasOwn(element, name) && element[name] !== false) warning(element, `camunda:${name} ${why}`);
}

/** As in Operaton, only the start event of the process has one. */
function validateInitiator(element: Element, scope: Element, { fault, warning }: ValidationReport): void {
  const { initiator } = element;
  if (typeof initiator !== "string") return;
  const why = faultOfName(initiator);
  if (!isType(scope, "Process")) warning(element, "camunda:initiator is ignored in a sub-process.");
  else if (initiator === "") warning(element, "camunda:initiator is empty and ignored.");
  else if (why) fault(element, `camunda:initiator is no name of a variable. ${why}`);
}
