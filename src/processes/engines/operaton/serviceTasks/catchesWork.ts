/** Reads where a model catches BPMN errors. Large models are read in another thread. */
import BpmnModdle from "bpmn-moddle";
import {
  boundariesOf,
  codeOf,
  type Element,
  errorsOf,
  everyElement,
  flowElementsOf,
  isType,
  listOf,
} from "../../../bpmn/elements.ts";

/** The codes that are caught. Undefined in the list is every code. */
type Codes = readonly (string | undefined)[];

interface Place {
  /** The process or sub-process that the element is in. */
  readonly scope: string;
  /** Caught by boundary events at the element. */
  readonly boundaries: Codes;
}

/** Plain data, in the size of the model. */
export interface Catches {
  /** By the element's id. */
  readonly places: ReadonlyMap<string, Place>;
  /** The event sub-processes of a scope, by its id, and what each of them catches. */
  readonly eventSubProcesses: ReadonlyMap<string, readonly { readonly id: string; readonly codes: Codes }[]>;
}

interface Model {
  readonly bpmn: string;
  /** The id of a process in the model. */
  readonly processKey: string;
}

export async function readCatches({ bpmn, processKey }: Model): Promise<Catches> {
  const { rootElement } = await new BpmnModdle().fromXML(bpmn);
  const process = listOf(rootElement as Element, "rootElements").find(
    (each) => isType(each, "Process") && each.id === processKey,
  );
  if (!process) return { places: new Map(), eventSubProcesses: new Map() };
  const elements = [...everyElement(process)];
  const places = elements.map(({ element, scope }) => {
    const boundaries = boundariesOf(scope, element).flatMap(errorsOf).map(codeOf);
    return [element.id ?? "", { scope: scope.id ?? "", boundaries }] as const;
  });
  const eventSubProcesses = Map.groupBy(
    elements.filter(({ element }) => element.triggeredByEvent === true),
    ({ scope }) => scope.id ?? "",
  );
  const codes = [...eventSubProcesses].map(
    ([scope, found]) => [scope, found.map(({ element }) => startOf(element))] as const,
  );
  return { places: new Map(places), eventSubProcesses: new Map(codes) };
}

function startOf(subProcess: Element): { readonly id: string; readonly codes: Codes } {
  const starts = flowElementsOf(subProcess).filter((each) => isType(each, "StartEvent"));
  return { id: subProcess.id ?? "", codes: starts.flatMap(errorsOf).map(codeOf) };
}

/** Whether an event at the element, or at or in a scope around it, catches the error. */
export function catches({ places, eventSubProcesses }: Catches, activityId: string, code: string): boolean {
  const has = (codes: Codes) => codes.includes(undefined) || codes.includes(code);
  let id = activityId;
  for (let place = places.get(id); place; place = places.get(id)) {
    const beside = eventSubProcesses.get(place.scope) ?? [];
    const isInside = id;
    if (has(place.boundaries) || beside.some((each) => each.id !== isInside && has(each.codes))) return true;
    id = place.scope;
  }
  return false;
}
