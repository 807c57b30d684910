/**
 * The variables that a form-js form can set: one for each field, named by the first part of its path, and one for each
 * file. The SDK's form-js module names further files, and files in groups and lists, by their whole path.
 */

interface Component {
  readonly type?: unknown;
  readonly key?: unknown;
  readonly path?: unknown;
  readonly components?: unknown;
}

/** A function that tells whether the form can set a variable of this name. */
export function namesOf(form: object | null): (name: string) => boolean {
  const names = new Set<string>();
  const files = newNode();
  for (const { path, isFile } of form ? fieldsIn(form, []) : []) {
    if (path[0] !== undefined) names.add(path[0]);
    if (isFile) addPath(files, path);
  }
  return (name) => names.has(name) || isPath(files, name);
}

/** A tree of words, so that a name is not compared with every file field of a large form. */
interface Node {
  readonly next: Map<string, Node>;
  isEnd: boolean;
}

const newNode = (): Node => ({ next: new Map(), isEnd: false });

function addPath(root: Node, path: readonly string[]): void {
  let node = root;
  for (const word of path.flatMap((part) => (part === item ? [anyNumber] : part.split("_")))) {
    const next = node.next.get(word) ?? newNode();
    node.next.set(word, next);
    node = next;
  }
  node.isEnd = true;
}

/** Whether the name is a path in the tree, or a path and the number of a further file. */
function isPath(root: Node, name: string): boolean {
  const words = name.split("_");
  let before: Node[] = [];
  let nodes = [root];
  for (const word of words) {
    before = nodes;
    const keys = isNumber(word) ? [word, anyNumber] : [word];
    nodes = nodes.flatMap(({ next }) => keys.flatMap((key) => next.get(key) ?? []));
  }
  const isFurther = isNumber(words.at(-1) ?? "") && before.some(({ isEnd }) => isEnd);
  return isFurther || nodes.some(({ isEnd }) => isEnd);
}

const isNumber = (word: string) => /^\d+$/.test(word);
/** A key that no word can be, because names are split at underscores. */
const anyNumber = "_";

/** The place of an item's number in a list. */
const item = "#";

interface Field {
  readonly path: readonly string[];
  readonly isFile: boolean;
}

function* fieldsIn({ components }: Component, above: readonly string[]): Generator<Field> {
  if (!Array.isArray(components)) return;
  for (const component of components as Component[]) {
    const { type, key, path } = component;
    const own = [...above, ...partsOf(path)];
    if (typeof key === "string") yield { path: [...above, ...partsOf(key)], isFile: type === "filepicker" };
    else yield* fieldsIn(component, type === "dynamiclist" ? [...own, item] : own);
  }
}

const partsOf = (path: unknown) => (typeof path === "string" ? path.split(".").filter(Boolean) : []);
