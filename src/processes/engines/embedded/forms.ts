/** form-js schemas that come with a model, by their ids. */
import type { Fault } from "../../../infrastructure/problem.ts";
import type { ModelFacts } from "../../bpmn/readModel.ts";
import type { NewDeployment } from "../../engine.ts";

type Forms = Readonly<Record<string, unknown>>;

/** Or every fault: what is no form, what is there twice, and what the model names in vain. */
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
    else if (Object.hasOwn(forms, read.id)) fault(`The form "${read.id}" is there twice.`);
    else forms[read.id] = read;
  }
  if (faults.length === 0) faults.push(...missing(model, forms));
  return faults.length > 0 ? { faults } : { schemas: { ...forms } };
}

/** The form, or why it is none. */
function readForm(text: string): { readonly id: string } | string {
  let form: { id?: unknown; components?: unknown } | null;
  try {
    form = JSON.parse(text);
  } catch {
    return "It is not JSON.";
  }
  if (typeof form !== "object" || form === null || !Array.isArray(form.components))
    return "It is not a form-js schema: it has no components.";
  const { id } = form;
  if (typeof id !== "string" || id === "" || id.length > 255) return "It is a form without an id.";
  return tooLarge(form) ?? { ...form, id };
}

/** Of lists and objects within each other. */
const maxDepth = 64;
const maxComponents = 2_000;

/** Every visitor's variables are held against the form. Level by level: a deep form has no end for a stack. */
function tooLarge(form: object): string | undefined {
  let components = 0;
  let level: object[] = [form];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxDepth) return `It nests deeper than ${maxDepth} levels.`;
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
  return components > maxComponents ? `It has more than ${maxComponents} components.` : undefined;
}

function missing({ startFormRef, userTasks }: ModelFacts, forms: Forms): Fault[] {
  const named = [startFormRef, ...[...userTasks.values()].map(({ formRef }) => formRef)];
  const absent = new Set(named.filter((ref) => ref !== undefined && !Object.hasOwn(forms, ref)));
  return [...absent].map((ref) => ({
    pointer: "/form",
    detail: `The model names the form "${ref}", and no file has this id.`,
  }));
}
