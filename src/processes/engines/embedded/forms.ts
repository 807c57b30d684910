/** The form-js schemas of a deployment, by their ids. */
import type { Fault } from "../../../infrastructure/problem.ts";
import type { ModelFacts } from "../../bpmn/readModel.ts";
import type { NewDeployment } from "../../engine.ts";

type Forms = Readonly<Record<string, unknown>>;

/** Reads the forms. Returns all faults instead if a file is not a form, an id is not unique, or a form is missing. */
export function readForms(
  files: NewDeployment["forms"],
  model: ModelFacts,
): { readonly schemas: Forms } | { readonly faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const forms: Record<string, unknown> = Object.create(null);
  for (const [index, file] of files.entries()) {
    const read = readForm(file.text);
    const fault = (detail: string) =>
      faults.push({ pointer: `/form/${index}`, detail: `${file.fileName}: ${detail}` });
    if (typeof read === "string") fault(read);
    else if (Object.hasOwn(forms, read.id))
      fault(`Another file of this deployment has the form id "${read.id}" too.`);
    else forms[read.id] = read;
  }
  if (faults.length === 0) faults.push(...missing(model, forms));
  return faults.length > 0 ? { faults } : { schemas: { ...forms } };
}

/** The form, or the reason why the text is not one. */
function readForm(text: string): { readonly id: string } | string {
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

function missing({ startFormRef, userTasks }: ModelFacts, forms: Forms): Fault[] {
  const named = [startFormRef, ...[...userTasks.values()].map(({ formRef }) => formRef)];
  const absent = new Set(named.filter((ref) => ref !== undefined && !Object.hasOwn(forms, ref)));
  return [...absent].map((ref) => ({
    pointer: "/form",
    detail: `The model uses the form "${ref}", but no file has this form id.`,
  }));
}
