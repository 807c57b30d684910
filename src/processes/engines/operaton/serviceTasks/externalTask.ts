/** External tasks of the engine, and what the files of this folder share. */

import type { Tenant } from "../../../../tenants/tenant.ts";
import type { DeliveryMemory } from "../../../delivery/deliveryMemory.ts";
import type { OperatonContext } from "../operatonContext.ts";
import type { EngineVariable } from "./typedValues.ts";

/** The topics that Waybill serves. Other workers serve the others. */
export const topics = ["api-call", "addon"];

/** How long the engine keeps a task for the process that fetched it, in milliseconds. */
export const lockMs = 60_000;

/** A task as `fetchAndLock` hands it out. */
export interface ExternalTask {
  readonly id: string;
  readonly processInstanceId: string;
  readonly processDefinitionId: string;
  readonly processDefinitionKey: string;
  readonly activityId: string;
  readonly activityInstanceId: string;
  readonly topicName: string;
  /** The slug of its tenant. */
  readonly tenantId: string | null;
  readonly extensionProperties: Readonly<Record<string, string | null>> | null;
  /** All that the task sees. Absent if they are large: then they are read when the request is written. */
  readonly variables?: Readonly<Record<string, EngineVariable>> | undefined;
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
}
