/** The path of a value in a form's data: `["rows", 1, "scan"]`. An upload's `field_name` has it as `rows.1.scan`. */

export type Path = readonly (string | number)[];

export const fieldName = (path: Path) => path.join(".");
export const pathOf = (name: string): Path =>
  name.split(".").map((part) => (/^\d+$/.test(part) ? +part : part));

export const samePath = (one: Path, other: Path) => fieldName(one) === fieldName(other);

export function valueAt(data: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], data);
}

/** Puts a value at a path, and creates the objects and lists on the way. */
export function put(data: Record<string, unknown>, [first, ...rest]: Path, value: unknown): void {
  if (first === undefined) return;
  const [next] = rest;
  if (next === undefined) data[first] = value;
  else {
    data[first] ??= typeof next === "number" ? Array.from({ length: next }, () => ({})) : {};
    put(data[first] as Record<string, unknown>, rest, value);
  }
}

/** Whether an existing list on the path does not have the row. */
export const lacksRow = (data: unknown, path: Path) =>
  path.some((part, depth) => {
    const list = valueAt(data, path.slice(0, depth));
    return typeof part === "number" && Array.isArray(list) && part >= list.length;
  });

export interface Row {
  readonly list: Path;
  readonly index: number;
}

/** The path after the removal of a row. Undefined if it led into that row. */
export function withoutRow(path: Path, { list, index }: Row): Path | undefined {
  const own = path[list.length];
  if (!samePath(path.slice(0, list.length), list) || typeof own !== "number" || own < index) return path;
  return own === index ? undefined : [...list, own - 1, ...path.slice(list.length + 1)];
}
