/** Steps of tests of processes: deploy models, start instances, complete tasks, and see what became of them. */
import type { Incident, ProcessInstance, Task } from "../../sdk/src/generated/index.ts";
import { slugOf } from "./attachments.ts";
import type { TestServer, TokenClaims } from "./server.ts";

let made = 0;
/** A process key that no other test uses. */
export const freshKey = (prefix = "process") => `${prefix}_${++made}`;

const administrator: TokenClaims = { user: "alice", tenant: 1, roles: ["admin_sop"] };

/** Service tasks may call the receivers of the tests, which listen on the loopback. */
export const allowLoopback = { OUTBOUND_ALLOW: "127.0.0.1,::1,localhost" };

export interface DeployOptions {
  readonly by?: TokenClaims;
  readonly forms?: readonly object[];
}

export async function deploy(
  server: TestServer,
  bpmn: string,
  { by = administrator, forms = [] }: DeployOptions = {},
) {
  const api = await server.processes(by);
  const fileName = (schema: { readonly id?: unknown }) => `${schema.id ?? "a"}.form`;
  const form = forms.map(
    (schema) => new File([JSON.stringify(schema)], fileName(schema), { type: "application/json" }),
  );
  return api.deployProcess({
    xActiveTenant: slugOf(by),
    bpmn: new File([bpmn], "model.bpmn", { type: "application/xml" }),
    ...(form.length > 0 ? { form } : {}),
  });
}

export type Values = Readonly<Record<string, unknown>>;

/** Turns each value into a variable, whose type the server derives from it. `{ value, type }` stays as it is. */
export const variablesOf = (values: Values) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === "object" && value !== null && "value" in value
        ? (value as { value: unknown })
        : { value },
    ]),
  );

export interface StartOptions {
  readonly by?: TokenClaims;
  readonly variables?: Values;
}

export interface InstanceOptions extends StartOptions {
  readonly businessKey?: string;
}

export async function startInstance(
  server: TestServer,
  processKey: string,
  { by = administrator, variables = {}, businessKey }: InstanceOptions = {},
): Promise<ProcessInstance> {
  const api = await server.processes(by);
  const named = businessKey === undefined ? {} : { business_key: businessKey };
  const newProcessInstance = { process_key: processKey, ...named, variables: variablesOf(variables) };
  return api.startProcessInstance({ xActiveTenant: slugOf(by), newProcessInstance });
}

export async function stateOf(server: TestServer, id: string, by = administrator): Promise<string> {
  const api = await server.processes(by);
  return (await api.getProcessInstance({ xActiveTenant: slugOf(by), processInstanceId: id })).state;
}

/** Waits until the instance is in the state. After `seconds` it throws an error with the state and the incidents. */
export async function reaches(
  server: TestServer,
  id: string,
  state: ProcessInstance["state"],
  { seconds = 20, by = administrator }: { readonly seconds?: number; readonly by?: TokenClaims } = {},
): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const now = await stateOf(server, id, by);
    if (now === state) return;
    if (Date.now() > deadline) {
      const incidents = await incidentsOf(server, id, by);
      throw new Error(`the instance is ${now}, not ${state}: ${JSON.stringify(incidents)}`);
    }
    await Bun.sleep(20);
  }
}

export async function incidentsOf(server: TestServer, id: string, by = administrator): Promise<Incident[]> {
  const api = await server.incidents(by);
  return api.listIncidents({ xActiveTenant: slugOf(by), processInstanceId: id });
}

/** The one open incident of the instance, once there is one. */
export async function incidentOf(server: TestServer, id: string, by = administrator): Promise<Incident> {
  await reaches(server, id, "incident", { by });
  const [incident, ...others] = await incidentsOf(server, id, by);
  if (!incident || others.length > 0) throw new Error(`there are ${others.length} other incidents`);
  return incident;
}

export async function rerun(server: TestServer, incidentId: string, by = administrator): Promise<void> {
  const api = await server.incidents(by);
  await api.rerunIncident({ xActiveTenant: slugOf(by), incidentId });
}

export async function tasksOf(server: TestServer, id: string, by = administrator): Promise<Task[]> {
  const api = await server.tasklist(by);
  return api.listTasks({ xActiveTenant: slugOf(by), processInstanceId: id });
}

export async function completeTask(
  server: TestServer,
  taskId: string,
  { by = administrator, variables = {} }: StartOptions = {},
): Promise<void> {
  const api = await server.tasklist(by);
  await api.completeTask({
    xActiveTenant: slugOf(by),
    taskId,
    taskCompletion: { variables: variablesOf(variables) },
  });
}
