/** form-js schemas that come with a model, by their ids. */
import { type Fault, Problem } from "../../problem.ts";
import type { NewDeployment } from "../../processEngine.ts";
import type { ProcessModel } from "../model/readModel.ts";

type Forms = Readonly<Record<string, unknown>>;

/** Throws `invalid_form` with every fault: what is no form, what stands twice, and what the model names in vain. */
export function readForms(files: NewDeployment["forms"], model: ProcessModel): Forms {
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
  if (faults.length > 0) throw new Problem("invalid_form", { errors: faults });
  return { ...forms };
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
  return { ...form, id };
}

function missing({ startFormRef, userTasks }: ProcessModel, forms: Forms): Fault[] {
  const named = [startFormRef, ...[...userTasks.values()].map(({ formRef }) => formRef)];
  const absent = new Set(named.filter((ref) => ref !== undefined && !Object.hasOwn(forms, ref)));
  return [...absent].map((ref) => ({
    pointer: "/form",
    detail: `The model names the form "${ref}", and no file has this id.`,
  }));
}
