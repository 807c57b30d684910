/** Random small models, and a token game that says what may be active in them. It knows nothing of the engine. */
import fc from "fast-check";
import { apiCall, conditionalFlow, end, flow, start, userTask } from "../../support/bpmn.ts";

type Kind = "user" | "service" | "task" | "manual" | "exclusive" | "parallel" | "end" | "terminate" | "sub";

interface Node {
  readonly id: string;
  readonly kind: Kind;
  readonly targets: readonly string[];
  /** Of an exclusive gateway: whether the second flow is taken, and not the first. */
  readonly takesSecond: boolean;
  readonly inner?: Graph;
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
  readonly inner: readonly Drawn[] | undefined;
}

const simple: readonly Kind[] = ["user", "service", "task", "manual", "exclusive", "parallel", "parallel"];
const ends: readonly Kind[] = ["end", "terminate"];

/** Most flows lead forward, some back, and some elements have none that leads to them. */
const drawn = (depth: number): fc.Arbitrary<readonly Drawn[]> =>
  fc.array(
    fc
      .record({
        kind: fc.constantFrom(...simple, ...simple, ...ends, ...(depth > 0 ? (["sub", "sub"] as const) : [])),
        offsets: fc.uniqueArray(fc.constantFrom(1, 1, 1, 2, 2, 3, 3, -2), { minLength: 1, maxLength: 2 }),
        takesSecond: fc.boolean(),
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
  const nodes = all.map(({ kind, offsets, takesSecond, inner }, at): Node => {
    const id = idAt(at);
    const targets = ends.includes(kind) ? [] : [...new Set(offsets.map((offset) => idAt(at + offset)))];
    return { id, kind, targets, takesSecond, ...(inner ? { inner: graphOf(inner, `${id}_`) } : {}) };
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
    .concat([...graph.nodes.values()].map(elementOf))
    .join("\n");

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

/** The tokens in a process or in one execution of a sub-process. */
interface Place {
  readonly graph: Graph;
  readonly parent: { readonly place: Place; readonly node: Node } | undefined;
  /** The ids of the tasks that wait, one for each token. */
  readonly waiting: string[];
  /** The flows into joins, one for each token. */
  readonly joining: [from: string, to: string][];
  readonly inner: Place[];
  /** A terminate end event ends all tokens here, also those that are on their way. */
  isTerminated: boolean;
}

/** The model has too many tokens. */
export class TooLarge extends Error {}

interface Arrival {
  readonly place: Place;
  readonly id: string;
  /** The element that the token comes from. The start event is "". */
  readonly from: string;
}

/** A state of the game. Each step is played on a copy. */
export class Game {
  readonly #arriving: Arrival[] = [];

  private constructor(readonly root: Place) {}

  static start(graph: Graph): Game {
    const game = new Game(placeOf(graph, undefined));
    game.#arriving.push({ place: game.root, id: graph.first, from: "" });
    game.#settle();
    return game;
  }

  /** The ids of the tasks that wait, sorted. */
  get active(): string[] {
    return [...placesIn(this.root)].flatMap(({ waiting }) => waiting).toSorted();
  }

  get hasEnded(): boolean {
    return isEmpty(this.root);
  }

  get key(): string {
    return JSON.stringify(this.root, (name, value) =>
      name === "graph" || name === "parent" ? undefined : value,
    );
  }

  /** The states after a token has left the task: one for each execution of a sub-process that has such a token. */
  complete(id: string): Game[] {
    return [...placesIn(this.root)].flatMap(({ waiting }, at) => {
      if (!waiting.includes(id)) return [];
      const game = new Game(copyOf(this.root, undefined));
      const place = [...placesIn(game.root)][at] as Place;
      place.waiting.splice(place.waiting.indexOf(id), 1);
      game.#leave(place, place.graph.nodes.get(id) as Node);
      game.#settle();
      return [game];
    });
  }

  /** Moves every token until it waits, and ends sub-processes in which nothing is left. */
  #settle(): void {
    for (let left = 500; ; left--) {
      if (left === 0) throw new TooLarge();
      const arrival = this.#arriving.shift();
      if (arrival) this.#arrive(arrival);
      else if (!this.#closeOne()) return;
    }
  }

  #arrive({ place, id, from }: Arrival): void {
    if (place.isTerminated) return;
    const node = place.graph.nodes.get(id) as Node;
    if (node.kind === "user" || node.kind === "service") place.waiting.push(id);
    else if (node.kind === "parallel") this.#join(place, node, from);
    else if (node.kind === "terminate") terminate(place);
    else if (node.inner) {
      const inner = placeOf(node.inner, { place, node });
      place.inner.push(inner);
      this.#arriving.push({ place: inner, id: node.inner.first, from: "" });
    } else this.#leave(place, node);
  }

  #join(place: Place, node: Node, from: string): void {
    place.joining.push([from, node.id]);
    const flows = sourcesOf(place.graph, node.id);
    const indexOf = (source: string) => place.joining.findIndex(([a, b]) => a === source && b === node.id);
    if (flows.some((source) => indexOf(source) === -1)) return;
    for (const source of flows) place.joining.splice(indexOf(source), 1);
    this.#leave(place, node);
  }

  #leave(place: Place, { id, kind, targets, takesSecond }: Node): void {
    const one = targets[takesSecond ? 1 : 0] ?? targets[0];
    const taken = kind === "exclusive" && one ? [one] : targets;
    this.#arriving.push(...taken.map((target) => ({ place, id: target, from: id })));
  }

  #closeOne(): boolean {
    const place = [...placesIn(this.root)].find((inner) => inner.parent && isEmpty(inner));
    if (!place?.parent) return false;
    const { place: around, node } = place.parent;
    around.inner.splice(around.inner.indexOf(place), 1);
    this.#leave(around, node);
    return true;
  }
}

function terminate(place: Place): void {
  place.isTerminated = true;
  for (const inner of place.inner) terminate(inner);
  for (const list of [place.waiting, place.joining, place.inner]) list.length = 0;
}

/** The elements that lead to this one. */
const sourcesOf = ({ nodes, first }: Graph, id: string) => [
  ...(first === id ? [""] : []),
  ...[...nodes.values()].filter(({ targets }) => targets.includes(id)).map((node) => node.id),
];

const placeOf = (graph: Graph, parent: Place["parent"]): Place => ({
  graph,
  parent,
  waiting: [],
  joining: [],
  inner: [],
  isTerminated: false,
});

const isEmpty = ({ waiting, joining, inner }: Place) => waiting.length + joining.length + inner.length === 0;

function* placesIn(place: Place): Generator<Place> {
  yield place;
  for (const inner of place.inner) yield* placesIn(inner);
}

function copyOf(place: Place, parent: Place["parent"]): Place {
  const copy: Place = {
    ...place,
    parent,
    waiting: [...place.waiting],
    joining: [...place.joining],
    inner: [],
  };
  for (const inner of place.inner)
    copy.inner.push(copyOf(inner, inner.parent && { place: copy, node: inner.parent.node }));
  return copy;
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
  for (const id of reached) for (const target of graph.nodes.get(id)?.targets ?? []) reached.add(target);
  const inner = [...reached].flatMap((id) => {
    const within = graph.nodes.get(id)?.inner;
    return within ? [...reachedIn(within)] : [];
  });
  return new Set([...reached, ...inner]);
}
