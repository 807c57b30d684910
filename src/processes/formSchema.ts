/** Reads a form-js schema, within limits. */

/** The form, or the reason why the text is not one. */
export function readForm(text: string): { readonly id: string } | string {
  let form: { id?: unknown; components?: unknown } | null;
  try {
    form = JSON.parse(text);
  } catch {
    return "The file is not JSON.";
  }
  if (typeof form !== "object" || form === null || !Array.isArray(form.components))
    return "The file is not a form-js schema: it has no components.";
  const { id } = form;
  if (typeof id !== "string" || id === "" || id.length > 255) return "The form has no id.";
  return tooLarge(form) ?? { ...form, id };
}

/** Levels of nested lists and objects. */
const maxDepth = 64;
const maxComponents = 2_000;

/** Limits the form, because every visitor's variables are compared with it. Has no recursion, so depth is harmless. */
function tooLarge(form: object): string | undefined {
  let components = 0;
  let level: object[] = [form];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxDepth) return `The form is nested deeper than ${maxDepth} levels.`;
    const next: object[] = [];
    const add = (child: unknown) => {
      if (typeof child === "object" && child !== null) next.push(child);
    };
    for (const value of level) {
      if (Array.isArray(value)) for (const item of value) add(item);
      else for (const key in value) add((value as Record<string, unknown>)[key]);
      if ("components" in value && Array.isArray(value.components)) components += value.components.length;
    }
    level = next;
  }
  return components > maxComponents ? `The form has more than ${maxComponents} components.` : undefined;
}
