/** What a form's schema says of its fields. */

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

/** The variables that the fields make: the first part of each one's path. */
export function variableNames({ key, path, components = [] }: Component): string[] {
  const [own] = (key || path || "").split(".");
  return own ? [own] : components.flatMap(variableNames);
}
