/** What nothing leads to never runs. The person who deploys the model is told. */
import {
  boundariesOf,
  type Element,
  flowElementsOf,
  incomingOf,
  isType,
  listOf,
  outgoingOf,
} from "./elements.ts";
import type { ValidationReport } from "./validationReport.ts";

/** Warns of the elements of a process or sub-process that no path from a start event reaches. */
export function warnOfUnreachable(scope: Element, { warning }: ValidationReport): void {
  const reached = reachedIn(scope);
  for (const element of flowElementsOf(scope)) {
    if (isType(element, "EndEvent"))
      for (const flow of outgoingOf(scope, element))
        warning(flow, "A path ends at its end event, so nothing takes this flow.");
    if (reached.has(element)) {
      if (isType(element, "ParallelGateway")) warnOfDeadJoin(scope, element, { reached, warning });
    } else if (isFlowNode(element))
      warning(element, "No path leads to this element, so it never runs. Connect it, or remove it.");
  }
}

function reachedIn(scope: Element): ReadonlySet<Element> {
  const reached = new Set(flowElementsOf(scope).filter(isEntry));
  // A set also visits what is added to it on the way.
  for (const element of reached) {
    const flows = isType(element, "EndEvent") ? [] : outgoingOf(scope, element);
    for (const { targetRef } of flows) if (targetRef) reached.add(targetRef as Element);
    for (const event of boundariesOf(scope, element)) reached.add(event);
  }
  return reached;
}

/** What starts without a flow. Link events, event sub-processes and compensation are reached by other means. */
const isEntry = (element: Element) =>
  isType(element, "StartEvent") ||
  element.triggeredByEvent === true ||
  element.isForCompensation === true ||
  (isType(element, "IntermediateCatchEvent") &&
    listOf(element, "eventDefinitions").some((definition) => isType(definition, "LinkEventDefinition")));

/** Boundary events are reported with their activity. */
const isFlowNode = (element: Element) =>
  /(Task|Activity|SubProcess|Gateway|Event|Transaction)$/.test(element.$type) &&
  !isType(element, "BoundaryEvent");

function warnOfDeadJoin(
  scope: Element,
  join: Element,
  { reached, warning }: { reached: ReadonlySet<unknown>; warning: ValidationReport["warning"] },
): void {
  const isDead = ({ sourceRef }: Element) =>
    !reached.has(sourceRef) || isType(sourceRef as Element, "EndEvent");
  const flows = incomingOf(scope, join);
  if (flows.length < 2) return;
  for (const flow of flows.filter(isDead))
    warning(flow, `Nothing takes this flow, so the parallel gateway "${join.id}" waits for it without end.`);
}
