/** What is needed of a form's schema. */

export interface Component {
  readonly type?: string;
  readonly key?: string;
  readonly path?: string;
  readonly multiple?: unknown;
  readonly components?: readonly Component[];
}

export function filePickers({ type, components = [], ...field }: Component): Component[] {
  return [...(type === "filepicker" ? [field] : []), ...components.flatMap(filePickers)];
}

/** The variables that the fields produce: the first part of each path. */
export function variableNames({ key, path, components = [] }: Component): string[] {
  const [own] = (key || path || "").split(".");
  return own ? [own] : components.flatMap(variableNames);
}
