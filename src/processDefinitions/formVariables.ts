/**
 * The variables that a form-js form gives to a process: one for each field, by the first part of its path, and one for
 * each file (the SDK's form-js module puts every further one, and those in groups and lists, beside under their path).
 */

interface Component {
  readonly type?: unknown;
  readonly key?: unknown;
  readonly path?: unknown;
  readonly components?: unknown;
}

/** Whether the form gives a variable of this name. */
export function namesOf(form: object | null): (name: string) => boolean {
  const names = new Set<string>();
  const patterns: RegExp[] = [];
  for (const { path, isFile } of form ? fieldsIn(form, []) : []) {
    if (path[0] !== undefined) names.add(path[0]);
    const parts = path.map((part) => (part === item ? "\\d+" : RegExp.escape(part)));
    if (isFile) patterns.push(new RegExp(`^${parts.join("_")}(_\\d+)?$`, "u"));
  }
  return (name) => names.has(name) || patterns.some((pattern) => pattern.test(name));
}

/** Stands for an item's number in a list. */
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
