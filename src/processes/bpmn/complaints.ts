/** What moddle could not read in a model, as faults and warnings about its elements. */
import { type Element, isType, kindOf } from "./elements.ts";
import { complaintOf, type Parsed } from "./parseBpmn.ts";
import { withArticle } from "./unsupported.ts";
import type { ValidationReport } from "./validationReport.ts";
import type { ModelFault } from "./xml.ts";

interface Reports {
  readonly report: ValidationReport;
  readonly faults: ModelFault[];
  readonly parsed: Parsed;
}

/** Returns whether an element is missing from the model. It would cause further faults. */
export function reportComplaints({ parsed, report, faults }: Reports): boolean {
  const located = parsed.warnings.flatMap((complaint) => placeOf(complaint) ?? []);
  const stale = located.filter(({ element, isReference }) => isReference && isOfDiagram(element));
  for (const place of located) reportPlace(place, report);
  if (stale[0]) report.warning(stale[0].element, staleDiagram(stale));
  const others = parsed.warnings.filter((complaint) => !placeOf(complaint)).map(complaintOf);
  for (const { line, detail } of others) {
    const encoding = /^unsupported document encoding <([^>]*)>/.exec(detail)?.[1];
    if (encoding === undefined)
      faults.push({ line, element: undefined, detail: `The model is not valid BPMN: ${detail}.` });
    else if (parsed.isDamaged) report.fault(parsed.root, otherEncoding(encoding));
    else report.warning(parsed.root, otherEncoding(encoding));
  }
  return others.some(({ line }) => line !== undefined);
}

const otherEncoding = (encoding: string) =>
  `The model says that its encoding is ${encoding}, and is read as UTF-8. Save it as UTF-8.`;

/** An attribute that moddle does not know, or a reference to an element that does not exist. */
interface Place {
  readonly element: Element;
  readonly property: string;
  readonly value: string;
  readonly isReference: boolean;
}

function placeOf(complaint: unknown): Place | undefined {
  const { element, property, value, message } = complaint as Partial<Place> & { readonly message?: string };
  if (!element || property === undefined || value === undefined) return undefined;
  return { element, property, value, isReference: !message?.startsWith("unknown attribute") };
}

const isOfDiagram = ({ $type }: Element) => !$type.startsWith("bpmn:");

function reportPlace({ element, property, value, isReference }: Place, report: ValidationReport): void {
  if (isOfDiagram(element)) return;
  const [, prefix, name = property] = /^(?:(\w+):)?(.*)$/.exec(property) ?? [];
  const kind = kindOf(element);
  const nothing = `The ${name} of this ${kind} is "${value}", but no element has this id.`;
  if (isReference && decides(element, name)) report.fault(element, nothing);
  else if (isReference) report.warning(element, `${nothing} It is ignored.`);
  else if (prefix === undefined || prefix === "bpmn")
    report.fault(element, `BPMN has no attribute "${name}" of ${withArticle(kind)}. Remove it.`);
  else report.warning(element, `${property} is ignored: it has no meaning at ${withArticle(kind)}.`);
}

/** Whether the engine follows the reference. Others only document, or belong to elements that are refused. */
const decides = (element: Element, name: string) =>
  name === "default" ||
  (name === "attachedToRef" && isType(element, "BoundaryEvent")) ||
  (name === "errorRef" && isType(element, "ErrorEventDefinition")) ||
  ((name === "sourceRef" || name === "targetRef") && isType(element, "SequenceFlow"));

function staleDiagram(stale: readonly Place[]): string {
  const named = [...new Set(stale.map(({ value }) => value))].slice(0, 5).map((value) => `"${value}"`);
  return `The diagram shows ${named.join(", ")}, but no element has this id. The process runs all the same.`;
}
