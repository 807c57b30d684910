/**
 * The parallel gateway as BPMN has it (2.0.2, 13.4.1): a join goes on once each of its flows has brought a token, and
 * takes one of each; others wait for its next time.
 *
 * bpmn-elements 17 counts sources, and counts one whose path was not taken as there: behind an exclusive merge, which
 * hears of both paths, a join went on before the other path had come, and was then left waiting for ever.
 */
import { Activity } from "bpmn-elements";
import { ParallelGatewayBehaviour } from "bpmn-elements/gateways";

interface Token {
  readonly content: { readonly id: string };
  ack(): void;
}

interface Broker {
  cancel(consumerTag: string): void;
  publish(exchange: "event", routingKey: string, content: object, properties: object): void;
}

class Gateway extends Activity {
  /** Tokens that wait for those of the other flows. */
  readonly arrived: Token[] = [];

  /** In place of the library's own, which is bound when an activity is made. */
  _onJoinInbound(routingKey: string, token: Token): void {
    const broker = this.broker as unknown as Broker;
    if (routingKey === "flow.discard") {
      token.ack();
      // As of a flow that is not followed any further: the process no longer waits for what comes of it.
      broker.publish("event", "flow.looped", token.content, { type: "looped" });
      return;
    }
    this.arrived.push(token);
    const firsts = [...Map.groupBy(this.arrived, ({ content }) => content.id).values()].map(
      ([first]) => first,
    );
    if (firsts.length < this.inbound.length) return;
    for (const first of firsts) first?.ack();
    // Those that wait for the next time go back into the queue.
    this.arrived.length = 0;
    broker.cancel("_run-on-inbound");
    this.run({ inbound: firsts.map((first) => ({ ...first?.content })) });
  }
}

export function ParallelGateway(definition: object, context: never): Activity {
  return new Gateway(
    ParallelGatewayBehaviour as never,
    { ...definition, isParallelGateway: true } as never,
    context,
  );
}
