/** External tasks of the engine, and what the files of this folder share. */

import Type from "typebox";
import type { Tenant } from "../../../../tenants/tenant.ts";
import type { DeliveryMemory } from "../../../delivery/deliveryMemory.ts";
import { nullable, shapeOf, text, textOrNull } from "../answerShape.ts";
import { type EngineValue, engineValue } from "../engineVariables.ts";
import type { OperatonContext } from "../operatonContext.ts";
import type { TaskBatches } from "./taskBatches.ts";

/** The topics that Waybill serves. Other workers serve the others. */
export const topics = ["api-call", "addon"];

/** How long the engine keeps a task for the process that fetched it, in milliseconds. */
export const lockMs = 60_000;

/** A task as `fetchAndLock` hands it out. */
const ExternalTask = Type.Object({
  id: text,
  processInstanceId: text,
  processDefinitionId: text,
  processDefinitionKey: text,
  activityId: text,
  activityInstanceId: text,
  topicName: text,
  /** The slug of its tenant. */
  tenantId: textOrNull,
  extensionProperties: nullable(Type.Record(text, textOrNull)),
  variables: Type.Optional(nullable(Type.Record(text, Type.Object(engineValue)))),
});
export const tasksShape = shapeOf(Type.Array(ExternalTask));

export interface ExternalTask extends Readonly<Omit<Type.Static<typeof ExternalTask>, "variables">> {
  /** All that the task sees. Absent if they are large: then they are read when the request is written. */
  readonly variables?: Readonly<Record<string, EngineValue>> | null | undefined;
}

/** An instance whose task is carried out. */
export interface TaskInstance {
  readonly tenant: Tenant;
  readonly processInstanceId: string;
}

export interface ServiceTaskContext extends OperatonContext {
  /** The id of this process at the engine. Another one after a restart. */
  readonly worker: string;
  readonly memory: DeliveryMemory;
  readonly batches: TaskBatches;
}
