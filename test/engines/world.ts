/** A server on the engine under test, two tenants that nobody else has, and the steps of the tests in the first one. */
import type { Incident, ProcessInstance, ResponseError, Task } from "../../sdk/src/generated/index.ts";
import { model } from "../support/bpmn.ts";
import {
  allowLoopback,
  completeTask,
  deploy,
  freshKey,
  incidentOf,
  reaches,
  rerun,
  startInstance,
  tasksOf,
  type Values,
  variablesOf,
} from "../support/processes.ts";
import type { TestServer, TestServerOptions, TokenClaims } from "../support/server.ts";
import { freshSlug, startOnEngine } from "./engine.ts";

/** Who does something, with their tenant's slug. */
export interface Actor extends TokenClaims {
  readonly tenant: number;
  readonly slug: string;
}

export interface DeployOptions {
  readonly by?: Actor;
  readonly forms?: readonly object[];
  /** Elements beside the process, such as an error. */
  readonly beside?: string;
  /** A process key; a fresh one by default. */
  readonly key?: string;
}

export interface RequestOptions extends RequestInit {
  /** The world's administrator by default. */
  readonly by?: Actor;
}

export interface World {
  readonly server: TestServer;
  /** An administrator of the first tenant, who acts where a step names nobody. */
  readonly admin: Actor;
  /** An administrator of the second tenant. */
  readonly stranger: Actor;
  /** A member of the first tenant whom no other test uses. */
  member(user?: string): Actor;
  /** Deploys a process of these elements. Returns its key. */
  deploy(elements: readonly string[], options?: DeployOptions): Promise<string>;
  start(processKey: string, variables?: Values, by?: Actor): Promise<string>;
  instance(id: string, by?: Actor): Promise<ProcessInstance>;
  reaches(id: string, state: ProcessInstance["state"]): Promise<void>;
  variables(id: string, by?: Actor): Promise<Readonly<Record<string, { type: string; value: unknown }>>>;
  correct(id: string, variables: Values): Promise<void>;
  tasks(id: string, by?: Actor): Promise<Task[]>;
  /** The instance's one task, once it has come to the activity. */
  task(id: string, activityId?: string): Promise<Task>;
  complete(taskId: string, variables?: Values, by?: Actor): Promise<void>;
  /** The instance's one open incident, once there is one. */
  incident(id: string): Promise<Incident>;
  rerun(incidentId: string): Promise<void>;
  /** Plain HTTP, with the actor's token and tenant. */
  request(path: string, options?: RequestOptions): Promise<Response>;
  stop(): Promise<void>;
}

let members = 0;

/** Service tasks of its server may call the loopback. */
export async function startWorld(options: TestServerOptions = {}): Promise<World> {
  const environment = { ...allowLoopback, ...options.environment };
  const server = await startOnEngine({ ...options, environment });
  const admin: Actor = { user: "alice", tenant: 1, slug: freshSlug(), roles: ["admin_sop"] };
  const stranger: Actor = { user: "bob", tenant: 2, slug: freshSlug(), roles: ["admin_sop"] };
  return {
    server,
    admin,
    stranger,
    member: (user = `member-${++members}`) => ({ ...admin, user, roles: ["member"] }),
    ...instanceSteps(server, admin),
    ...taskSteps(server, admin),
    request: async (path, { by = admin, ...init } = {}) => {
      const headers = { "x-active-tenant": by.slug, authorization: `Bearer ${await server.token(by)}` };
      return server.request(path, { ...init, headers: { ...headers, ...init.headers } });
    },
    stop: () => server.stop(),
  };
}

function instanceSteps(server: TestServer, admin: Actor) {
  const of = ({ slug }: Actor, processInstanceId: string) => ({ xActiveTenant: slug, processInstanceId });
  return {
    deploy: async (
      elements: readonly string[],
      { by = admin, forms = [], beside = "", key = freshKey("conformance") }: DeployOptions = {},
    ) => {
      await deploy(server, model(key, elements.join("\n"), beside), { by, forms }).catch(whatItSays);
      return key;
    },
    start: async (processKey: string, variables: Values = {}, by = admin) =>
      (await startInstance(server, processKey, { by, variables })).process_instance_id,
    instance: async (id: string, by = admin) => (await server.processes(by)).getProcessInstance(of(by, id)),
    reaches: (id: string, state: ProcessInstance["state"]) => reaches(server, id, state, { by: admin }),
    variables: async (id: string, by = admin) => (await server.processes(by)).getProcessVariables(of(by, id)),
    correct: async (id: string, values: Values) => {
      const variableCorrections = { variables: variablesOf(values) };
      const api = await server.processes(admin);
      await api.setProcessVariables({ ...of(admin, id), variableCorrections });
    },
  };
}

/** A refused deployment's reasons, which the SDK's error leaves in its response. */
async function whatItSays(error: unknown): Promise<never> {
  const response = (error as Partial<ResponseError>).response;
  throw response ? new Error(`${response.status}: ${await response.text()}`, { cause: error }) : error;
}

function taskSteps(server: TestServer, admin: Actor) {
  const tasks = (id: string, by = admin) => tasksOf(server, id, by);
  return {
    tasks,
    task: async (id: string, activityId?: string) => {
      for (let left = 400; left > 0; left--) {
        const [task] = await tasks(id);
        if (task && (activityId ?? task.activity_id) === task.activity_id) return task;
        await Bun.sleep(50);
      }
      throw new Error(`The instance ${id} did not come to the task ${activityId ?? ""}.`);
    },
    complete: (taskId: string, variables: Values = {}, by = admin) =>
      completeTask(server, taskId, { by, variables }),
    incident: (id: string) => incidentOf(server, id, admin),
    rerun: (incidentId: string) => rerun(server, incidentId, admin),
  };
}
