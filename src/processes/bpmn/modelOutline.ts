/**
 * Reads of any model, also of one that the embedded engine cannot run, what Waybill has to know of it: its executable
 * processes, the service tasks that Waybill carries out, and the forms. What is not understood here is left alone,
 * because an engine judges the model.
 */
import { SaxesParser, type SaxesTagNS } from "saxes";
import { bpmnNamespace, camundaNamespace, operatonNamespace } from "./xml.ts";

/** Operaton's names mean what Camunda's mean. */
const extensions: readonly string[] = [camundaNamespace, operatonNamespace];

const maxElements = 100_000;
const maxDepth = 200;

export interface ExecutableProcess {
  readonly key: string;
  readonly name: string;
  /** Characters before the end of its start tag, if it does not say how long its history is kept. */
  readonly historyAt: number | undefined;
}

export interface ModelServiceTask {
  readonly activityId: string;
  /** The line in the XML, from 1. */
  readonly line: number;
  readonly topic: "api-call" | "addon";
  readonly properties: Readonly<Record<string, string>>;
  /** Names of properties that are there more than once. */
  readonly repeated: readonly string[];
}

export interface ModelOutline {
  readonly processes: readonly ExecutableProcess[];
  /** The ids of form-js forms that the model names. */
  readonly formRefs: ReadonlySet<string>;
  /** The variable of each process that its start event names as `initiator`, by the key of the process. */
  readonly initiators: ReadonlyMap<string, string>;
  /** In the order of their lines. */
  readonly serviceTasks: readonly ModelServiceTask[];
}

/** An open element. */
interface Frame {
  readonly tag: SaxesTagNS;
  readonly line: number;
  /** The topic of an external task, if it is one of Waybill's. */
  topic?: ModelServiceTask["topic"];
  properties?: Map<string, string>;
  repeated?: Set<string>;
}

/** Returns a sentence for a text that is not XML, or that exceeds a limit. Takes linear time. */
export function readOutline(xml: string): ModelOutline | { readonly fault: string } {
  const reading = new Reading();
  const parser = new SaxesParser({ xmlns: true });
  const stop = (why: string) => {
    throw new Unreadable(`Line ${parser.line}: ${why}`);
  };
  parser.on("error", ({ message }) =>
    stop(`The XML is not well-formed: ${message.replace(/^\d+:\d+: /, "")}`),
  );
  parser.on("doctype", () => stop("A document type (DOCTYPE) is not allowed."));
  parser.on("opentag", (tag) => {
    const limit = reading.open({ tag, line: parser.line }, parser.position);
    if (limit) stop(limit);
  });
  parser.on("closetag", () => reading.close());
  try {
    parser.write(xml).close();
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { fault: error.message };
  }
  reading.serviceTasks.sort((a, b) => a.line - b.line);
  return reading;
}

export function readInitiators(xml: string): ReadonlyMap<string, string> {
  const outline = readOutline(xml);
  return "fault" in outline ? new Map() : outline.initiators;
}

class Unreadable extends Error {}

class Reading {
  readonly processes: ExecutableProcess[] = [];
  readonly formRefs = new Set<string>();
  readonly initiators = new Map<string, string>();
  readonly serviceTasks: ModelServiceTask[] = [];
  readonly #open: Frame[] = [];
  #elements = 0;

  /** Returns the limit that the element exceeds. */
  open(frame: Frame, end: number): string | undefined {
    if (++this.#elements > maxElements) return `The XML has more than ${maxElements} elements.`;
    if (this.#open.push(frame) > maxDepth) return `Elements are nested deeper than ${maxDepth} levels.`;
    const { tag } = frame;
    if (tag.uri === bpmnNamespace) this.#openBpmn(frame, end);
    else if (isExtension(tag, "property")) this.#addProperty(tag);
    return undefined;
  }

  #openBpmn(frame: Frame, end: number): void {
    const { tag } = frame;
    if (tag.local === "process" && plain(tag, "isExecutable") === "true")
      this.processes.push(processOf(tag, end));
    const [initiator, process] = [extension(tag, "initiator"), this.#open.at(-2)?.tag];
    if (tag.local === "startEvent" && initiator && process?.local === "process")
      this.initiators.set(plain(process, "id") ?? "", initiator);
    const formRef = extension(tag, "formRef");
    if (formRef && !/[$#]\{/.test(formRef)) this.formRefs.add(formRef);
    const topic = extension(tag, "type") === "external" ? extension(tag, "topic") : undefined;
    // A message event has its topic in its definition, and its id and properties at itself.
    const task = tag.local === "messageEventDefinition" ? this.#open.at(-2) : frame;
    if (task && (topic === "api-call" || topic === "addon")) task.topic = topic;
  }

  /** `<extensionElements><camunda:properties><camunda:property>` of the element around them. */
  #addProperty(tag: SaxesTagNS): void {
    const [task, , list] = this.#open.slice(-4);
    if (!task || !list || !isExtension(list.tag, "properties")) return;
    const name = plain(tag, "name") ?? "";
    task.properties ??= new Map();
    task.repeated ??= new Set();
    if (task.properties.has(name)) task.repeated.add(name);
    task.properties.set(name, plain(tag, "value") ?? "");
  }

  close(): void {
    const { tag, line, topic, properties = [], repeated = [] } = this.#open.pop() as Frame;
    if (topic === undefined) return;
    const activityId = plain(tag, "id") ?? "";
    const named = { properties: Object.fromEntries(properties), repeated: [...repeated] };
    this.serviceTasks.push({ activityId, line, topic, ...named });
  }
}

function processOf(tag: SaxesTagNS, end: number): ExecutableProcess {
  const key = plain(tag, "id") ?? "";
  const hasTime = extension(tag, "historyTimeToLive") !== undefined;
  const historyAt = hasTime ? undefined : end - (tag.isSelfClosing ? 2 : 1);
  return { key, name: plain(tag, "name") || key, historyAt };
}

const plain = ({ attributes }: SaxesTagNS, name: string) =>
  Object.hasOwn(attributes, name) ? attributes[name]?.value : undefined;

const extension = ({ attributes }: SaxesTagNS, name: string): string | undefined =>
  Object.values(attributes).find((attribute) => isExtension(attribute, name))?.value;

/** Whether an element or attribute is this one of Camunda's. */
export const isExtension = ({ local, uri }: { readonly local: string; readonly uri: string }, name: string) =>
  local === name && extensions.includes(uri);
