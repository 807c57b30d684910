/**
 * What Waybill asks of a process engine (design 9): a port. The embedded driver keeps everything in PostgreSQL; another
 * may speak with Operaton over its REST interface.
 */
import type { Tenant } from "../tenants/tenant.ts";
import type { StoredVariable } from "./variables/variable.ts";

/** Who asks for a change, and by which request: the audit trail keeps both. */
export interface Origin {
  /** The access token's subject. */
  readonly actor: string;
  readonly requestId: string;
}

/** A user, or a visitor in a form session. A user binds own uploads, or any (`bindsAny`). */
export type Starter =
  | { readonly user: string; readonly bindsAny?: boolean }
  | { readonly formSession: string };

export interface ProcessEngine {
  /** Throws `invalid_bpmn`, `invalid_form` and `process_key_in_use`. */
  deploy(deployment: NewDeployment): Promise<Deployed>;
  /** The instance that a form session has begun. */
  findStarted(tenant: Tenant, formSession: string): Promise<Instance | undefined>;
  /**
   * Binds the attachments that the variables name and begins. A form session begins one process: a second time answers
   * the first. Throws `process_not_found`, `not_committed`, `variables_too_large` and `process_failed`; then nothing has
   * begun.
   */
  start(start: NewInstance): Promise<Instance>;
  /**
   * Throws `task_not_found`, `task_completed`, `not_committed`, `variables_too_large` and `process_failed`; then nothing
   * is done.
   */
  completeTask(completion: TaskCompletion): Promise<void>;
  /**
   * The process does not go on by it. Throws `process_instance_not_found`, `instance_ended`, `variables_too_large` and
   * `not_committed`.
   */
  setVariables(corrections: Corrections): Promise<void>;
  /** Throws `process_instance_not_found` and `instance_ended`. */
  terminate(termination: Termination): Promise<void>;
  /** Throws `incident_not_found` and `incident_resolved`. */
  rerun(rerun: Rerun): Promise<{ readonly processInstanceId: string }>;
}

export interface NewDeployment {
  readonly tenant: Tenant;
  readonly bpmn: string;
  readonly forms: readonly { readonly fileName: string; readonly text: string }[];
  readonly by: Origin;
}

export interface Deployed {
  readonly processKey: string;
  readonly version: number;
  readonly name: string;
  readonly warnings: readonly string[];
}

export interface NewInstance {
  readonly tenant: Tenant;
  readonly processKey: string;
  readonly variables: ReadonlyMap<string, StoredVariable>;
  readonly by: Starter;
}

export interface Instance {
  readonly processInstanceId: string;
  readonly processKey: string;
  readonly state: "active" | "incident" | "completed" | "terminated";
}

export interface TaskCompletion {
  readonly tenant: Tenant;
  readonly taskId: string;
  readonly variables: ReadonlyMap<string, StoredVariable>;
  readonly user: string;
  /** Whether the user may bind uploads of others. */
  readonly bindsAny?: boolean;
}

export interface Corrections {
  readonly tenant: Tenant;
  readonly processInstanceId: string;
  readonly variables: ReadonlyMap<string, StoredVariable>;
  readonly by: Origin;
}

export interface Termination {
  readonly tenant: Tenant;
  readonly processInstanceId: string;
  readonly by: Origin;
}

export interface Rerun {
  readonly tenant: Tenant;
  readonly incidentId: string;
  readonly by: Origin;
}
