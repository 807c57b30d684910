/**
 * The forms of models. The engine resolves `formRefBinding="latest"` without the tenant, and fails where two tenants
 * have a form of the same id. So a form is first looked for in the deployment of its model, and then at the engine.
 */
import { LRUCache } from "lru-cache";
import Type from "typebox";
import { largestDeployment } from "../../definitions.ts";
import type { FormSchema } from "../../engine.ts";
import { readForm } from "../../formSchema.ts";
import { nullable, shapeOf, text, textOrNull } from "./answerShape.ts";
import { generatedFormsOf } from "./generatedForms.ts";
import { inParallel } from "./inParallel.ts";
import type { EngineDefinition } from "./models.ts";
import type { OperatonContext } from "./operatonContext.ts";
import { at } from "./rest.ts";
import { EngineError, isTooLarge } from "./restErrors.ts";

/** How the engine names a form: Operaton and Camunda 7 have different names for the same member. */
export const formNames = {
  key: Type.Optional(textOrNull),
  formKey: Type.Optional(textOrNull),
  operatonFormRef: Type.Optional(nullable(Type.Object({ key: text }))),
  camundaFormRef: Type.Optional(nullable(Type.Object({ key: text }))),
};
const FormNames = Type.Object(formNames);
type FormNames = Readonly<Type.Static<typeof FormNames>>;
const namesShape = shapeOf(FormNames);
const resourcesShape = shapeOf(Type.Array(Type.Object({ id: text, name: text })));

/** The id of a form-js form. */
export const formRefOf = ({ operatonFormRef, camundaFormRef }: FormNames): string | null =>
  (operatonFormRef ?? camundaFormRef)?.key ?? null;

/** What the model says about a form: the id of a form-js form, or a form key. */
export const formNameOf = (names: FormNames): string | null =>
  formRefOf(names) ?? names.key ?? names.formKey ?? null;

type Forms = ReadonlyMap<string, FormSchema>;

interface Kept {
  readonly forms: Forms;
  /** Characters of their texts. */
  readonly size: number;
}

const deployed = {
  create: () =>
    new LRUCache<string, Kept>({
      max: 10_000,
      maxSize: 32 * 1024 ** 2,
      sizeCalculation: ({ size }) => size + 1,
    }),
};
const starting = { create: () => new LRUCache<string, FormNames>({ max: 10_000 }) };

/** The form that starts the process. Null if it has none that form-js can show. */
export async function startFormOf(
  context: OperatonContext,
  definition: EngineDefinition,
): Promise<FormSchema | null> {
  const { id } = definition;
  const cache = context.caches.of(starting);
  const names =
    cache.get(id) ?? (await context.rest.call({ path: at`/process-definition/${id}/startForm` }, namesShape));
  cache.set(id, names);
  if (isGenerated(names)) {
    const { starts } = await generatedFormsOf(context, definition);
    return starts.get(definition.key) ?? null;
  }
  return formOf(context, { names, definition, path: at`/process-definition/${id}/deployed-start-form` });
}

interface Wanted {
  readonly names: FormNames;
  readonly definition: EngineDefinition;
  /** Where the engine answers the form. */
  readonly path: string;
}

export async function formOf(
  context: OperatonContext,
  { names, definition, path }: Wanted,
): Promise<FormSchema | null> {
  const ref = formRefOf(names);
  if (ref === null && !isDeployedKey(formNameOf(names))) return null;
  const own = ref === null ? undefined : (await formsOf(context, definition.deploymentId)).get(ref);
  return own ?? (await formAtEngine(context, path));
}

/** The engine names no form, or a page of its own, if the model defines the fields itself. */
const isGenerated = (names: FormNames) => /^$|^embedded:engine:/.test(formNameOf(names) ?? "");

interface TaskForm extends FormNames {
  readonly taskDefinitionKey: string | null;
}

/** The form of the model's own fields for a task. */
export async function generatedTaskForm(
  context: OperatonContext,
  definition: EngineDefinition,
  task: TaskForm,
): Promise<FormSchema | undefined> {
  if (!isGenerated(task)) return undefined;
  const { elements } = await generatedFormsOf(context, definition);
  return elements.get(task.taskDefinitionKey ?? "");
}

/** A form key that names a file of a deployment. Others name pages of applications. */
const isDeployedKey = (name: string | null) => /^(camunda|operaton)-forms:deployment:/.test(name ?? "");

/** Bytes of a form. Waybill takes no larger one. */
const largestForm = largestDeployment.form;
/** Forms of a deployment that are read. Waybill takes no more in one; any other form is asked for at the engine. */
const mostForms = 50;

/** The form-js forms of a deployment, by their ids. */
async function formsOf({ rest, caches }: OperatonContext, deploymentId: string): Promise<Forms> {
  const known = caches.of(deployed).get(deploymentId);
  if (known) return known.forms;
  const path = at`/deployment/${deploymentId}/resources`;
  const resources = await rest.call({ path }, resourcesShape);
  const named = resources.filter(({ name }) => name.endsWith(".form")).slice(0, mostForms);
  const texts = await inParallel(named, ({ id }) => formText(rest, `${path}${at`/${id}/data`}`));
  const read = texts.map((text) => (text === undefined ? "" : readForm(text)));
  const forms = new Map(
    read.flatMap((form) => (typeof form === "string" ? [] : [[form.id, { ...form }] as const])),
  );
  caches.of(deployed).set(deploymentId, { forms, size: texts.join("").length });
  return forms;
}

/** Undefined for a file that is too large for a form. */
async function formText(rest: OperatonContext["rest"], path: string): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await rest.bytes({ path, maxBytes: largestForm }));
  } catch (error) {
    if (isTooLarge(error)) return undefined;
    throw error;
  }
}

async function formAtEngine({ rest, log }: OperatonContext, path: string): Promise<FormSchema | null> {
  try {
    const text = await formText(rest, path);
    const form = text === undefined ? "The form is too large." : readForm(text);
    if (typeof form !== "string") return { ...form };
    log.debug({ path, reason: form }, "The form is not shown");
  } catch (err) {
    if (!(err instanceof EngineError)) throw err;
    log.warn({ path, err }, "The process engine does not give the form");
  }
  return null;
}
