/** Random small models of tasks, gateways, timers and sub-processes, with elements that nothing leads to. */
import fc from "fast-check";
import { apiCall, boundaryTimer, conditionalFlow, end, flow, start, userTask } from "../../support/bpmn.ts";

type Kind = "user" | "service" | "task" | "manual" | "exclusive" | "parallel" | "end" | "terminate" | "sub";

export interface Node {
  readonly id: string;
  readonly kind: Kind;
  readonly targets: readonly string[];
  /** Of an exclusive gateway: whether the second flow is taken, and not the first. */
  readonly takesSecond: boolean;
  readonly inner?: Graph;
  /** A boundary event of a task or of a sub-process. */
  readonly timer?: Timer;
}

export interface Timer {
  readonly interrupts: boolean;
  readonly target: string;
}

export interface Graph {
  /** The elements by their ids, without the start event, which leads to the first. */
  readonly nodes: ReadonlyMap<string, Node>;
  readonly first: string;
  /** The prefix of its ids. */
  readonly prefix: string;
}

interface Drawn {
  readonly kind: Kind;
  readonly offsets: readonly number[];
  readonly takesSecond: boolean;
  readonly timer: { readonly interrupts: boolean; readonly offset: number } | undefined;
  readonly inner: readonly Drawn[] | undefined;
}

const simple: readonly Kind[] = ["user", "service", "task", "manual", "exclusive", "parallel", "parallel"];
const ends: readonly Kind[] = ["end", "terminate"];
const timed: readonly Kind[] = ["user", "service", "sub"];
const offset = fc.constantFrom(1, 1, 1, 2, 2, 3, 3, -2);

/** Most flows lead forward, some back, and some elements have none that leads to them. */
const drawn = (depth: number): fc.Arbitrary<readonly Drawn[]> =>
  fc.array(
    fc
      .record({
        kind: fc.constantFrom(...simple, ...simple, ...ends, ...(depth > 0 ? (["sub", "sub"] as const) : [])),
        offsets: fc.uniqueArray(offset, { minLength: 1, maxLength: 2 }),
        takesSecond: fc.boolean(),
        timer: fc.option(fc.record({ interrupts: fc.boolean(), offset }), { nil: undefined }),
      })
      .chain((node) =>
        node.kind === "sub"
          ? drawn(depth - 1).map((inner): Drawn => ({ ...node, inner }))
          : fc.constant<Drawn>({ ...node, inner: undefined }),
      ),
    { minLength: 1, maxLength: depth > 0 ? 7 : 4 },
  );

function graphOf(all: readonly Drawn[], prefix = "n"): Graph {
  const idAt = (at: number) => (at >= all.length ? `${prefix}_end` : `${prefix}${Math.max(0, at)}`);
  const nodes = all.map(({ kind, offsets, takesSecond, timer, inner }, at): Node => {
    const id = idAt(at);
    const targets = ends.includes(kind) ? [] : [...new Set(offsets.map((offset) => idAt(at + offset)))];
    const event = timed.includes(kind) && timer && { ...timer, target: idAt(at + timer.offset) };
    const within = inner && { inner: graphOf(inner, `${id}_`) };
    return { id, kind, targets, takesSecond, ...within, ...(event ? { timer: event } : {}) };
  });
  nodes.push({ id: `${prefix}_end`, kind: "end", targets: [], takesSecond: false });
  return { nodes: new Map(nodes.map((node) => [node.id, node])), first: idAt(0), prefix };
}

export const graphs = drawn(2)
  .map((all) => graphOf(all))
  .filter((graph) => !loopsWithoutTask(graph));

/** The elements of the graph as XML. The variables `yes` and `no` are true and false. */
export const xmlOf = (graph: Graph): string =>
  [start(`${graph.prefix}_start`), flow(`${graph.prefix}_start`, graph.first)]
    .concat([...graph.nodes.values()].flatMap((node) => [elementOf(node), timerOf(node)]))
    .join("\n");

/** The id of the boundary event, from which its flow comes. */
export const eventOf = (id: string) => `${id}_t`;

function timerOf({ id, timer }: Node): string {
  if (!timer) return "";
  const { interrupts, target } = timer;
  return boundaryTimer(eventOf(id), id, { after: "PT1H", interrupts }) + flow(eventOf(id), target);
}

function elementOf(node: Node): string {
  const { id, kind, targets, takesSecond, inner } = node;
  const [first = "", second] = targets;
  const flows = targets.map((target) => flow(id, target)).join("\n");
  if (kind === "user") return userTask(id) + flows;
  if (kind === "service") return apiCall(id, { method: "GET", url: "http://127.0.0.1/" }) + flows;
  if (kind === "task" || kind === "manual")
    return `<${kind === "task" ? kind : "manualTask"} id="${id}"/>${flows}`;
  if (kind === "parallel") return `<parallelGateway id="${id}"/>${flows}`;
  if (kind === "end") return end(id);
  if (kind === "terminate") return `<endEvent id="${id}"><terminateEventDefinition id="${id}_d"/></endEvent>`;
  if (kind === "sub") return `<subProcess id="${id}">${inner ? xmlOf(inner) : ""}</subProcess>${flows}`;
  if (second === undefined) return `<exclusiveGateway id="${id}"/>${flows}`;
  const condition = takesSecond ? "${yes}" : "${no}";
  return [
    `<exclusiveGateway id="${id}" default="${id}_${first}"/>`,
    flow(id, first),
    conditionalFlow(id, second, condition),
  ].join("");
}

/** Whether a token can come back to where it was without waiting for a task. */
export function loopsWithoutTask({ nodes }: Graph): boolean {
  const passes = (id: string) => !["user", "service"].includes(nodes.get(id)?.kind ?? "");
  const isInLoop = (id: string) => {
    const after = new Set((nodes.get(id)?.targets ?? []).filter(passes));
    for (const next of after)
      for (const target of nodes.get(next)?.targets ?? []) if (passes(target)) after.add(target);
    return after.has(id);
  };
  const all = [...nodes.values()];
  return (
    all.some(({ id }) => passes(id) && isInLoop(id)) ||
    all.some(({ inner }) => inner && loopsWithoutTask(inner))
  );
}

/** The ids of the elements that a path from the start reaches, also in sub-processes. */
export function reachedIn(graph: Graph): Set<string> {
  const reached = new Set([graph.first]);
  for (const id of reached) {
    const { targets = [], timer } = graph.nodes.get(id) ?? {};
    for (const target of [...targets, ...(timer ? [timer.target] : [])]) reached.add(target);
  }
  const inner = [...reached].flatMap((id) => {
    const within = graph.nodes.get(id)?.inner;
    return within ? [...reachedIn(within)] : [];
  });
  return new Set([...reached, ...inner]);
}
