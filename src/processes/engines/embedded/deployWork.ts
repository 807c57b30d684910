/** Work of a deployment in another thread: reads and validates the model and its forms. */
import { type Fault, maxFaults } from "../../../infrastructure/problem.ts";
import { chosenByVisitors } from "../../bpmn/chosenByVisitors.ts";
import { formsById } from "../../bpmn/formData.ts";
import { type ModelFault, readModel } from "../../bpmn/readModel.ts";
import type { ModelReport, ModelToValidate, NewDeployment } from "../../engine.ts";
import { readForms } from "./forms.ts";

export interface ValidModel {
  readonly kind: "model";
  readonly processKey: string;
  readonly name: string;
  readonly warnings: readonly string[];
  /** JSON text of form-js schemas by their ids. */
  readonly forms: string;
}

export interface InvalidModel {
  readonly kind: "invalid_bpmn" | "invalid_form";
  readonly errors: readonly Fault[];
}

export async function validateDeployment({
  bpmn,
  forms: files,
}: Pick<NewDeployment, "bpmn" | "forms">): Promise<ValidModel | InvalidModel> {
  const read = await readModel(bpmn);
  if ("faults" in read) return { kind: "invalid_bpmn", errors: read.faults.slice(0, maxFaults).map(faultOf) };
  const forms = readForms(files, read.model);
  if ("faults" in forms) return { kind: "invalid_form", errors: forms.faults };
  const { processKey, name } = read.model;
  const warnings = [...read.model.warnings, ...chosenByVisitors(read.model, forms.schemas)];
  return { kind: "model", processKey, name, warnings, forms: JSON.stringify(forms.schemas) };
}

/** Faults and warnings of the model, and of its forms if they are given. */
export async function reportOn({
  bpmn,
  forms,
}: Pick<ModelToValidate, "bpmn" | "forms">): Promise<ModelReport> {
  const read = await readModel(bpmn);
  if ("faults" in read) return { faults: read.faults.slice(0, maxFaults).map(faultOf), warnings: [] };
  const { warnings, generatedForms } = read.model;
  const checked = forms ? readForms(forms, read.model) : { schemas: formsById(generatedForms) };
  if ("faults" in checked) return { faults: checked.faults.slice(0, maxFaults), warnings };
  return { faults: [], warnings: [...warnings, ...chosenByVisitors(read.model, checked.schemas)] };
}

/** `Line 12, "send_to_core": …` */
function faultOf({ line, element, detail }: ModelFault): Fault {
  const place = [
    line === undefined ? [] : `Line ${line}`,
    element === undefined ? [] : `"${element}"`,
  ].flat();
  return { pointer: "/bpmn", detail: place.length === 0 ? detail : `${place.join(", ")}: ${detail}` };
}
