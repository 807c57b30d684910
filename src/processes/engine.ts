/**
 * What Waybill asks of a process engine, for reads and for writes. The embedded driver (`engines/embedded/`) keeps
 * everything in PostgreSQL. Another driver may speak to a remote engine, so nothing here takes a transaction or names a
 * table. See docs/decisions/processes.md.
 *
 * For every method:
 * - The tenant is an argument. What belongs to another tenant does not exist.
 * - An id is any text that a caller sent. A text that cannot be an id of this engine finds nothing.
 * - A change that gets `once` also throws `idempotency_key_in_use`.
 * - A list may be a value, or JSON text that the driver's database wrote (`Written`). Both are sent as they are.
 */
import type {
  Incident,
  InstanceState,
  ListedProcessInstance,
  ProcessDefinition,
  ReportInstance,
  Task,
} from "../generated/schemas.ts";
import type { Written } from "../infrastructure/jsonText.ts";
import type { Fault } from "../infrastructure/problem.ts";
import type { Once } from "../tenants/idempotency/once.ts";
import type { Tenant } from "../tenants/tenant.ts";
import type { FileValue, ShownVariables, StoredVariable } from "./variables/variable.ts";

export interface ProcessEngine {
  /**
   * Stores a model and its forms as the next version of its process. Throws `invalid_bpmn`, `invalid_form` and
   * `process_key_in_use`.
   */
  deploy(deployment: NewDeployment): Promise<Deployed>;
  /** What a deployment of the model would refuse, and of what it would warn. Stores nothing. Throws `invalid_bpmn`. */
  validate(model: ModelToValidate): Promise<ModelReport>;
  /** The latest version of each process, ordered by the bytes of its key. Throws `answer_too_large`. */
  listDefinitions(tenant: Tenant): Promise<Written<ProcessDefinition[]>>;
  /** The latest version of a process. Undefined if the tenant has no such process. */
  findDefinition(tenant: Tenant, processKey: string): Promise<Definition | undefined>;
  /** A page of a process's versions, newest first. Undefined if the tenant has no such process. */
  listVersions(
    tenant: Tenant,
    processKey: string,
    page: Page,
  ): Promise<Written<ProcessDefinition[]> | undefined>;
  /** A version of a process. Undefined if the tenant has no such process or version. */
  findVersion(tenant: Tenant, processKey: string, version: number): Promise<Definition | undefined>;
  /** The BPMN text of a version, by the `id` of its `Definition`. */
  readBpmn(tenant: Tenant, definitionId: string): Promise<string>;

  /**
   * Binds the attachments that the variables name, and starts an instance. Its starter takes part in its discussion.
   * A form session starts one process: a second call returns the first instance. Throws `process_not_found`,
   * `not_committed`, `variables_too_large` and `process_failed`; then nothing has started.
   */
  start(start: NewInstance): Promise<Instance>;
  /** The instance that a form session has started. */
  findStarted(tenant: Tenant, formSession: string): Promise<Instance | undefined>;
  /** An instance, running or ended. Undefined if the engine does not know it. */
  findInstance(tenant: Tenant, processInstanceId: string): Promise<InstanceDetail | undefined>;
  /** A page of instances, newest first, running and ended ones. Throws `answer_too_large`. */
  listInstances(tenant: Tenant, query: InstanceQuery): Promise<Written<ListedProcessInstance[]>>;
  /** Who started each of these instances, by the given id. Instances that the engine does not know are absent. */
  findStarters(
    tenant: Tenant,
    processInstanceIds: readonly string[],
  ): Promise<ReadonlyMap<string, string | null>>;
  /**
   * The root of each instance: the one at the top of the call activities that lead to it, or the instance itself. An
   * instance that the engine does not know is its own root.
   */
  findRoots(tenant: Tenant, processInstanceIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /**
   * A page of a process's instances with their variables, newest first, running and ended ones. Undefined if the tenant
   * has no such process. Throws `answer_too_large`.
   */
  listReportInstances(tenant: Tenant, query: ReportQuery): Promise<ReportPage | undefined>;
  /** Throws `process_instance_not_found` and `instance_ended`. */
  terminate(termination: Termination): Promise<void>;

  /** Variables by name, without the content of files. Empty if the tenant has no such instance. */
  readVariables(tenant: Tenant, processInstanceId: string): Promise<ShownVariables>;
  /** The value of a variable of type File. Undefined if there is none of this name and type. */
  readFile(tenant: Tenant, variable: VariableName): Promise<FileValue | undefined>;
  /**
   * Corrects variables, and binds the attachments that they name. The process does not move. Throws
   * `process_instance_not_found`, `instance_ended`, `variables_too_large` and `not_committed`.
   */
  setVariables(corrections: Corrections): Promise<void>;

  /** A page of open user tasks, oldest first. Throws `answer_too_large`. */
  listTasks(tenant: Tenant, query: TaskQuery): Promise<Written<Task[]>>;
  /** An open user task. */
  findTask(tenant: Tenant, taskId: string): Promise<Task | undefined>;
  /** The form of a task, from the version of the model that its instance runs. */
  findTaskForm(tenant: Tenant, task: Task): Promise<FormSchema | null>;
  /**
   * Writes the variables, binds the attachments that they name, completes the task and moves the process on. The user
   * takes part in the discussion from then on. Throws `task_not_found`, `task_completed`, `task_not_yours`,
   * `not_committed`, `variables_too_large`, `process_failed` and `busy`; then nothing has changed.
   */
  completeTask(completion: TaskCompletion): Promise<void>;
  /**
   * Assigns a task to the user, who may have it already. Throws `task_not_found`, `task_completed`, `task_not_yours`,
   * `task_assigned` (to another user) and `busy`.
   */
  claimTask(change: TaskChange): Promise<void>;
  /**
   * Assigns a task to nobody. For its assignee and administrators. Throws `task_not_found`, `task_completed`,
   * `task_not_yours` and `busy`.
   */
  unclaimTask(change: TaskChange): Promise<void>;
  /** Assigns a task, whoever has it. The caller is an administrator. Throws `task_not_found` and `task_completed`. */
  assignTask(assignment: TaskAssignment): Promise<void>;

  /** A page of incidents, newest first. Throws `answer_too_large`. */
  listIncidents(tenant: Tenant, query: IncidentQuery): Promise<Written<Incident[]>>;
  /**
   * Resolves an incident and runs its service task or timer again. Throws `incident_not_found` and `incident_resolved`.
   */
  rerun(rerun: Rerun): Promise<{ readonly processInstanceId: string }>;

  /** What is wrong with the engine now, for an operator. Answers within three seconds. */
  warnings(): Promise<readonly EngineWarning[]>;
}

export interface EngineWarning {
  readonly code: string;
  readonly message: string;
}

/** A form-js schema. */
export type FormSchema = Record<string, unknown>;

export interface Page {
  /** Rows to skip. */
  readonly offset: number;
  /** Rows to return at most. */
  readonly limit: number;
}

/** What is absent does not limit the list. */
export interface InstanceQuery extends Page {
  readonly processKey?: string | undefined;
  readonly state?: InstanceState | undefined;
  readonly businessKey?: string | undefined;
  /** Only instances that this user started, or in whose discussion the user takes part. */
  readonly visibleTo?: string | undefined;
}

/** The tasks that meet every condition that is there. */
export interface TaskQuery extends Page {
  readonly processInstanceId?: string | undefined;
  readonly processKey?: string | undefined;
  readonly assignee?: string | undefined;
  /** Tasks that name the group as a candidate, whether they are assigned or not. */
  readonly candidateGroup?: string | undefined;
  /** Only tasks that are assigned to nobody. */
  readonly unassigned?: boolean | undefined;
}

export interface IncidentQuery extends Page {
  /** Absent: the incidents of every instance. */
  readonly processInstanceId?: string | undefined;
  /** Resolved incidents, or else open ones. */
  readonly resolved: boolean;
}

export interface ReportQuery extends Page {
  readonly processKey: string;
}

export interface ReportPage {
  /** Instances on all pages. */
  readonly total: number;
  readonly instances: Written<ReportInstance[]>;
}

export interface VariableName {
  readonly processInstanceId: string;
  readonly name: string;
}

/** The request that asks for a change. The audit trail keeps both values. */
export interface Origin {
  /** The access token's subject. */
  readonly actor: string;
  readonly requestId: string;
}

/** A user, or a visitor in a form session. A user binds own uploads, or any (`bindsAny`). */
export type Starter =
  | { readonly user: string; readonly bindsAny?: boolean }
  | { readonly formSession: string };

export interface NewDeployment {
  readonly tenant: Tenant;
  readonly bpmn: string;
  readonly forms: readonly { readonly fileName: string; readonly text: string }[];
  readonly by: Origin;
}

export interface ModelToValidate extends Pick<NewDeployment, "tenant" | "bpmn"> {
  /** Absent: nothing is said about the forms that the model names. */
  readonly forms?: NewDeployment["forms"] | undefined;
}

export interface ModelReport {
  /** Empty if nothing speaks against a deployment. An engine may find more when the model is deployed. */
  readonly faults: readonly Fault[];
  readonly warnings: readonly string[];
}

export interface Deployed {
  readonly processKey: string;
  readonly version: number;
  readonly name: string;
  readonly warnings: readonly string[];
}

export interface Definition extends ProcessDefinition {
  /** The engine's own id of this version. */
  readonly id: string;
  /** Null if the process starts without a form. */
  readonly start_form: FormSchema | null;
}

export interface NewInstance {
  readonly tenant: Tenant;
  readonly processKey: string;
  /** What the starter calls the instance. Need not be unique. */
  readonly businessKey?: string | undefined;
  readonly variables: ReadonlyMap<string, StoredVariable>;
  readonly by: Starter;
  /** Keeps the answer of the request with the start. */
  readonly once?: Once<Instance> | undefined;
}

export interface Instance {
  readonly processInstanceId: string;
  readonly processKey: string;
  /** An active instance with an open incident is shown as `incident`. */
  readonly state: InstanceState;
}

export interface InstanceDetail extends Instance {
  /** Null if a visitor started it. */
  readonly startedBy: string | null;
  /** Null if the starter gave none. */
  readonly businessKey: string | null;
}

/** A person who acts on tasks. userTasks.ts says what they may do. */
export interface TaskActor {
  /** The access token's subject. */
  readonly user: string;
  /** The groups that the access token names for this tenant. */
  readonly groups: readonly string[];
  readonly isAdministrator: boolean;
}

export interface TaskChange {
  readonly tenant: Tenant;
  readonly taskId: string;
  readonly by: TaskActor;
}

export interface TaskCompletion extends TaskChange {
  readonly variables: ReadonlyMap<string, StoredVariable>;
  /** Whether the user may bind uploads of others. */
  readonly bindsAny?: boolean;
  /** Keeps the answer of the request with the completion. */
  readonly once?: Once<void> | undefined;
}

export interface TaskAssignment {
  readonly tenant: Tenant;
  readonly taskId: string;
  /** Null: to nobody. */
  readonly assignee: string | null;
  readonly by: Origin;
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
