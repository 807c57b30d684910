/** BPMN XML → a model that the embedded engine can run, or all faults that prevent this. */
import * as elements from "bpmn-elements";
import serializer, { type SerializableContext, TypeResolver } from "moddle-context-serializer";
import type { FormSchema } from "../engine.ts";
import { rejectedCode } from "../serviceTasks.ts";
import { reportComplaints } from "./complaints.ts";
import {
  boundariesOf,
  codeOf,
  type Element,
  errorsOf,
  everyElement,
  flowElementsOf,
  isType,
  listOf,
  type Process,
  propertiesOf,
} from "./elements.ts";
import { namesRead } from "./expressions.ts";
import { formIdOf, generatedFormsOf } from "./formData.ts";
import { type Parsed, parseBpmn } from "./parseBpmn.ts";
import type { Catches } from "./replacedElements.ts";
import * as replacedElements from "./replacedElements.ts";
import { type OwnerTexts, ownersOf, ownerVariables } from "./taskOwners.ts";
import { unsupported } from "./unsupported.ts";
import { validateProcess } from "./validate.ts";
import type { ValidationReport } from "./validationReport.ts";
import { type Lines, type ModelFault, scanXml } from "./xml.ts";

export type { ModelFault } from "./xml.ts";

/** A model without its source: plain data, which can be sent to another thread. */
export interface ModelFacts {
  readonly processKey: string;
  readonly name: string;
  /** The id of the form that starts the process. */
  readonly startFormRef: string | undefined;
  /** The variable that takes the subject of whoever starts the process. */
  readonly initiator: string | undefined;
  readonly userTasks: ReadonlyMap<string, UserTaskModel>;
  readonly serviceTasks: ReadonlyMap<string, ServiceTaskModel>;
  /** The variables that its conditions, timers and user tasks read. A step needs no others. */
  readonly reads: ReadonlySet<string>;
  /** The number of activities, events, gateways and flows. */
  readonly size: number;
}

export interface ProcessModel extends ModelFacts {
  /** The input of the engine. Made once for each model. */
  readonly source: SerializableContext;
  readonly warnings: readonly string[];
  /** The forms of its `camunda:formData`, by the ids of their start event or user task. */
  readonly generatedForms: ReadonlyMap<string, FormSchema>;
}

export interface UserTaskModel {
  readonly name: string;
  readonly formRef: string | undefined;
  readonly owners: OwnerTexts;
}

export interface ServiceTaskModel {
  readonly name: string;
  readonly topic: "api-call" | "addon";
  readonly properties: Readonly<Record<string, string>>;
  /** The codes of the BPMN errors that its boundary events catch, or those of a sub-process around it. */
  readonly catches: readonly string[];
  readonly catchesAll: boolean;
}

/** Whether a service task's BPMN error is caught. */
export const catchesError = (task: ServiceTaskModel | undefined, code: string) =>
  task !== undefined && (task.catchesAll || task.catches.includes(code));

type Read = { readonly model: ProcessModel } | { readonly faults: readonly ModelFault[] };

/** Returns all faults at once, in the order of their lines. */
export async function readModel(xml: string): Promise<Read> {
  const { lines, faults } = scanXml(xml);
  if (faults.length > 0) return { faults };
  const parsed = await parseBpmn(xml);
  if ("fault" in parsed) return { faults: [parsed.fault] };
  return validateModel(parsed, lines);
}

/** Reads a deployed model. It is not validated again: a stricter validation would stop processes that run. */
export async function loadModel(xml: string): Promise<ProcessModel> {
  const parsed = await parseBpmn(xml);
  const process = "root" in parsed ? onlyProcess(parsed.root, ignoring) : undefined;
  if (!process || "fault" in parsed) throw new Error("a deployed model cannot be read");
  return modelOf(process, parsed, []);
}

/** The forms of the `camunda:formData` of a model. */
export interface GeneratedForms {
  /** By the key of their process. */
  readonly starts: ReadonlyMap<string, FormSchema>;
  /** By the ids of their user tasks and start events. */
  readonly elements: ReadonlyMap<string, FormSchema>;
}

/** For any BPMN model, also for one that the embedded engine would refuse. Empty if the text is not BPMN. */
export async function readGeneratedForms(xml: string): Promise<GeneratedForms> {
  const parsed = await parseBpmn(xml);
  const roots = "root" in parsed ? listOf(parsed.root, "rootElements") : [];
  const forms = new Map(roots.flatMap((root) => [...generatedFormsOf(root)]));
  const starts = roots.flatMap((root) => {
    const starting = flowElementsOf(root).filter((element) => isType(element, "StartEvent"));
    const form = starting.map(({ id = "" }) => forms.get(id)).find((found) => found !== undefined);
    return form ? [[root.id ?? "", form] as const] : [];
  });
  return { starts: new Map(starts), elements: forms };
}

const ignoring: ValidationReport = { fault: () => {}, warning: () => {} };

function validateModel(parsed: Parsed, lines: Lines): Read {
  const faults: ModelFault[] = [];
  const warnings: string[] = [];
  const lineOf = ({ id }: Element) => (id === undefined ? undefined : lines.of(id));
  const report: ValidationReport = {
    fault: (element, detail) => faults.push({ line: lineOf(element), element: element.id, detail }),
    warning: (element, detail) =>
      warnings.push(`Line ${lineOf(element) ?? "?"}, "${element.id ?? ""}": ${detail}`),
  };
  const isIncomplete = reportComplaints({ parsed, report, faults });
  const process = isIncomplete ? undefined : onlyProcess(parsed.root, report);
  if (!process) return { faults };
  validateProcess(process, report);
  warnOfUncaught(process, report);
  warnOfMessageFlows(parsed.root, report);
  if (faults.length > 0) return { faults: faults.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)) };
  try {
    return { model: modelOf(process, parsed, warnings) };
  } catch (error) {
    const detail = `The engine cannot read the structure of this model: ${(error as Error).message}.`;
    return { faults: [{ line: lineOf(process), element: process.id, detail }] };
  }
}

function onlyProcess(root: Element, { fault }: ValidationReport): Process | undefined {
  const processes = listOf(root, "rootElements").filter((element) => isType(element, "Process")) as Process[];
  const [process, ...others] = processes.filter(({ isExecutable }) => isExecutable === true);
  if (!process) fault(processes[0] ?? root, 'The model has no process with isExecutable="true".');
  for (const other of others)
    fault(
      other,
      unsupported(
        "A model with more than one executable process is",
        "Here, deploy each in a model of its own.",
      ),
    );
  return others.length === 0 ? process : undefined;
}

/** A warning for each task whose refusals should become a BPMN error that nothing catches. */
function warnOfUncaught(process: Process, { warning }: ValidationReport): void {
  const scopes = scopesOf(process);
  for (const element of scopes.keys()) {
    if (!isType(element, "ServiceTask")) continue;
    const { redirect_failures_to_error_boundary: redirect } = propertiesOf(element).properties;
    if (redirect === "true" && !catcherOf(scopes, { activity: element, code: rejectedCode }))
      warning(element, `No boundary event catches the error ${rejectedCode}. Refusals become incidents.`);
  }
}

/** Message flows only document. No element sends a message or waits for one. */
function warnOfMessageFlows(root: Element, { warning }: ValidationReport): void {
  for (const collaboration of listOf(root, "rootElements"))
    for (const flow of listOf(collaboration, "messageFlows")) warning(flow, "A message flow is ignored.");
}

const resolver = TypeResolver({ ...elements, ...replacedElements } as never);

/** Writes into each error boundary event which errors it catches. See `Catches`. */
function assignErrors(process: Process): void {
  const scopes = scopesOf(process);
  const throwers = Map.groupBy(
    [...scopes].filter(([element]) => isType(element, "EndEvent") && errorsOf(element).length > 0),
    ([element, scope]) => catcherOf(scopes, { activity: scope, code: errorsOf(element).map(codeOf)[0] }),
  );
  for (const [element, scope] of scopes) {
    if (!isType(element, "BoundaryEvent")) continue;
    for (const definition of errorsOf(element)) {
      const isAny = codeOf(definition) === undefined;
      const catches: Catches = {
        throwers: (throwers.get(element) ?? []).map(([thrower]) => thrower.id ?? ""),
        leaves: isAny ? codesAt(scope, element.attachedToRef as Element) : [],
      };
      // As an event without a reference, an event whose error has no code catches every error.
      if (isAny) Reflect.deleteProperty(definition, "errorRef");
      Object.assign(definition, catches);
    }
  }
}

/** The codes of the errors that the boundary events of the activity catch. */
const codesAt = (scope: Element, activity: Element) =>
  boundariesOf(scope, activity)
    .flatMap(errorsOf)
    .map(codeOf)
    .filter((code) => code !== undefined);

function modelOf(process: Process, parsed: Parsed, warnings: readonly string[]): ProcessModel {
  const scopes = scopesOf(process);
  const ofType = (type: string) => [...scopes.keys()].filter((element) => isType(element, type));
  const start = flowElementsOf(process).find((element) => isType(element, "StartEvent"));
  const userTasks = ofType("UserTask").map((task) => {
    const id = task.id ?? "";
    return [id, { name: task.name || id, formRef: formIdOf(task), owners: ownersOf(task) }] as const;
  });
  const serviceTasks = ofType("ServiceTask").map(
    (task) => [task.id ?? "", serviceTaskOf(task, scopes)] as const,
  );
  return {
    processKey: process.id,
    name: process.name || process.id,
    startFormRef: start && formIdOf(start),
    initiator: initiatorOf(start),
    userTasks: new Map(userTasks),
    serviceTasks: new Map(serviceTasks),
    reads: new Set([
      ...[...scopes.keys()].flatMap(expressionsOf).flatMap((text) => [...namesRead(text)]),
      ...userTasks.flatMap(([, { owners }]) => [...ownerVariables(owners)]),
    ]),
    size: scopes.size,
    source: sourceOf(process, parsed),
    warnings,
    generatedForms: generatedFormsOf(process),
  };
}

const initiatorOf = ({ initiator }: Partial<Element> = {}) =>
  typeof initiator === "string" && initiator !== "" ? initiator : undefined;

export function factsOf({
  source: _source,
  warnings: _warnings,
  generatedForms: _forms,
  ...facts
}: ProcessModel): ModelFacts {
  return facts;
}

function serviceTaskOf(task: Element, scopes: Scopes): ServiceTaskModel {
  const around = boundariesAround(task, scopes).flatMap(errorsOf).map(codeOf);
  const catches = new Set(around.filter((code) => code !== undefined));
  return {
    name: task.name || (task.id ?? ""),
    topic: task.topic as ServiceTaskModel["topic"],
    properties: propertiesOf(task).properties,
    catches: [...catches],
    catchesAll: around.includes(undefined),
  };
}

/** The boundary events of the activity and of every sub-process around it. */
function boundariesAround(activity: Element, scopes: Scopes): readonly Element[] {
  const scope = scopes.get(activity);
  return scope ? [...boundariesOf(scope, activity), ...boundariesAround(scope, scopes)] : [];
}

/** The texts of conditions and times. */
function expressionsOf(element: Element): string[] {
  const { conditionExpression } = element;
  const times = listOf(element, "eventDefinitions").flatMap(({ timeDuration, timeDate, timeCycle }) => [
    timeDuration,
    timeDate,
    timeCycle,
  ]);
  return [conditionExpression, ...times].flatMap((expression) => {
    const body = (expression as Element | undefined)?.body;
    return typeof body === "string" ? [body] : [];
  });
}

function sourceOf(process: Process, { root, context }: Parsed): SerializableContext {
  assignErrors(process);
  for (const element of [process, ...scopesOf(process).keys()]) dropUnused(element);
  const errors = listOf(root, "rootElements").filter((element) => isType(element, "Error"));
  Object.assign(root, { rootElements: [process, ...errors] });
  return serializer(context as never, resolver);
}

/** Data and roles only document. The serializer fails for some of them, and the library would evaluate their texts. */
const unused = [
  "resources",
  "ioSpecification",
  "dataInputAssociations",
  "dataOutputAssociations",
  "properties",
];

function dropUnused(element: Element): void {
  for (const property of unused)
    if (Object.hasOwn(element, property)) Reflect.deleteProperty(element, property);
  if (listOf(element, "laneSets").some(({ lanes }) => lanes === undefined))
    Reflect.deleteProperty(element, "laneSets");
}

/** Every flow element with its scope: the process, or a sub-process. */
type Scopes = ReadonlyMap<Element, Element>;

const scopesOf = (process: Process): Scopes =>
  new Map([...everyElement(process)].map(({ element, scope }) => [element, scope]));

/**
 * The boundary event that catches an error of the activity. Events at the activity come before those of a sub-process
 * around it, and an event with the error's code before one that catches every error.
 */
function catcherOf(
  scopes: Scopes,
  { activity, code }: { readonly activity: Element; readonly code: string | undefined },
): Element | undefined {
  const scope = scopes.get(activity);
  if (!scope) return undefined;
  const events = boundariesOf(scope, activity).filter((event) => errorsOf(event).length > 0);
  const catching = (wanted: string | undefined) =>
    events.find((event) => errorsOf(event).some((definition) => codeOf(definition) === wanted));
  const own = (code === undefined ? undefined : catching(code)) ?? catching(undefined);
  return own ?? catcherOf(scopes, { activity: scope, code });
}
