/**
 * Loads the variables that the placeholders of a task name. Small ones come with the task. Larger ones are read when
 * its request is written: the engine does not say how large they are, and hundreds of tasks run at the same time.
 */

import Type from "typebox";
import { DeliveryFailure } from "../../../../infrastructure/outbound/failure.ts";
import type { LoadedVariables } from "../../../delivery/deliver.ts";
import { loadWithin, mostBytes, valuesTooLarge } from "../../../delivery/deliveryMemory.ts";
import { namesSent, namesUsed, type ServiceTaskConfig } from "../../../delivery/serviceTask.ts";
import { secretPrefix, type TypedValues } from "../../../variables/variable.ts";
import { shapeOf, text, textOrNull } from "../answerShape.ts";
import { type EngineValue, engineValue, isFile, typedValueOf } from "../engineVariables.ts";
import { at } from "../rest.ts";
import { EngineError } from "../restErrors.ts";
import type { ExternalTask, ServiceTaskContext, TaskInstance } from "./externalTask.ts";

/** A variable with its place. */
const ScopedVariable = Type.Object({
  ...engineValue,
  /** By which its content is read. */
  id: text,
  name: text,
  /** The scope. That of the process is the instance's id. */
  activityInstanceId: text,
  tenantId: textOrNull,
  state: Type.Optional(textOrNull),
});
type ScopedVariable = Readonly<Type.Static<typeof ScopedVariable>>;
const variablesShape = shapeOf(Type.Array(ScopedVariable));

type Named<Variable = ScopedVariable> = ReadonlyMap<string, Variable>;

export interface LoaderOptions {
  readonly task: ExternalTask;
  readonly instance: TaskInstance;
  readonly config: ServiceTaskConfig;
}

/** Bytes of an answer that needs no room: nearly all are smaller. */
const smallAnswer = 128 * 1024;
/** JSON in JSON is written twice as long at worst, but for control characters. */
const largestAnswer = 2 * mostBytes;

export async function loadVariables(
  context: ServiceTaskContext,
  options: LoaderOptions,
): Promise<LoadedVariables> {
  const { config, instance } = options;
  const fetched = fetchedWith(options);
  if (fetched && filesIn(fetched, config).length === 0)
    return { variables: valuesOf(fetched, config), written: () => {}, ended: () => {} };
  const small = await readNamed(context, options, smallAnswer);
  if (small && filesIn(small, config).length === 0)
    return { variables: valuesOf(small, config), written: () => {}, ended: () => {} };
  const read = async () => {
    const named = small ?? (await readNamed(context, options, largestAnswer));
    if (!named) throw valuesTooLarge(undefined, config);
    const contents = await readContents(context, filesIn(named, config), config);
    const variables = { ...valuesOf(named, config), ...contents };
    const bytes = sizeOf(variables);
    if (bytes > mostBytes) throw valuesTooLarge(bytes, config);
    return { variables, bytes };
  };
  return loadWithin(context.memory, { tenantId: instance.tenant.id, bytes: mostBytes, read });
}

/** The variables that came with the task. Undefined if none came. */
function fetchedWith({ task, config }: LoaderOptions): Named<EngineValue> | undefined {
  if (!task.variables) return undefined;
  const names = namesOf(config);
  return new Map(Object.entries(task.variables).filter(([name]) => names === null || names.includes(name)));
}

/** Values as the engine keeps them. */
const query = { deserializeValues: false };

/** Null: every variable. */
const namesOf = (config: ServiceTaskConfig) =>
  config.kind === "addon" ? null : namesUsed(config).filter(isVariable);

/** The visible variables by name. Undefined if they are larger than `maxBytes`. */
async function readNamed(
  context: ServiceTaskContext,
  { task, instance, config }: LoaderOptions,
  maxBytes: number,
): Promise<Named | undefined> {
  const names = namesOf(config);
  if (names?.length === 0) return new Map();
  try {
    const body = {
      processInstanceId: task.processInstanceId,
      tenantIdIn: [instance.tenant.slug],
      ...(names ? { variableNameIn: names } : {}),
    };
    const path = "/history/variable-instance";
    const found = await context.rest.call({ method: "POST", path, query, body, maxBytes }, variablesShape);
    const present = found.filter(
      ({ state, tenantId }) => state !== "DELETED" && tenantId === instance.tenant.slug,
    );
    const isGlobal = (variable: ScopedVariable) => variable.activityInstanceId === task.processInstanceId;
    const globals = present.filter(isGlobal).map((each) => [each.name, each] as const);
    if (globals.length === present.length) return new Map(globals);
    const locals = await readLocals(context, task, maxBytes);
    const isWanted = ([name]: readonly [string, unknown]) => names === null || names.includes(name);
    return new Map([...globals, ...locals.filter(isWanted)]);
  } catch (error) {
    if (error instanceof EngineError && error.type === "AnswerTooLarge") return undefined;
    throw error;
  }
}

const isVariable = (name: string) => !name.startsWith(secretPrefix);

const ActivityInstance = Type.Cyclic(
  { Instance: Type.Object({ id: text, childActivityInstances: Type.Array(Type.Ref("Instance")) }) },
  "Instance",
);
type ActivityInstance = Type.Static<typeof ActivityInstance>;
const treeShape = shapeOf(ActivityInstance);

/** Variables of the scopes between the process and the task, outer ones first. Inner ones hide outer ones. */
async function readLocals(
  { rest }: ServiceTaskContext,
  { processInstanceId, activityInstanceId }: ExternalTask,
  maxBytes: number,
): Promise<(readonly [string, ScopedVariable])[]> {
  const tree = await rest.call(
    { path: at`/process-instance/${processInstanceId}/activity-instances`, maxBytes: largestAnswer },
    treeShape,
  );
  const scopes = pathTo(activityInstanceId, tree).slice(1);
  if (scopes.length === 0) return [];
  const body = { processInstanceIdIn: [processInstanceId], activityInstanceIdIn: scopes };
  const call = { method: "POST", path: "/variable-instance", query, body, maxBytes } as const;
  const variables = await rest.call(call, variablesShape);
  const depth = (variable: ScopedVariable) => scopes.indexOf(variable.activityInstanceId);
  return variables.toSorted((a, b) => depth(a) - depth(b)).map((each) => [each.name, each] as const);
}

/** The ids from the process to the activity instance. Empty if it is not there any more. */
function pathTo(id: string, { id: own, childActivityInstances }: ActivityInstance): string[] {
  if (own === id) return [own];
  for (const child of childActivityInstances) {
    const path = pathTo(id, child);
    if (path.length > 0) return [own, ...path];
  }
  return [];
}

/** A variable of a type that Waybill does not have is left out for an addon, which gets all of them. */
function valuesOf(named: Named<EngineValue>, { kind }: ServiceTaskConfig): TypedValues {
  const values = [...named].flatMap(([name, variable]) => {
    const value = typedValueOf(variable);
    if (!value && kind !== "addon") throw unsupported(name, variable.type);
    return value ? [[name, value] as const] : [];
  });
  return Object.fromEntries(values);
}

const unsupported = (name: string, type: string) =>
  new DeliveryFailure(
    "value_does_not_fit",
    `\${${name}} has the type ${type}, which no request can have. Objects are sent if they are serialized as JSON.`,
  );

/** Files of which the content is sent. */
const filesIn = <Variable extends EngineValue>(
  named: Named<Variable>,
  config: ServiceTaskConfig,
): Variable[] =>
  [...new Set(namesSent(config))]
    .map((name) => named.get(name))
    .filter((variable) => variable !== undefined && isFile(variable)) as Variable[];

/** The contents in base64, together no larger than a request can be. */
async function readContents(
  { rest }: ServiceTaskContext,
  files: readonly ScopedVariable[],
  config: ServiceTaskConfig,
): Promise<TypedValues> {
  const contents: [string, { type: "File"; value: string }][] = [];
  let left = (mostBytes / 4) * 3;
  for (const { id, name } of files) {
    const bytes = await rest
      .bytes({ path: at`/history/variable-instance/${id}/data`, maxBytes: left })
      .catch((error) => {
        throw error instanceof EngineError && error.type === "AnswerTooLarge"
          ? valuesTooLarge(undefined, config)
          : error;
      });
    left -= bytes.byteLength;
    contents.push([name, { type: "File", value: bytes.toBase64() }]);
  }
  return Object.fromEntries(contents);
}

/** Bytes, as text. Numbers and truth values count little. */
const sizeOf = (variables: TypedValues) =>
  Object.values(variables).reduce(
    (sum, { value }) => sum + (typeof value === "string" ? Buffer.byteLength(value) : 16),
    0,
  );
