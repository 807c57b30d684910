/**
 * Reads of a model what Waybill has to know before it goes to the engine: its executable processes, the service tasks
 * that Waybill carries out, and the forms. Everything else is the engine's to judge, so whatever is not understood here
 * is left alone.
 */
import { SaxesParser, type SaxesTagNS } from "saxes";
import { parseServiceTask } from "../../delivery/serviceTask.ts";

const bpmn = "http://www.omg.org/spec/BPMN/20100524/MODEL";
export const camunda = "http://camunda.org/schema/1.0/bpmn";
/** Operaton takes both names for the same. */
const extensions: readonly string[] = [camunda, "http://operaton.org/schema/1.0/bpmn"];
const topics: readonly string[] = ["api-call", "addon"];

const maxElements = 100_000;
const maxDepth = 200;
/** Faults of one model in an answer. */
const mostFaults = 100;

export interface ExecutableProcess {
  readonly key: string;
  readonly name: string;
  /** Characters before the end of its start tag, if it does not say how long its history is kept. */
  readonly historyAt: number | undefined;
}

export interface EngineModel {
  readonly processes: readonly ExecutableProcess[];
  /** The ids of form-js forms that the model names. */
  readonly formRefs: ReadonlySet<string>;
  /** Sentences about the service tasks, and about a text that is not XML. */
  readonly faults: readonly string[];
}

/** An open element. */
interface Frame {
  readonly tag: SaxesTagNS;
  readonly line: number;
  /** The topic of an external task, if it is one of Waybill's. */
  topic?: string;
  properties?: Record<string, string>;
}

export function readModel(xml: string): EngineModel {
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
    return { ...reading.model, faults: [error.message] };
  }
  return reading.model;
}

class Unreadable extends Error {}

class Reading {
  readonly model = {
    processes: [] as ExecutableProcess[],
    formRefs: new Set<string>(),
    faults: [] as string[],
  };
  readonly #open: Frame[] = [];
  #elements = 0;

  /** Returns the limit that the element exceeds. */
  open(frame: Frame, end: number): string | undefined {
    if (++this.#elements > maxElements) return `The XML has more than ${maxElements} elements.`;
    if (this.#open.push(frame) > maxDepth) return `Elements are nested deeper than ${maxDepth} levels.`;
    const { tag } = frame;
    if (tag.uri === bpmn) this.#openBpmn(frame, end);
    else if (isExtension(tag, "property")) this.#addProperty(tag);
    return undefined;
  }

  #openBpmn(frame: Frame, end: number): void {
    const { tag } = frame;
    if (tag.local === "process" && plain(tag, "isExecutable") === "true") {
      const key = plain(tag, "id") ?? "";
      const historyAt =
        extension(tag, "historyTimeToLive") === undefined ? end - (tag.isSelfClosing ? 2 : 1) : undefined;
      this.model.processes.push({ key, name: plain(tag, "name") || key, historyAt });
    }
    const formRef = extension(tag, "formRef");
    if (formRef && !/[$#]\{/.test(formRef)) this.model.formRefs.add(formRef);
    const topic = extension(tag, "type") === "external" ? extension(tag, "topic") : undefined;
    // A message event has its topic in its definition, and its properties at itself.
    const task = tag.local === "messageEventDefinition" ? this.#open.at(-2) : frame;
    if (task && topic !== undefined && topics.includes(topic)) task.topic = topic;
  }

  /** `<extensionElements><camunda:properties><camunda:property>` of the element around them. */
  #addProperty(tag: SaxesTagNS): void {
    const [task, , properties] = this.#open.slice(-4);
    const [name, value] = [plain(tag, "name"), plain(tag, "value")];
    if (!task || !properties || !isExtension(properties.tag, "properties") || name === undefined) return;
    task.properties ??= Object.create(null) as Record<string, string>;
    if (value !== undefined) task.properties[name] = value;
  }

  close(): void {
    const frame = this.#open.pop();
    if (frame?.topic === undefined || this.model.faults.length >= mostFaults) return;
    const parsed = parseServiceTask(frame.topic, frame.properties ?? {});
    const place = `Line ${frame.line}, "${plain(frame.tag, "id") ?? ""}"`;
    if ("faults" in parsed) this.model.faults.push(...parsed.faults.map((fault) => `${place}: ${fault}`));
  }
}

const plain = ({ attributes }: SaxesTagNS, name: string) =>
  Object.hasOwn(attributes, name) ? attributes[name]?.value : undefined;

function extension({ attributes }: SaxesTagNS, name: string): string | undefined {
  const found = Object.values(attributes).find(
    ({ local, uri }) => local === name && extensions.includes(uri),
  );
  return found?.value;
}

/** Whether an element or attribute is this one of Camunda's. */
export const isExtension = ({ local, uri }: { readonly local: string; readonly uri: string }, name: string) =>
  local === name && extensions.includes(uri);

/** Days for which the engine keeps an instance that has ended, if the model does not say it. */
export const historyDays = 180;

const historyTime = ` xmlns:waybill="${camunda}" waybill:historyTimeToLive="P${historyDays}D"`;

/** The model as it was before `withHistoryTime`. */
export const withoutHistoryTime = (xml: string) => xml.replaceAll(historyTime, "");

/** The model with a time for the history of each process that names none. */
export function withHistoryTime(xml: string, processes: readonly ExecutableProcess[]): string {
  let text = "";
  let copied = 0;
  for (const { historyAt } of processes) {
    if (historyAt === undefined || !/^\/?>/.test(xml.slice(historyAt, historyAt + 2))) continue;
    text += xml.slice(copied, historyAt) + historyTime;
    copied = historyAt;
  }
  return text + xml.slice(copied);
}
