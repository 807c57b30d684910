/** The form-js schemas of a deployment, by their ids. */
import type { Fault } from "../../../infrastructure/problem.ts";
import { formsById } from "../../bpmn/formData.ts";
import type { ModelFacts, ProcessModel } from "../../bpmn/readModel.ts";
import type { NewDeployment } from "../../engine.ts";
import { readForm } from "../../formSchema.ts";

/** form-js schemas by their ids. */
export type Forms = Readonly<Record<string, unknown>>;

/** Reads the forms. Returns all faults instead if a file is not a form, an id is not unique, or a form is missing. */
export function readForms(
  files: NewDeployment["forms"],
  model: ProcessModel,
): { readonly schemas: Forms } | { readonly faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const forms: Record<string, unknown> = Object.assign(Object.create(null), formsById(model.generatedForms));
  for (const [index, file] of files.entries()) {
    const read = readForm(file.text);
    const fault = (detail: string) =>
      faults.push({ pointer: `/form/${index}`, detail: `${file.fileName}: ${detail}` });
    if (typeof read === "string") fault(read);
    else if (Object.hasOwn(forms, read.id))
      fault(`Another form of this deployment has the form id "${read.id}" too.`);
    else forms[read.id] = read;
  }
  if (faults.length === 0) faults.push(...missing(model, forms));
  return faults.length > 0 ? { faults } : { schemas: { ...forms } };
}

function missing({ startFormRef, userTasks }: ModelFacts, forms: Forms): Fault[] {
  const named = [startFormRef, ...[...userTasks.values()].map(({ formRef }) => formRef)];
  const absent = new Set(named.filter((ref) => ref !== undefined && !Object.hasOwn(forms, ref)));
  return [...absent].map((ref) => ({
    pointer: "/form",
    detail: `The model uses the form "${ref}", but no file has this form id.`,
  }));
}
