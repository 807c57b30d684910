/** The service tasks of a model that Waybill carries out, also of a model that the embedded engine cannot run. */
import { SaxesParser, type SaxesTagNS } from "saxes";

export interface ModelServiceTask {
  readonly activityId: string;
  /** The line in the XML, from 1. */
  readonly line: number;
  readonly topic: "api-call" | "addon";
  readonly properties: Readonly<Record<string, string>>;
  /** Names of properties that are there more than once. */
  readonly repeated: readonly string[];
}

/** Operaton's names mean what Camunda's mean. */
const extensions = ["http://camunda.org/schema/1.0/bpmn", "http://operaton.org/schema/1.0/bpmn"];

/** An open element. */
interface Frame {
  readonly tag: SaxesTagNS;
  readonly line: number;
  topic?: ModelServiceTask["topic"];
  readonly properties: Map<string, string>;
  readonly repeated: Set<string>;
}

/** In the order of their lines. None if the text is not XML. */
export function readServiceTasks(xml: string): readonly ModelServiceTask[] {
  const open: Frame[] = [];
  const tasks: ModelServiceTask[] = [];
  const parser = new SaxesParser({ xmlns: true });
  parser.on("error", () => {
    throw new NotXml();
  });
  parser.on("opentag", (tag) => {
    open.push({ tag, line: parser.line, properties: new Map(), repeated: new Set() });
    readTopic(open);
    readProperty(open);
  });
  parser.on("closetag", () => tasks.push(...taskOf(open.pop())));
  try {
    parser.write(xml).close();
  } catch (error) {
    if (!(error instanceof NotXml)) throw error;
    return [];
  }
  return tasks.sort((a, b) => a.line - b.line);
}

class NotXml extends Error {}

/** A message event has its topic in its definition, and its id and properties at itself. */
function readTopic(open: readonly Frame[]): void {
  const { tag } = open.at(-1) as Frame;
  const topic = extension(tag, "type") === "external" ? extension(tag, "topic") : undefined;
  const task = tag.local === "messageEventDefinition" ? open.at(-2) : open.at(-1);
  if (task && (topic === "api-call" || topic === "addon")) task.topic = topic;
}

/** `<extensionElements><camunda:properties><camunda:property>` of the element around them. */
function readProperty(open: readonly Frame[]): void {
  const [task, , list, property] = open.slice(-4);
  if (!task || !list || !property || !isExtension(list.tag, "properties")) return;
  if (!isExtension(property.tag, "property")) return;
  const name = plain(property.tag, "name") ?? "";
  if (task.properties.has(name)) task.repeated.add(name);
  task.properties.set(name, plain(property.tag, "value") ?? "");
}

function taskOf(frame: Frame | undefined): ModelServiceTask[] {
  if (frame?.topic === undefined) return [];
  const { tag, line, topic, properties, repeated } = frame;
  const activityId = plain(tag, "id") ?? "";
  return [{ activityId, line, topic, properties: Object.fromEntries(properties), repeated: [...repeated] }];
}

const plain = ({ attributes }: SaxesTagNS, name: string) =>
  Object.hasOwn(attributes, name) ? attributes[name]?.value : undefined;

const extension = ({ attributes }: SaxesTagNS, name: string) =>
  Object.values(attributes).find(({ local, uri }) => local === name && extensions.includes(uri))?.value;

const isExtension = ({ local, uri }: SaxesTagNS, name: string) => local === name && extensions.includes(uri);
