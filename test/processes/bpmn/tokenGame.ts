/** A token game, which says what may be active in a model. It knows nothing of the engine. */
import { eventOf, type Graph, type Node, type Timer } from "./randomModels.ts";

/** A token that waits in a task. */
interface Token {
  readonly id: string;
  /** Whether its timer has not fired yet. */
  readonly hasTimer: boolean;
}

/** The tokens in a process or in one execution of a sub-process. */
interface Place {
  readonly graph: Graph;
  readonly parent: { readonly place: Place; readonly node: Node } | undefined;
  readonly waiting: Token[];
  /** The flows into joins, one for each token. */
  readonly joining: [from: string, to: string][];
  readonly inner: Place[];
  /** Whether the timer of the sub-process has not fired yet. */
  hasTimer: boolean;
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
    return [...placesIn(this.root)].flatMap(({ waiting }) => waiting.map(({ id }) => id)).toSorted();
  }

  get hasTimers(): boolean {
    return [...placesIn(this.root)].some(
      (place) => place.hasTimer || place.waiting.some(({ hasTimer }) => hasTimer),
    );
  }

  get hasEnded(): boolean {
    return isEmpty(this.root);
  }

  get key(): string {
    return JSON.stringify(this.root, (name, value) =>
      name === "graph" || name === "parent" ? undefined : value,
    );
  }

  /** The states after a token has left the task: one for each that may have been it. */
  complete(id: string): Game[] {
    return this.#after((game, place) =>
      place.waiting.flatMap((token, at) =>
        token.id === id
          ? () => {
              place.waiting.splice(at, 1);
              game.#leave(place, place.graph.nodes.get(id) as Node);
            }
          : [],
      ),
    );
  }

  /** The states after a timer has fired. */
  fire(): Game[] {
    return this.#after((game, place) => [
      ...place.waiting.flatMap(({ id, hasTimer }, at) =>
        hasTimer ? () => game.#fire(place, id, (left) => place.waiting.splice(at, 1, ...left)) : [],
      ),
      ...place.inner.flatMap((inner, at) => {
        const { id } = (inner.parent as { node: Node }).node;
        const end = () => {
          terminate(inner);
          place.inner.splice(at, 1);
        };
        const disarm = () => {
          inner.hasTimer = false;
        };
        return inner.hasTimer
          ? () => game.#fire(place, id, (left) => (left.length === 0 ? end() : disarm()))
          : [];
      }),
    ]);
  }

  #fire(place: Place, id: string, leave: (left: Token[]) => void): void {
    const { interrupts, target } = (place.graph.nodes.get(id) as Node).timer as Timer;
    leave(interrupts ? [] : [{ id, hasTimer: false }]);
    this.#arriving.push({ place, id: target, from: eventOf(id) });
  }

  /** Tries each change in each place, each in a game of its own. */
  #after(changesIn: (game: Game, place: Place) => (() => void)[]): Game[] {
    const games: Game[] = [];
    for (let [place, change] = [0, 0]; ; ) {
      const game = new Game(copyOf(this.root, undefined));
      const at = [...placesIn(game.root)][place];
      if (!at) return games;
      const apply = changesIn(game, at)[change];
      if (apply) {
        apply();
        game.#settle();
        games.push(game);
        change++;
      } else [place, change] = [place + 1, 0];
    }
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
    const hasTimer = node.timer !== undefined;
    if (node.kind === "user" || node.kind === "service") place.waiting.push({ id, hasTimer });
    else if (node.kind === "parallel") this.#join(place, node, from);
    else if (node.kind === "terminate") terminate(place);
    else if (node.inner) {
      const inner = { ...placeOf(node.inner, { place, node }), hasTimer };
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
  ...[...nodes.values()].filter(({ timer }) => timer?.target === id).map((node) => eventOf(node.id)),
];

const placeOf = (graph: Graph, parent: Place["parent"]): Place => ({
  graph,
  parent,
  waiting: [],
  joining: [],
  inner: [],
  hasTimer: false,
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
