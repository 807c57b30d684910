/** Another client of the engine, which knows nothing of Waybill: it deploys, starts and writes by the engine's REST. */
import { askEngine } from "../engine.ts";

export type EngineValues = Readonly<Record<string, { type: string; value: unknown; valueInfo?: object }>>;

export const jsonBody = (body: unknown, method = "POST") => ({ method, body: JSON.stringify(body) });

/** Deploys a document with these processes. */
export async function deployModel(tenant: string, processes: string): Promise<void> {
  const bpmn = `<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="http://waybill.example/test"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn">
${processes.replaceAll('isExecutable="true"', 'isExecutable="true" camunda:historyTimeToLive="30"')}
</definitions>`;
  const parts = new Response(formOf({ "tenant-id": tenant, "model.bpmn": new File([bpmn], "model.bpmn") }));
  const headers = { "content-type": parts.headers.get("content-type") ?? "" };
  await askEngine("/deployment/create", { method: "POST", body: await parts.arrayBuffer(), headers });
}

function formOf(fields: Readonly<Record<string, string | File>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

/** Returns the instance's id. */
export async function startAtEngine(tenant: string, key: string, variables: EngineValues): Promise<string> {
  const path = `/process-definition/key/${key}/tenant-id/${tenant}/start`;
  return (await askEngine<{ id: string }>(path, jsonBody({ variables }))).id;
}

export const writeVariables = (processInstanceId: string, modifications: EngineValues) =>
  askEngine(`/process-instance/${processInstanceId}/variables`, jsonBody({ modifications }));

export const writeTaskVariables = (taskId: string, modifications: EngineValues) =>
  askEngine(`/task/${taskId}/localVariables`, jsonBody({ modifications }));

export interface LockedTask {
  readonly id: string;
  readonly processInstanceId: string;
}

/** Fetches one task of the topic as a worker that is not Waybill. Undefined if there is none. */
export async function fetchTask(tenant: string, topicName: string): Promise<LockedTask | undefined> {
  const topics = [{ topicName, lockDuration: 60_000, tenantIdIn: [tenant] }];
  const body = { workerId: "another worker", maxTasks: 1, topics };
  return (await askEngine<LockedTask[]>("/external-task/fetchAndLock", jsonBody(body)))[0];
}

/** Reports a failure without retries, which is an incident. */
export const failTask = ({ id }: LockedTask, errorMessage: string) =>
  askEngine(
    `/external-task/${id}/failure`,
    jsonBody({
      workerId: "another worker",
      errorMessage,
      errorDetails: errorMessage,
      retries: 0,
      retryTimeout: 0,
    }),
  );
