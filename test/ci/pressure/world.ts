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
  const call = async (tenant: number, path: string, body: unknown) => {
    const token = await tokenFor({ user: "admin", tenant, roles: ["admin_sop", "engine"] });
    const headers = { authorization: `Bearer ${token}`, "x-active-tenant": slugOf(tenant) };
    const init = body instanceof FormData ? { body, headers } : jsonInit(body, headers);
    const response = await fetch(url + path, { method: "POST", ...init });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  for (const tenant of [1, 2]) {
    await call(tenant, `/api/v1/report/${tenant}/schema/tables`, { name: "customers", columns });
    const rows = Array.from({ length: 20 }, (_, index) => ({ a_text: `row ${index}`, a_integer: index }));
    await call(tenant, `/api/v1/report/${tenant}/schema/tables/customers/rows`, { rows });
  }
  await call(1, "/api/v1/probis/process-definitions", modelForm(plain));
  await call(1, "/api/v1/probis/process-definitions", modelForm(gatewaysInARow("gateways", 12)));
  const instance = await call(1, "/api/v1/probis/process-instances", { process_key: "loan", variables: {} });
  const tasks = await (
    await fetch(`${url}/api/v1/tasklist/tasks`, {
      headers: {
        authorization: `Bearer ${await tokenFor({ user: "admin", tenant: 1, roles: ["admin_sop"] })}`,
        "x-active-tenant": slugOf(1),
      },
    })
  ).json();
  const upload = new FormData();
  for (const [name, value] of [
    ["process_key", "loan"],
    ["field_name", "card"],
  ] as const)
    upload.set(name, value);
  upload.set("file", await fixture("pillow.png"));
  const attachment = await call(1, "/api/v1/probis/form-attachments/upload", upload);
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

const jsonInit = (body: unknown, headers: Record<string, string>) => ({
  body: JSON.stringify(body),
  headers: { ...headers, "content-type": "application/json" },
});

const plain = model("loan", [start(), userTask("review"), end(), flow("start", "review", "end")].join("\n"));

function modelForm(bpmn: string): FormData {
  const form = new FormData();
  form.set("bpmn", new File([bpmn], "model.bpmn"));
  return form;
}
