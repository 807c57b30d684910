/** BPMN XML → a model that the embedded engine can run, or everything that stands in the way (issue: deployment). */
import * as elements from "bpmn-elements";
import BpmnModdle from "bpmn-moddle";
import camunda from "camunda-bpmn-moddle/resources/camunda.json" with { type: "json" };
import serializer, { type SerializableContext, TypeResolver } from "moddle-context-serializer";
import { rejectedCode } from "../serviceTask.ts";
import {
  boundariesOf,
  type Element,
  everyElement,
  flowElementsOf,
  formRefOf,
  isType,
  listOf,
  type Process,
  propertiesOf,
} from "./elements.ts";
import { type Judgement, judgeProcess } from "./judge.ts";
import { ParallelGateway } from "./parallelGateway.ts";
import { type Lines, type ModelFault, scanXml } from "./xml.ts";

export type { ModelFault } from "./xml.ts";

export interface ProcessModel {
  readonly processKey: string;
  readonly name: string;
  /** What the engine takes: made once a model. */
  readonly source: SerializableContext;
  /** The id of the form that starts the process. */
  readonly startFormRef: string | undefined;
  readonly userTasks: ReadonlyMap<string, { readonly name: string; readonly formRef: string | undefined }>;
  readonly serviceTasks: ReadonlyMap<string, ServiceTaskModel>;
  /** Whether an activity's BPMN error is caught: at its own boundary, or at that of a sub-process around it. */
  catchesError(activityId: string, code: string): boolean;
  readonly warnings: readonly string[];
}

export interface ServiceTaskModel {
  readonly name: string;
  readonly topic: "api-call" | "addon";
  readonly properties: Readonly<Record<string, string>>;
}

type Read = { readonly model: ProcessModel } | { readonly faults: readonly ModelFault[] };

/** All faults at once, in the order of their lines. */
export async function readModel(xml: string): Promise<Read> {
  const { lines, faults } = scanXml(xml);
  if (faults.length > 0) return { faults };
  const parsed = await parse(xml);
  if ("fault" in parsed) return { faults: [parsed.fault] };
  return judge(parsed, lines);
}

/** A model that was deployed. It is not judged again: by a stricter judge, what runs would end. */
export async function loadModel(xml: string): Promise<ProcessModel> {
  const parsed = await parse(xml);
  const process = "root" in parsed ? onlyProcess(parsed.root, indulgent) : undefined;
  if (!process || "fault" in parsed) throw new Error("a deployed model cannot be read");
  dropMessageFlows(parsed.root, indulgent);
  return modelOf(process, parsed.context, []);
}

const indulgent: Judgement = { fault: () => {}, warning: () => {} };

interface Parsed {
  readonly root: Element;
  /** moddle's own; its types say strings. */
  readonly warnings: readonly unknown[];
  readonly context: unknown;
}

async function parse(xml: string): Promise<Parsed | { readonly fault: ModelFault }> {
  try {
    const context = await new BpmnModdle({ camunda }).fromXML(xml);
    return { root: context.rootElement as Element, warnings: context.warnings, context };
  } catch (error) {
    const [detail = ""] = (error as Error).message.split("\n");
    return { fault: { line: undefined, element: undefined, detail: `This is not BPMN: ${detail}.` } };
  }
}

function judge({ root, warnings: moddleWarnings, context }: Parsed, lines: Lines): Read {
  const faults: ModelFault[] = [];
  const warnings: string[] = [];
  const lineOf = ({ id }: Element) => (id === undefined ? undefined : lines.of(id));
  const judgement: Judgement = {
    fault: (element, detail) => faults.push({ line: lineOf(element), element: element.id, detail }),
    warning: (element, detail) =>
      warnings.push(`Line ${lineOf(element) ?? "?"}, "${element.id ?? ""}": ${detail}`),
  };
  for (const warning of moddleWarnings) {
    const [detail = ""] = String((warning as Partial<Error>).message ?? warning).split("\n");
    faults.push({ line: undefined, element: undefined, detail: `The model is not valid BPMN: ${detail}.` });
  }
  const process = onlyProcess(root, judgement);
  if (!process) return { faults };
  judgeProcess(process, judgement);
  warnOfUncaught(process, judgement);
  dropMessageFlows(root, judgement);
  if (faults.length > 0) return { faults: faults.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)) };
  return { model: modelOf(process, context, warnings) };
}

function onlyProcess(root: Element, { fault }: Judgement): Process | undefined {
  const processes = listOf(root, "rootElements").filter((element) => isType(element, "Process")) as Process[];
  const [process, ...others] = processes.filter(({ isExecutable }) => isExecutable === true);
  if (!process) fault(processes[0] ?? root, 'There is no process with isExecutable="true".');
  for (const other of others)
    fault(other, "There is more than one executable process; deploy each by itself.");
  return others.length === 0 ? process : undefined;
}

/** The switch is on, and nothing would hear of it. */
function warnOfUncaught(process: Process, { warning }: Judgement): void {
  const all = [...everyElement(process)];
  for (const { element } of all) {
    if (!isType(element, "ServiceTask")) continue;
    const { redirect_failures_to_error_boundary: redirect } = propertiesOf(element).properties;
    if (redirect === "true" && !catchesError(all, { activityId: element.id ?? "", code: rejectedCode }))
      warning(element, `No boundary event catches the error ${rejectedCode}: refusals become incidents.`);
  }
}

/** They show who talks with whom; nothing here sends or waits for a message. */
function dropMessageFlows(root: Element, { warning }: Judgement): void {
  for (const collaboration of listOf(root, "rootElements")) {
    const flows = listOf(collaboration, "messageFlows");
    for (const flow of flows) warning(flow, "A message flow is ignored.");
    if (flows.length > 0) Object.assign(collaboration, { messageFlows: [] });
  }
}

const resolver = TypeResolver({ ...elements, ParallelGateway } as never);

function modelOf(process: Process, context: unknown, warnings: readonly string[]): ProcessModel {
  const all = [...everyElement(process)];
  const ofType = (type: string) =>
    all.map(({ element }) => element).filter((element) => isType(element, type));
  const start = flowElementsOf(process).find((element) => isType(element, "StartEvent"));
  const userTasks = ofType("UserTask").map((task) => {
    const id = task.id ?? "";
    return [id, { name: task.name || id, formRef: formRefOf(task) }] as const;
  });
  const serviceTasks = ofType("ServiceTask").map((task) => {
    const id = task.id ?? "";
    const topic = task.topic as ServiceTaskModel["topic"];
    return [id, { name: task.name || id, topic, properties: propertiesOf(task).properties }] as const;
  });
  return {
    processKey: process.id,
    name: process.name || process.id,
    source: serializer(context as never, resolver),
    startFormRef: start && formRefOf(start),
    userTasks: new Map(userTasks),
    serviceTasks: new Map(serviceTasks),
    catchesError: (activityId, code) => catchesError(all, { activityId, code }),
    warnings,
  };
}

function catchesError(
  all: readonly { readonly element: Element; readonly scope: Element }[],
  { activityId, code }: { readonly activityId: string; readonly code: string },
): boolean {
  const found = all.find(({ element }) => element.id === activityId);
  if (!found) return false;
  const { element, scope } = found;
  const codes = boundariesOf(scope, element)
    .flatMap((event) => listOf(event, "eventDefinitions"))
    .filter((definition) => isType(definition, "ErrorEventDefinition"))
    .map(({ errorRef }) => (errorRef as Element | undefined)?.errorCode);
  if (codes.some((caught) => caught === undefined || caught === code)) return true;
  return scope.id !== undefined && catchesError(all, { activityId: scope.id, code });
}
