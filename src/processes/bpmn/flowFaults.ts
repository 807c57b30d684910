/** Flows that no engine of the Camunda 7 family can follow. These engines refuse them too, most when they deploy. */
import { type Element, flowElementsOf, isType, kindOf, outgoingOf } from "./elements.ts";
import type { ValidationReport } from "./validationReport.ts";

/** Validates where a flow begins and where it leads. Its scope is the process or sub-process that it is in. */
export function validateEnds(flow: Element, scope: Element, { fault }: ValidationReport): void {
  const { sourceRef, targetRef } = flow as Record<string, Element | undefined>;
  const inside = elementsIn(scope);
  for (const end of [sourceRef, targetRef]) {
    if (!end || inside.has(end)) continue;
    fault(
      flow,
      `This flow crosses the border of a sub-process: "${end.id}" is not in the same process or sub-process as the ` +
        "flow. Let the flow lead to the sub-process itself, or from it.",
    );
  }
  if (targetRef && isType(targetRef, "BoundaryEvent"))
    fault(flow, "A flow cannot lead to a boundary event. Let it lead to the element after the event.");
}

const known = new WeakMap<Element, ReadonlySet<Element>>();

function elementsIn(scope: Element): ReadonlySet<Element> {
  const elements = known.get(scope) ?? new Set(flowElementsOf(scope));
  known.set(scope, elements);
  return elements;
}

/** Validates the flows out of an exclusive or inclusive gateway. */
export function validateDecision(
  gateway: Element,
  scope: Element,
  { fault, warning }: ValidationReport,
): void {
  const outgoing = outgoingOf(scope, gateway);
  const [only] = outgoing;
  if (!only) {
    fault(gateway, `This ${kindOf(gateway)} has no outgoing flow. Add one, or use an end event.`);
    return;
  }
  if (!isType(gateway, "ExclusiveGateway")) return;
  const byDefault = gateway.default as Element | undefined;
  if (byDefault?.conditionExpression)
    fault(byDefault, "The default flow of a gateway cannot have a condition. Remove it.");
  else if (outgoing.length === 1 && only.conditionExpression)
    warning(only, "Operaton and Camunda 7 refuse a condition on the only flow out of a gateway.");
}
