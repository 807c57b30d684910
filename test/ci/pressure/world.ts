/** Creates what the requests need: two tenants, with one of everything that an operation may use. */
import { createAccessTokens } from "../../../src/infrastructure/identity/accessTokens.ts";
import { fixture } from "../../support/attachments.ts";
import { end, flow, model, start, userTask } from "../../support/bpmn.ts";
import { gatewaysInARow } from "./models.ts";

export interface World {
  readonly url: string;
  token(claims: Claims): Promise<string>;
  /** Values for path parameters, by name. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly formToken: string;
  /** The URL of the page that the quiet tenant asks for. */
  readonly quietPage: string;
}

export interface Claims {
  readonly user: string;
  readonly tenant: number;
  readonly roles: readonly string[];
}

export const slugOf = (tenant: number) => `tenant-${tenant}`;
export const secret = "a secret of at least thirty-two characters";

const accessTokens = createAccessTokens({
  keys: { kind: "secret", secret },
  fetch,
  now: () => new Date(),
});

const tokenFor = ({ user, tenant, roles }: Claims) =>
  accessTokens.sign(
    { sub: user, tenants: [{ id: tenant, slug: slugOf(tenant), roles: [...roles] }] },
    { ttlSeconds: 3_600 },
  );

const columns = ["text", "integer", "bigint", "numeric", "boolean", "date", "timestamp", "jsonb"].map(
  (type) => ({
    name: `a_${type}`,
    type,
  }),
);

export async function makeWorld(url: string): Promise<World> {
  const call = callsOn(url);
  for (const tenant of [1, 2]) await fillTable(call, tenant);
  await call(1, "/api/v1/probis/process-definitions", modelForm(plain));
  await call(1, "/api/v1/probis/process-definitions", modelForm(gatewaysInARow("gateways", 12)));
  const instance = await call(1, "/api/v1/probis/process-instances", { process_key: "loan", variables: {} });
  const tasks = await call(1, "/api/v1/tasklist/tasks");
  const attachment = await call(1, "/api/v1/probis/form-attachments/upload", await uploadForm());
  const { embed_id } = await call(1, "/api/v1/probis/embeds", { process_key: "loan" });
  const { form_token } = await call(1, "/api/v1/probis/public/form-sessions", { embed_id });
  return {
    url,
    token: tokenFor,
    formToken: form_token,
    quietPage: `${url}/api/v1/report/2/schema/tables/customers/rows`,
    parameters: {
      tenantId: "1",
      table: "customers",
      attachment_id: attachment.attachment_id,
      embed_id,
      process_instance_id: instance.process_instance_id,
      processInstanceId: instance.process_instance_id,
      task_id: tasks[0]?.task_id ?? tasks[0]?.id ?? "none",
      process_key: "loan",
      processKey: "loan",
      processDefinitionKey: "loan",
    },
  };
}

/** Calls an operation as an administrator: POST with a body, GET without one. Throws if the answer is not 2xx. */
const callsOn = (url: string) => async (tenant: number, path: string, body?: object) => {
  const token = await tokenFor({ user: "admin", tenant, roles: ["admin_sop", "engine"] });
  const headers = { authorization: `Bearer ${token}`, "x-active-tenant": slugOf(tenant) };
  const response = await fetch(url + path, body ? post(body, headers) : { headers });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
};

function post(body: object, headers: Record<string, string>) {
  if (body instanceof FormData) return { method: "POST", body, headers };
  const json = { ...headers, "content-type": "application/json" };
  return { method: "POST", body: JSON.stringify(body), headers: json };
}

async function fillTable(call: ReturnType<typeof callsOn>, tenant: number): Promise<void> {
  const tables = `/api/v1/report/${tenant}/schema/tables`;
  await call(tenant, tables, { name: "customers", columns });
  const rows = Array.from({ length: 20 }, (_, index) => ({ a_text: `row ${index}`, a_integer: index }));
  await call(tenant, `${tables}/customers/rows`, { rows });
}

async function uploadForm(): Promise<FormData> {
  const form = new FormData();
  form.set("process_key", "loan");
  form.set("field_name", "card");
  form.set("file", await fixture("pillow.png"));
  return form;
}

const plain = model("loan", [start(), userTask("review"), end(), flow("start", "review", "end")].join("\n"));

function modelForm(bpmn: string): FormData {
  const form = new FormData();
  form.set("bpmn", new File([bpmn], "model.bpmn"));
  return form;
}
