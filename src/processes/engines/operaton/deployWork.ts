/** Work of a deployment in another thread: reads the model and its forms. */
import { type Fault, maxFaults } from "../../../infrastructure/problem.ts";
import type { ExecutableProcess } from "../../bpmn/modelOutline.ts";
import { modelWarnings } from "../../bpmn/modelWarnings.ts";
import type { ModelReport, ModelToValidate, NewDeployment } from "../../engine.ts";
import { readForm } from "../../formSchema.ts";
import { type EngineModel, readModel, withHistoryTime } from "./readModel.ts";

export interface ReadyModel {
  readonly kind: "model";
  readonly process: ExecutableProcess;
  readonly warnings: readonly string[];
  /** The files of the forms, with the names that the engine needs. */
  readonly forms: readonly { readonly name: string; readonly text: string }[];
  /** The model with a time for its history. Undefined if it has one. */
  readonly bpmnWithHistory: string | undefined;
}

export interface FaultyModel {
  readonly kind: "invalid_bpmn" | "invalid_form";
  readonly errors: readonly Fault[];
}

/** What Waybill says about a model. The engine judges the rest when it is deployed. */
export async function reportOn(given: Pick<ModelToValidate, "bpmn" | "forms">): Promise<ModelReport> {
  const read = await readDeployment(given);
  if (read.kind !== "model") return { faults: read.errors, warnings: [] };
  return { faults: [], warnings: read.warnings };
}

/** Without `forms`, nothing is said about the forms that the model names. */
export async function readDeployment({
  bpmn,
  forms,
}: Pick<ModelToValidate, "bpmn" | "forms">): Promise<ReadyModel | FaultyModel> {
  const model = readModel(bpmn);
  const [process] = model.processes;
  const missing = process ? [] : ['The model has no process with isExecutable="true".'];
  const details = model.faults.length > 0 ? model.faults : missing;
  if (!process || details.length > 0) {
    const errors = details.slice(0, maxFaults).map((detail) => ({ pointer: "/bpmn", detail }));
    return { kind: "invalid_bpmn", errors };
  }
  const read = readForms(forms ?? []);
  if ("errors" in read) return { kind: "invalid_form", errors: read.errors };
  const withHistory = withHistoryTime(bpmn, model.processes);
  return {
    kind: "model",
    process,
    warnings: [
      ...warningsOf(model, forms ? read.schemas : undefined),
      ...(await modelWarnings(bpmn, read.schemas)),
    ],
    forms: read.files,
    bpmnWithHistory: withHistory === bpmn ? undefined : withHistory,
  };
}

interface ReadForms {
  /** By their ids. */
  readonly schemas: Readonly<Record<string, object>>;
  readonly files: ReadyModel["forms"];
}

function readForms(forms: NewDeployment["forms"]): ReadForms | { readonly errors: readonly Fault[] } {
  const schemas: Record<string, object> = Object.create(null);
  const names = new Set<string>();
  const errors: Fault[] = [];
  const files = forms.map(({ fileName, text }, index) => {
    const form = readForm(text);
    const id = typeof form === "string" ? "" : form.id;
    const why =
      typeof form === "string"
        ? form
        : Object.hasOwn(schemas, id) && `Another file of this deployment has the form id "${id}" too.`;
    if (why) errors.push({ pointer: `/form/${index}`, detail: `${fileName}: ${why}` });
    if (typeof form !== "string") schemas[id] = form;
    // The engine takes a file for a form by the end of its name, and a name once.
    const name = fileName.endsWith(".form") && !names.has(fileName) ? fileName : `${id}.form`;
    names.add(name);
    return { name, text };
  });
  return errors.length > 0 ? { errors } : { schemas, files };
}

/** Without `schemas`, nothing is said about the forms. */
function warningsOf(
  { processes: [, ...others], formRefs }: EngineModel,
  schemas: ReadForms["schemas"] | undefined,
): string[] {
  const absent = schemas ? [...formRefs].filter((ref) => !Object.hasOwn(schemas, ref)) : [];
  return [
    ...absent.map((ref) => `The form "${ref}" is not among the files of this deployment.`),
    ...others.map(({ key }) => `The process "${key}" of the same model was deployed, too.`),
  ];
}
