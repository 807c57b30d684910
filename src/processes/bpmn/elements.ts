/** What is read of moddle's elements: moddle itself types nothing. */

export interface Element {
  readonly $type: string;
  readonly id?: string;
  readonly name?: string;
  readonly $attrs?: Readonly<Record<string, unknown>>;
  readonly [property: string]: unknown;
}

export interface Process extends Element {
  readonly id: string;
  readonly isExecutable?: boolean;
}

export const listOf = (element: Element, property: string): readonly Element[] => {
  const value = element[property];
  return Array.isArray(value) ? (value as Element[]) : [];
};

export const flowElementsOf = (scope: Element) => listOf(scope, "flowElements");

/** Every flow element of a process, with what is inside of sub-processes, each with the scope it stands in. */
export function* everyElement(
  scope: Element,
): Generator<{ readonly element: Element; readonly scope: Element }> {
  for (const element of flowElementsOf(scope)) {
    yield { element, scope };
    yield* everyElement(element);
  }
}

/** How the elements of a scope hang together: looked up once, since a model may have thousands of flows. */
interface Wiring {
  readonly outgoing: ReadonlyMap<unknown, readonly Element[]>;
  readonly incoming: ReadonlyMap<unknown, readonly Element[]>;
  readonly boundaries: ReadonlyMap<unknown, readonly Element[]>;
}

const wirings = new WeakMap<Element, Wiring>();

function wiringOf(scope: Element): Wiring {
  const known = wirings.get(scope);
  if (known) return known;
  const flows = flowElementsOf(scope).filter((element) => isType(element, "SequenceFlow"));
  const events = flowElementsOf(scope).filter((element) => isType(element, "BoundaryEvent"));
  const wiring = {
    outgoing: Map.groupBy(flows, ({ sourceRef }) => sourceRef),
    incoming: Map.groupBy(flows, ({ targetRef }) => targetRef),
    boundaries: Map.groupBy(events, ({ attachedToRef }) => attachedToRef),
  };
  wirings.set(scope, wiring);
  return wiring;
}

/** The flows that leave an element, told by their sources: `outgoing` is optional in a model. */
export const outgoingOf = (scope: Element, element: Element) => wiringOf(scope).outgoing.get(element) ?? [];

export const incomingOf = (scope: Element, element: Element) => wiringOf(scope).incoming.get(element) ?? [];

export const boundariesOf = (scope: Element, activity: Element) =>
  wiringOf(scope).boundaries.get(activity) ?? [];

export const extensionsOf = (element: Element): readonly Element[] => {
  const extension = element.extensionElements as Element | undefined;
  return extension ? listOf(extension, "values") : [];
};

/** `camunda:properties`, by name; a name that stands twice is in `repeated`. */
export function propertiesOf(element: Element): {
  readonly properties: Readonly<Record<string, string>>;
  readonly repeated: readonly string[];
  /** All of them, also those that stand twice. */
  readonly count: number;
} {
  const all = extensionsOf(element)
    .filter(({ $type }) => $type === "camunda:Properties")
    .flatMap((list) => listOf(list, "values"))
    .map((property): [string, string] => [String(property.name ?? ""), String(property.value ?? "")]);
  const seen = new Set<string>();
  const repeated: string[] = [];
  for (const [name] of all) {
    if (seen.has(name)) repeated.push(name);
    seen.add(name);
  }
  return { properties: Object.fromEntries(all), repeated, count: all.length };
}

export const isType = (element: Element, ...types: readonly string[]) =>
  types.some((type) => element.$type === `bpmn:${type}`);

/** `bpmn:ServiceTask` as a person says it: "service task". */
export const kindOf = ({ $type }: Element) =>
  $type
    .replace(/^\w+:/, "")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();

/** `camunda:formRef`, or a `camunda:formKey` that names a form by its id: `camunda-forms:deployment:<id>.form` too. */
export function formRefOf(element: Element): string | undefined {
  const attribute = element.formRef ?? element.formKey;
  if (typeof attribute !== "string" || attribute === "") return undefined;
  const prefix = /^camunda-forms:(?:deployment|bpmn):/.exec(attribute)?.[0];
  if (prefix === undefined || prefix === attribute) return attribute;
  const path = attribute.slice(prefix.length);
  // A slash at the end is part of the name. A pattern for the last slash would be quadratic in their number.
  const name = path.length < 2 ? path : path.slice(path.lastIndexOf("/", path.length - 2) + 1);
  return name.endsWith(".form") && name !== ".form" ? name.slice(0, -".form".length) : name;
}

/** The error definitions of an event. */
export const errorsOf = (event: Element) =>
  listOf(event, "eventDefinitions").filter((definition) => isType(definition, "ErrorEventDefinition"));

/** The code of an error definition; undefined where it is about any error. */
export function codeOf({ errorRef }: Element): string | undefined {
  const code = (errorRef as Element | undefined)?.errorCode;
  return typeof code === "string" && code !== "" ? code : undefined;
}
