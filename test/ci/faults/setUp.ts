/** Creates the tables, processes and forms that the clients use, through the API. */

import { ledgerTable } from "./clients/ledger.ts";
import { modelsFor } from "./clients/models.ts";
import { notesTable } from "./clients/notes.ts";
import type { Embed } from "./clients/visitors.ts";
import type { Answer, Request } from "./http.ts";
import { slugOf, type Trial } from "./trial.ts";

/** The tenant whose requests crowd a process, and the table that they wait for. */
export const crowdedTenant = 90;
export const crowdedTable = "crowded";

export async function setUp(trial: Trial): Promise<Embed[]> {
  const embeds: Embed[] = [];
  for (const tenant of trial.tenants) {
    await makeTable(trial, tenant, { name: ledgerTable, columns: { entry: "text", amount: "integer" } });
    await makeTable(trial, tenant, { name: notesTable, columns: { name: "text", state: "integer" } });
    for (const { key, bpmn, form } of modelsFor(trial.receiver.port))
      await deploy(trial, tenant, { key, bpmn, form });
    const made = await sendAsAdmin(trial, {
      operation: "createEmbed",
      tenant,
      to: "POST /api/v1/probis/embeds",
      body: { process_key: "visit" },
    });
    embeds.push({ tenant, id: made.json<{ embed_id: string }>().embed_id });
  }
  await makeTable(trial, crowdedTenant, { name: crowdedTable, columns: { name: "text", state: "integer" } });
  return embeds;
}

interface Table {
  readonly name: string;
  readonly columns: Readonly<Record<string, string>>;
}

async function makeTable(trial: Trial, tenant: number, { name, columns }: Table): Promise<void> {
  const definitions = Object.entries(columns).map(([column, type]) => ({ name: column, type }));
  const to = `POST /api/v1/report/${tenant}/schema/tables`;
  await sendAsAdmin(trial, { operation: "createTable", tenant, to, body: { name, columns: definitions } });
}

async function deploy(
  trial: Trial,
  tenant: number,
  { key, bpmn, form }: { key: string; bpmn: string; form?: object | undefined },
): Promise<void> {
  const body = new FormData();
  body.set("bpmn", new File([bpmn], `${key}.bpmn`, { type: "application/xml" }));
  if (form) body.set("form", new File([JSON.stringify(form)], "visit.form", { type: "application/json" }));
  await sendAsAdmin(trial, {
    operation: "deployProcess",
    tenant,
    to: "POST /api/v1/probis/process-definitions",
    body,
  });
}

/** Sends a request as an administrator of the tenant. Throws if it is not acknowledged. */
async function sendAsAdmin(trial: Trial, request: Request): Promise<Answer> {
  const { tenant } = request;
  const token = await trial.token({ tenant, user: "alice", role: "admin_sop" });
  const answer = await trial.send({ ...request, token, headers: { "x-active-tenant": slugOf(tenant) } });
  if (answer.outcome === "acknowledged") return answer;
  throw new Error(`${request.operation}: ${answer.status} ${new TextDecoder().decode(answer.bytes)}`);
}
