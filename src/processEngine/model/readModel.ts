/** BPMN XML → a model that the embedded engine can run, or everything that stands in the way (issue: deployment). */
import * as elements from "bpmn-elements";
import BpmnModdle from "bpmn-moddle";
import camunda from "camunda-bpmn-moddle/resources/camunda.json" with { type: "json" };
import serializer, { type SerializableContext, TypeResolver } from "moddle-context-serializer";
import { rejectedCode } from "../serviceTask.ts";
import {
  boundariesOf,
  codeOf,
  type Element,
  errorsOf,
  everyElement,
  flowElementsOf,
  formRefOf,
  isType,
  listOf,
  type Process,
  propertiesOf,
} from "./elements.ts";
import { type Catches, ErrorEventDefinition, TimerEventDefinition } from "./eventDefinitions.ts";
import { type Judgement, judgeProcess } from "./judge.ts";
import { ParallelGateway } from "./parallelGateway.ts";
import { SequenceFlow } from "./sequenceFlow.ts";
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
    const { line, detail } = complaintOf(error);
    return { fault: { line, element: undefined, detail: `This is not BPMN: ${detail}.` } };
  }
}

/** What moddle says: a summary, the line (from 0), and what is behind it. */
function complaintOf(complaint: unknown): { readonly line: number | undefined; readonly detail: string } {
  const [summary = "", ...more] = String((complaint as Partial<Error>).message ?? complaint).split("\n");
  const told = (what: string) =>
    more
      .map((text) => text.trim())
      .find((text) => text.startsWith(what))
      ?.slice(what.length)
      .trim();
  const [line, nested] = [told("line:"), told("nested error:")];
  return {
    line: line === undefined ? undefined : Number(line) + 1,
    detail: nested === undefined ? summary : `${summary}: ${nested}`,
  };
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
  const complaints = moddleWarnings.map(complaintOf);
  for (const { line, detail } of complaints)
    faults.push({ line, element: undefined, detail: `The model is not valid BPMN: ${detail}.` });
  // What could not be read is missing from the model, and would be missed again.
  if (complaints.some(({ line }) => line !== undefined)) return { faults };
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
    if (redirect === "true" && !catcherOf(all, { activity: element, code: rejectedCode }))
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

const resolver = TypeResolver({
  ...elements,
  ErrorEventDefinition,
  ParallelGateway,
  SequenceFlow,
  TimerEventDefinition,
} as never);

/** Tells each boundary event which errors are its own (eventDefinitions.ts). */
function shareErrors(process: Process): void {
  const all = [...everyElement(process)];
  const throwers = Map.groupBy(
    all.filter(({ element }) => isType(element, "EndEvent") && errorsOf(element).length > 0),
    ({ element, scope }) => catcherOf(all, { activity: scope, code: errorsOf(element).map(codeOf)[0] }),
  );
  for (const { element, scope } of all) {
    if (!isType(element, "BoundaryEvent")) continue;
    for (const definition of errorsOf(element)) {
      const codes = boundariesOf(scope, element.attachedToRef as Element)
        .flatMap(errorsOf)
        .map(codeOf);
      const isAny = codeOf(definition) === undefined;
      const catches: Catches = {
        throwers: (throwers.get(element) ?? []).map((thrower) => thrower.element.id ?? ""),
        leaves: isAny ? codes.filter((code) => code !== undefined) : [],
      };
      // An error without a code is any error, as one without a reference is.
      if (isAny) Reflect.deleteProperty(definition, "errorRef");
      Object.assign(definition, catches);
    }
  }
}

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
    source: sourceOf(process, context),
    startFormRef: start && formRefOf(start),
    userTasks: new Map(userTasks),
    serviceTasks: new Map(serviceTasks),
    catchesError: (activityId, code) => {
      const activity = all.find(({ element }) => element.id === activityId)?.element;
      return activity !== undefined && catcherOf(all, { activity, code }) !== undefined;
    },
    warnings,
  };
}

function sourceOf(process: Process, context: unknown): SerializableContext {
  shareErrors(process);
  return serializer(context as never, resolver);
}

type Placed = { readonly element: Element; readonly scope: Element };

/**
 * The boundary event that catches the activity's error: at the activity itself or at the innermost sub-process around it,
 * by the code before one that catches all.
 */
function catcherOf(
  all: readonly Placed[],
  { activity, code }: { readonly activity: Element; readonly code: string | undefined },
): Element | undefined {
  const placed = all.find(({ element }) => element === activity);
  if (!placed) return undefined;
  const events = boundariesOf(placed.scope, activity).filter((event) => errorsOf(event).length > 0);
  const catching = (wanted: string | undefined) =>
    events.find((event) => errorsOf(event).some((definition) => codeOf(definition) === wanted));
  const own = (code === undefined ? undefined : catching(code)) ?? catching(undefined);
  return own ?? catcherOf(all, { activity: placed.scope, code });
}
