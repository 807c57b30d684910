/** Forms that a model defines itself, in the `camunda:formData` of a start event or a user task. */
import type { FormSchema } from "../engine.ts";
import { type Element, everyElement, extensionsOf, formRefOf, isType, listOf } from "./elements.ts";
import { type GeneratedField, type GeneratedForm, generatedForm } from "./generatedForm.ts";

/** The id of the form that an element uses: one that was uploaded, or else the one of its `formData`. */
export const formIdOf = (element: Element): string | undefined =>
  formRefOf(element) ?? (formDataOf(element) && generatedIdOf(element));

/** No form of the model can have this id, because no id of BPMN has a colon. */
const generatedIdOf = ({ id = "" }: Element) => `formData:${id}`;

const formDataOf = (element: Element) =>
  isType(element, "StartEvent", "UserTask")
    ? extensionsOf(element).find(({ $type }) => $type === "camunda:FormData")
    : undefined;

/** Undefined if the element has no `formData`, or uses an uploaded form instead. */
function generatedFormOf(element: Element): GeneratedForm | undefined {
  const data = formDataOf(element);
  if (!data || formRefOf(element) !== undefined) return undefined;
  return generatedForm(generatedIdOf(element), listOf(data, "fields").map(fieldOf));
}

/** The forms of a process, by the ids of their start event or user task. */
export const generatedFormsOf = (process: Element): ReadonlyMap<string, FormSchema> =>
  new Map(
    [...everyElement(process)].flatMap(({ element }) => {
      const form = generatedFormOf(element);
      return form ? [[element.id ?? "", form.schema] as const] : [];
    }),
  );

/** The same forms, by their own ids. */
export const formsById = (forms: ReadonlyMap<string, FormSchema>): Readonly<Record<string, FormSchema>> =>
  Object.fromEntries([...forms.values()].map((schema) => [String(schema.id), schema]));

/** Warns of everything that the form cannot say. */
export function validateFormData(
  element: Element,
  warning: (element: Element, detail: string) => void,
): void {
  if (!isType(element, "StartEvent", "UserTask")) {
    warning(element, "camunda:formData is ignored. Only start events and user tasks have forms.");
    return;
  }
  if (formRefOf(element) !== undefined)
    warning(element, "camunda:formData is ignored, because the element names a form.");
  if (formDataOf(element)?.businessKey !== undefined)
    warning(element, "The businessKey of camunda:formData is ignored. A start takes a business_key.");
  for (const detail of generatedFormOf(element)?.warnings ?? []) warning(element, detail);
}

const textOf = (value: unknown) => (typeof value === "string" ? value : undefined);

function fieldOf(field: Element): GeneratedField {
  const validation = field.validation as Element | undefined;
  return {
    id: field.id ?? "",
    label: textOf(field.label),
    type: textOf(field.type) ?? "",
    defaultValue: textOf(field.defaultValue),
    datePattern: textOf(field.datePattern),
    constraints: (validation ? listOf(validation, "constraints") : []).map((constraint) => ({
      name: constraint.name ?? "",
      config: textOf(constraint.config),
    })),
    values: listOf(field, "values").map(({ id = "", name }) => ({ id, name })),
  };
}
