/** Reads the elements of a model. moddle has no types for them. */

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

/** Every flow element of a process and of its sub-processes, each with its scope. */
export function* everyElement(
  scope: Element,
): Generator<{ readonly element: Element; readonly scope: Element }> {
  for (const element of flowElementsOf(scope)) {
    yield { element, scope };
    yield* everyElement(element);
  }
}

/** The connections within a scope. Computed once, because a model may have thousands of flows. */
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

/** The flows that leave an element, found by their sources: `outgoing` is optional in a model. */
export const outgoingOf = (scope: Element, element: Element) => wiringOf(scope).outgoing.get(element) ?? [];

export const incomingOf = (scope: Element, element: Element) => wiringOf(scope).incoming.get(element) ?? [];

export const boundariesOf = (scope: Element, activity: Element) =>
  wiringOf(scope).boundaries.get(activity) ?? [];

export const extensionsOf = (element: Element): readonly Element[] => {
  const extension = element.extensionElements as Element | undefined;
  return extension ? listOf(extension, "values") : [];
};

/** `camunda:properties` by name. Names that occur more than once are in `repeated`. */
export function propertiesOf(element: Element): {
  readonly properties: Readonly<Record<string, string>>;
  readonly repeated: readonly string[];
  /** The number of properties, repeated ones included. */
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

/** The type in words: "service task" for `bpmn:ServiceTask`. */
export const kindOf = ({ $type }: Element) =>
  $type
    .replace(/^\w+:/, "")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();

/**
 * The form's id: `camunda:formRef`, or a `camunda:formKey`, also as `camunda-forms:deployment:<id>.form`. Undefined for
 * a form that is not one of form-js.
 */
export function formRefOf(element: Element): string | undefined {
  const attribute = namedForm(element);
  if (attribute === undefined || isForeign(attribute)) return undefined;
  const prefix = /^(?:camunda|operaton)-forms:(?:deployment|bpmn):/.exec(attribute)?.[0];
  if (prefix === undefined || prefix === attribute) return attribute;
  const path = attribute.slice(prefix.length);
  // A slash at the end is part of the name. A regular expression would take quadratic time for many slashes.
  const name = path.length < 2 ? path : path.slice(path.lastIndexOf("/", path.length - 2) + 1);
  return name.endsWith(".form") && name !== ".form" ? name.slice(0, -".form".length) : name;
}

/** The form of a start event or a user task that is a page, not a form of form-js. */
export function foreignFormOf(element: Element): string | undefined {
  const attribute = namedForm(element);
  return attribute !== undefined && isForeign(attribute) ? attribute : undefined;
}

function namedForm({ formRef, formKey }: Element): string | undefined {
  const attribute = formRef ?? formKey;
  return typeof attribute === "string" && attribute !== "" ? attribute : undefined;
}

/** A page that Camunda's tasklist embeds or links to. */
const isForeign = (attribute: string) =>
  /^(?:embedded|app|https?):/i.test(attribute) || /\.(?:html?|xhtml|jsf|jsp)$/i.test(attribute);

/** The error definitions of an event. */
export const errorsOf = (event: Element) =>
  listOf(event, "eventDefinitions").filter((definition) => isType(definition, "ErrorEventDefinition"));

/** The code of an error definition. Undefined if it is for every error. */
export function codeOf({ errorRef }: Element): string | undefined {
  const code = (errorRef as Element | undefined)?.errorCode;
  return typeof code === "string" && code !== "" ? code : undefined;
}
