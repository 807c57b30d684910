/**
 * The flow nodes of bpmn-elements with the rules of BPMN for where a process begins and ends. replacedElements.ts says
 * what has to be done when a new version of the library comes.
 */
import { Activity, type ContextInstance } from "bpmn-elements";
import {
  BoundaryEventBehaviour,
  EndEventBehaviour,
  IntermediateThrowEventBehaviour,
  StartEventBehaviour,
} from "bpmn-elements/events";
import { ExclusiveGatewayBehaviour, InclusiveGatewayBehaviour } from "bpmn-elements/gateways";
import { TaskBehaviour } from "bpmn-elements/tasks";
import type { SerializableElement } from "moddle-context-serializer";
import { isCopy } from "./copies.ts";

/** What the library's activity has and its types leave out. */
interface Library {
  readonly id: string;
  readonly type: string;
  /** Undefined while no token is here. */
  readonly status: string | undefined;
  readonly isStart: boolean;
  readonly inbound: readonly unknown[];
  readonly context: ContextInstance;
  readonly broker: NodeBroker;
  activate(scope?: unknown): void;
  resume(): void;
  run(content: object): void;
  getState(): object | undefined;
  _onInbound(key: string, message: unknown): void;
  _onInboundEvent(key: string, message: unknown): void;
  _doOutbound(from: unknown, isDiscarded: boolean, done: (error: null, flows: readonly []) => void): void;
}

interface NodeBroker {
  getQueue(name: "inbound-q"): TokenQueue;
  cancel(consumerTag: string): void;
  publish(exchange: "event", routingKey: string, content: object, properties: object): void;
  subscribeTmp(exchange: "event", pattern: string, handler: () => void, options: object): void;
}

interface TokenQueue {
  readonly messageCount: number;
  get(options: { readonly noAck: true }): { readonly content: { readonly message?: unknown } } | false;
}

const LibraryActivity = Activity as unknown as new (
  behaviour: unknown,
  definition: SerializableElement,
  context: ContextInstance,
) => Library;

export class FlowNode extends LibraryActivity {
  /**
   * The library starts everything that no flow leads to, and nothing that a flow leads to. BPMN starts start events.
   * What a state of an earlier version has started without a flow goes on, and ends with the process as it did.
   */
  override get isStart(): boolean {
    if (this.type === "bpmn:StartEvent") return true;
    return super.isStart && this.status !== undefined && !isCopy(this.id);
  }

  /** The state has only those copies that work on a token. */
  override getState(): object | undefined {
    return isCopy(this.id) && this.status === undefined ? undefined : super.getState();
  }
}

/** A token that reaches an end event goes no further, also if a flow leaves the event. */
class End extends FlowNode {
  override _doOutbound(...[, , done]: Parameters<Library["_doOutbound"]>): void {
    done(null, []);
  }
}

type Factory = (definition: SerializableElement, context: ContextInstance) => FlowNode;

const nodeOf =
  (behaviour: unknown, more: object = {}): Factory =>
  (definition, context) =>
    new FlowNode(behaviour, { ...definition, ...more }, context);

/** The library calls these with `new`, which an arrow function does not allow. */
function constructible(make: Factory): Factory {
  return function node(definition, context) {
    return make(definition, context);
  };
}

export const Task = constructible(nodeOf(TaskBehaviour));
/** Nobody tells the engine that a manual task is done, so it does not wait. The library waits for a signal. */
export const ManualTask = Task;
export const StartEvent = constructible(nodeOf(StartEventBehaviour));
export const BoundaryEvent = constructible(nodeOf(BoundaryEventBehaviour));
export const IntermediateThrowEvent = constructible(
  nodeOf(IntermediateThrowEventBehaviour, { isThrowing: true }),
);
export const ExclusiveGateway = constructible(nodeOf(ExclusiveGatewayBehaviour));
export const InclusiveGateway = constructible(nodeOf(InclusiveGatewayBehaviour));
export const EndEvent = constructible(
  (definition, context) => new End(EndEventBehaviour, { ...definition, isThrowing: true }, context),
);
