/** Scans the XML of a model for its limits, its syntax and its namespaces, and finds the line of each id. */
import { SaxesParser, type SaxesTagNS } from "saxes";

export interface ModelFault {
  /** The line in the XML, from 1. */
  readonly line: number | undefined;
  /** The id of the element. */
  readonly element: string | undefined;
  readonly detail: string;
}

const maxElements = 20_000;
const maxDepth = 60;

export const camundaNamespace = "http://camunda.org/schema/1.0/bpmn";
/** Means the same as Camunda's. */
export const operatonNamespace = "http://operaton.org/schema/1.0/bpmn";
export const bpmnNamespace = "http://www.omg.org/spec/BPMN/20100524/MODEL";
const modelerNamespace = "http://camunda.org/schema/modeler/1.0";
const zeebeNamespace = "http://camunda.org/schema/zeebe/1.0";

export interface Lines {
  /** The line of the element with this id. */
  of(id: string): number | undefined;
}

/** Throws nothing. All errors of the text are in the faults. */
export function scanXml(xml: string): { readonly lines: Lines; readonly faults: readonly ModelFault[] } {
  const lines = new Map<string, number>();
  /** Of BPMN elements. Fields of two forms, and shapes, may have the id of another element. */
  const ids = new Set<string>();
  const faults: ModelFault[] = [];
  const parser = new SaxesParser({ xmlns: true });
  const fault = (detail: string, element?: string) => faults.push({ line: parser.line, element, detail });
  let [depth, elements, isOfZeebe] = [0, 0, false];
  parser.on("error", ({ message }) =>
    fault(`The XML is not well-formed: ${message.replace(/^\d+:\d+: /, "")}`),
  );
  parser.on("doctype", () => fault("A document type (DOCTYPE) is not allowed."));
  parser.on("opentag", (tag) => {
    const id = tag.attributes.id?.value;
    if (++depth === maxDepth) fault(`Elements are nested deeper than ${maxDepth} levels.`);
    if (++elements === maxElements) fault(`The XML has more than ${maxElements} elements.`);
    if (!isOfZeebe && isForZeebe(tag)) {
      isOfZeebe = true;
      fault(forZeebe, id);
    }
    for (const name of contradictionsIn(tag)) fault(contradiction(name), id);
    if (id === undefined) return;
    if (tag.uri === bpmnNamespace && ids.has(id)) fault(usedTwice(id, lines.get(id)), id);
    if (tag.uri === bpmnNamespace) ids.add(id);
    if (ids.has(id) === (tag.uri === bpmnNamespace)) lines.set(id, parser.line);
  });
  parser.on("closetag", () => void depth--);
  feed(parser, xml, faults);
  return { lines: { of: (id) => lines.get(id) }, faults };
}

const usedTwice = (id: string, first: number | undefined) =>
  `This id is used twice. The first element with the id "${id}" is in line ${first}. Rename one of them.`;

const forZeebe =
  "This model is for Camunda 8, which works in another way. " +
  "Waybill runs models for Camunda 7 and Operaton: draw the process again for one of them.";

function isForZeebe({ uri, attributes }: SaxesTagNS): boolean {
  if (uri === zeebeNamespace) return true;
  return Object.values(attributes).some(
    (attribute) =>
      attribute.uri === zeebeNamespace ||
      (attribute.uri === modelerNamespace &&
        attribute.local === "executionPlatform" &&
        attribute.value === "Camunda Cloud"),
  );
}

/** The attributes that an element has in both namespaces with different values. */
function contradictionsIn({ attributes }: SaxesTagNS): readonly string[] {
  const all = Object.values(attributes);
  const theirs = new Map(
    all.filter(({ uri }) => uri === camundaNamespace).map(({ local, value }) => [local, value]),
  );
  return all
    .filter(({ uri, local, value }) => uri === operatonNamespace && (theirs.get(local) ?? value) !== value)
    .map(({ local }) => local);
}

const contradiction = (name: string) =>
  `This element has ${name} twice, in Camunda's and in Operaton's namespace, with different values. Keep one.`;

/** Writes in pieces, so that a text that is wrong from its beginning is not read to its end. */
function feed(parser: SaxesParser, xml: string, faults: readonly ModelFault[]): void {
  const piece = 64 * 1024;
  for (let at = 0; at < xml.length && faults.length < 10; at += piece)
    parser.write(xml.slice(at, at + piece));
  if (faults.length === 0) parser.close();
}
