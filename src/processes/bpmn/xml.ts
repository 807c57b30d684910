/** Scans the XML of a model for its limits and its syntax, and finds the line of each id. */
import { SaxesParser } from "saxes";

export interface ModelFault {
  /** The line in the XML, from 1. */
  readonly line: number | undefined;
  /** The id of the element. */
  readonly element: string | undefined;
  readonly detail: string;
}

const maxElements = 20_000;
const maxDepth = 60;

export interface Lines {
  /** The line of the element with this id. */
  of(id: string): number | undefined;
}

/** Throws nothing. All errors of the text are in the faults. */
export function scanXml(xml: string): { readonly lines: Lines; readonly faults: readonly ModelFault[] } {
  const lines = new Map<string, number>();
  const faults: ModelFault[] = [];
  const parser = new SaxesParser({ xmlns: true });
  const fault = (detail: string, element?: string) => faults.push({ line: parser.line, element, detail });
  let [depth, elements] = [0, 0];
  parser.on("error", ({ message }) =>
    fault(`The XML is not well-formed: ${message.replace(/^\d+:\d+: /, "")}`),
  );
  parser.on("doctype", () => fault("A document type (DOCTYPE) is not allowed."));
  parser.on("opentag", ({ attributes, name }) => {
    if (++depth === maxDepth) fault(`Elements are nested deeper than ${maxDepth} levels.`);
    if (++elements === maxElements) fault(`The XML has more than ${maxElements} elements.`);
    const id = attributes.id?.value;
    if (id === undefined || name.startsWith("bpmndi:")) return;
    if (lines.has(id)) fault("This id is used twice.", id);
    lines.set(id, parser.line);
  });
  parser.on("closetag", () => void depth--);
  feed(parser, xml, faults);
  return { lines: { of: (id) => lines.get(id) }, faults };
}

/** Writes in pieces, so that a text that is wrong from its beginning is not read to its end. */
function feed(parser: SaxesParser, xml: string, faults: readonly ModelFault[]): void {
  const piece = 64 * 1024;
  for (let at = 0; at < xml.length && faults.length < 10; at += piece)
    parser.write(xml.slice(at, at + piece));
  if (faults.length === 0) parser.close();
}
