/**
 * Copies of activities. An activity of bpmn-elements works on one token at a time, and keeps further tokens in a queue.
 * BPMN has no such queue: every token that reaches an activity starts it. So a token that finds an activity busy gets a
 * copy of it, with copies of its boundary events (waitingActivities.ts).
 *
 * The library finds elements by their ids. The copies of "review" are "review@2", "review@3" and so on. No id in a
 * model contains an "@": moddle refuses it.
 */
import type { SerializableContext, SerializableElement } from "moddle-context-serializer";

const mark = "@";

export const isCopy = (id: string) => id.includes(mark);

/** The id in the model, of an element or of a copy of it. */
export function modelIdOf(id: string): string {
  const at = id.indexOf(mark);
  return at === -1 ? id : id.slice(0, at);
}

const markOf = (id: string) => id.slice(modelIdOf(id).length);

/** The id of the copy with this number. The element itself is number 1. */
export const copyIdOf = (id: string, number: number) => `${modelIdOf(id)}${mark}${number}`;

/** The id of the boundary event at a copy of its activity. */
export const idBeside = (id: string, copyId: string) => `${modelIdOf(id)}${markOf(copyId)}`;

const numberOf = (id: string) => Number(markOf(id).slice(mark.length) || 1);

/**
 * The id of an execution in a copy of a sub-process. The numbers say which of an activity's executions it is: of the
 * activity itself, of the sub-process around it, and so on. Without it, two copies would have alike executions.
 */
export function executionIdIn(scopes: readonly string[], id: string): string | undefined {
  if (!scopes.some(isCopy)) return undefined;
  const numbers = [id, ...scopes].map((at) => `${mark}${numberOf(at)}`).join("");
  const unique = crypto.randomUUID().replaceAll("-", "").slice(0, 10);
  return `${modelIdOf(id).replaceAll(/[^\w-]/g, "_")}${numbers}_${unique}`;
}

/** Tells executions that an activity can have at the same time apart. Empty for the only or the first one. */
export const laneOf = (executionId: string): string =>
  /(?:@\d+)+(?=_[0-9a-f]+$)/.exec(executionId)?.[0] ?? "";

/** The copies that work on a token, by the id of the process or sub-process around them. */
export type Copies = Readonly<Record<string, readonly string[]>>;

interface ElementState {
  readonly id: string;
  readonly execution?: {
    readonly processes?: readonly ElementState[];
    readonly children?: readonly ElementState[];
  };
}

/** The copies in the state of an instance. */
export function copiesIn(state: ElementState): Copies {
  const found = Map.groupBy(copiesWithin(state), ({ scopeId }) => scopeId);
  return Object.fromEntries([...found].map(([scopeId, copies]) => [scopeId, copies.map(({ id }) => id)]));
}

function* copiesWithin({
  id: scopeId,
  execution,
}: ElementState): Generator<Record<"scopeId" | "id", string>> {
  const { processes = [], children = [] } = execution ?? {};
  for (const { id } of children) if (isCopy(id)) yield { scopeId, id };
  for (const inner of [...processes, ...children]) yield* copiesWithin(inner);
}

type Definition = SerializableElement & {
  readonly parent?: { readonly id?: string };
  readonly behaviour?: { readonly attachedTo?: { readonly id: string } };
};

/** The model as the library reads it, with the copies of a stored state. Copies have no incoming flows. */
export function withCopies(source: SerializableContext, copies: Copies = {}): SerializableContext {
  const activityOf = (id: string) => {
    const definition = source.getActivityById(modelIdOf(id));
    return definition && isCopy(id) ? copied(definition as Definition, id) : definition;
  };
  const activitiesOf = (scopeId?: string) => {
    const activities = source.getActivities(scopeId && modelIdOf(scopeId));
    const more = (scopeId && copies[scopeId]) || [];
    return more.length === 0 ? activities : [...activities, ...more.flatMap((id) => activityOf(id) ?? [])];
  };
  return derived(source, {
    getActivityById: activityOf as never,
    getActivities: activitiesOf as never,
    getInboundSequenceFlows: (id) => (isCopy(id) ? [] : source.getInboundSequenceFlows(id)),
    getOutboundSequenceFlows: (id) => source.getOutboundSequenceFlows(modelIdOf(id)),
    getSequenceFlows: (scopeId) => source.getSequenceFlows(scopeId && modelIdOf(scopeId)),
    getInboundAssociations: (id) => (isCopy(id) ? [] : source.getInboundAssociations(id)),
    getOutboundAssociations: (id) => source.getOutboundAssociations(modelIdOf(id)),
    getAssociations: (scopeId) => source.getAssociations(scopeId && modelIdOf(scopeId)),
  });
}

function copied(definition: Definition, id: string): Definition {
  const { behaviour } = definition;
  const attachedTo = behaviour?.attachedTo;
  if (!attachedTo) return { ...definition, id };
  const beside = { ...attachedTo, id: idBeside(attachedTo.id, id) };
  return { ...definition, id, behaviour: { ...behaviour, attachedTo: beside } };
}

/** The model within a copy of a sub-process: the copy is the parent of the elements in it. */
export function withinCopy(source: SerializableContext, copyId: string): SerializableContext {
  const subProcessId = modelIdOf(copyId);
  const adopted = <T>(definition: T): T => {
    const { parent } = (definition ?? {}) as Definition;
    return parent?.id === subProcessId ? { ...definition, parent: { ...parent, id: copyId } } : definition;
  };
  return derived(source, {
    getActivityById: (id) => adopted(source.getActivityById(id)),
    getActivities: (scopeId) => source.getActivities(scopeId).map(adopted),
    getInboundSequenceFlows: (id) => source.getInboundSequenceFlows(id).map(adopted),
    getOutboundSequenceFlows: (id) => source.getOutboundSequenceFlows(id).map(adopted),
    getSequenceFlows: (scopeId) => source.getSequenceFlows(scopeId).map(adopted),
    getSequenceFlowById: (id) => adopted(source.getSequenceFlowById(id)),
    getInboundAssociations: (id) => source.getInboundAssociations(id).map(adopted),
    getOutboundAssociations: (id) => source.getOutboundAssociations(id).map(adopted),
    getAssociations: (scopeId) => source.getAssociations(scopeId).map(adopted),
  });
}

const derived = (source: SerializableContext, own: Partial<SerializableContext>): SerializableContext =>
  Object.assign(Object.create(source), own);
