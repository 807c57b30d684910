/**
 * Activities in which an instance waits. They work on several tokens at the same time (copies.ts). replacedElements.ts
 * says what has to be done when a new version of bpmn-elements comes.
 */
import type { ContextInstance } from "bpmn-elements";
import { IntermediateCatchEventBehaviour } from "bpmn-elements/events";
import { ServiceTaskBehaviour, SignalTaskBehaviour, SubProcessBehaviour } from "bpmn-elements/tasks";
import type { SerializableElement } from "moddle-context-serializer";
import { copyIdOf, executionIdIn, idBeside, isCopy, withinCopy } from "./copies.ts";
import { FlowNode } from "./flowNodes.ts";

const kElements = Symbol.for("elements");
const kExec = Symbol.for("exec");
const kHandlers = Symbol.for("messageHandlers");

/** The execution of a process or of a sub-process. The library keeps its fields under symbols that all can name. */
interface Scope {
  readonly id: string;
  readonly [kElements]: { readonly children: FlowNode[] };
  readonly [kHandlers]: { readonly onActivityEvent: () => void };
}

/** A copy and its boundary events. */
type Copy = readonly [activity: FlowNode, ...events: FlowNode[]];

class WaitingActivity extends FlowNode {
  declare readonly [kExec]: Map<"initExecutionId", string>;
  #scope: Scope | undefined;
  /** The first of them has the number 2. */
  readonly #copies: Copy[] = [];

  /** The execution of the process calls it with itself. */
  override activate(scope?: Scope): void {
    this.#scope = scope ?? this.#scope;
    super.activate(scope);
  }

  /** The library uses an id that was decided before the run. */
  override run(content: object): void {
    const executionId = executionIdIn(scopesAround(this.context), this.id);
    if (executionId !== undefined) this[kExec].set("initExecutionId", executionId);
    super.run(content);
  }

  /** Tokens wait in the states that earlier versions have stored. */
  override resume(): void {
    super.resume();
    this.#spread();
  }

  override _onInbound(key: string, message: unknown): void {
    super._onInbound(key, message);
    this.#spread();
  }

  override _onInboundEvent(key: string, message: unknown): void {
    super._onInboundEvent(key, message);
    this.#spread();
  }

  /** While the activity is busy, each token that waits for it goes to a copy. */
  #spread(): void {
    if (this.status !== "executing") return;
    const waiting = this.broker.getQueue("inbound-q");
    while (waiting.messageCount > 0) {
      const token = waiting.get({ noAck: true });
      if (!token) return;
      const { content } = token;
      this.#idleCopy().run({ message: content.message, inbound: [{ ...content }] });
    }
  }

  #idleCopy(): FlowNode {
    const isIdle = (copy: Copy) => copy.every(({ status }) => status === undefined);
    let copy = this.#copies.find(isIdle);
    while (!copy) {
      const next = this.#copy(this.#copies.length + 2);
      this.#copies.push(next);
      // A recovered state may have it, and it may be busy.
      if (isIdle(next)) copy = next;
    }
    return copy[0];
  }

  #copy(number: number): Copy {
    const id = copyIdOf(this.id, number);
    const events = this.context.definitionContext
      .getActivities(this.#scope?.id)
      .filter(({ id = "", behaviour }) => behaviour.attachedTo?.id === this.id && !isCopy(id));
    return [this.#nodeOf(id), ...events.map((event) => this.#nodeOf(idBeside(event.id ?? "", id)))];
  }

  /** The copy with this id. A recovered state may have it. Otherwise it is created and joins the execution. */
  #nodeOf(id: string): FlowNode {
    const scope = this.#scope;
    if (!scope) throw new Error(`the activity ${this.id} has not been activated`);
    const { children } = scope[kElements];
    const known = children.find((child) => child.id === id);
    if (known) return known;
    const node = this.context.getActivityById(id) as unknown as FlowNode;
    children.push(node);
    // As the execution does with the others.
    node.activate(scope);
    node.broker.subscribeTmp("event", "#", scope[kHandlers].onActivityEvent, {
      noAck: true,
      consumerTag: "_process-activity-consumer",
      priority: 200,
    });
    return node;
  }
}

/** The ids of the sub-processes around an element, the innermost first. */
function scopesAround({ owner }: ContextInstance): string[] {
  const around = owner as Partial<FlowNode & { readonly isSubProcess: boolean }> | undefined;
  if (!around?.isSubProcess || !around.context) return [];
  return [around.id ?? "", ...scopesAround(around.context)];
}

/** The library calls these with `new`. */
const waiting = (behaviour: unknown) =>
  function node(definition: SerializableElement, context: ContextInstance) {
    return new WaitingActivity(behaviour, definition, context);
  };

export const UserTask = waiting(SignalTaskBehaviour);
export const ServiceTask = waiting(ServiceTaskBehaviour);
export const IntermediateCatchEvent = waiting(IntermediateCatchEventBehaviour);

export function SubProcess(definition: SerializableElement, context: ContextInstance) {
  const { id = "" } = definition;
  const own = isCopy(id) ? contextOfCopy(context, id) : context;
  return new WaitingActivity(SubProcessBehaviour, { ...definition, isSubProcess: true }, own);
}

/** The library makes the elements within a sub-process from a clone of the sub-process's context. */
function contextOfCopy(context: ContextInstance, copyId: string): ContextInstance {
  const clone: ContextInstance["clone"] = (...given) =>
    Object.assign(context.clone(...given), {
      definitionContext: withinCopy(context.definitionContext, copyId),
    });
  return Object.assign(Object.create(context), { clone });
}
