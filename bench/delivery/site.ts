/** A site to measure: a process that sends one file, drafts for its instances, and ways to start them. */
import { createAccessTokens } from "../../src/infrastructure/identity/accessTokens.ts";
import { secret, tenant } from "../attachments/requests.ts";
import { withDatabase } from "../database.ts";
import type { ServerProcess } from "../processes.ts";

export const processKey = "bench";
const atOnce = 32;
/** As long as the URL of a file. */
export const textCard = `https://files.example/api/v1/probis/public/form-attachments/${crypto.randomUUID()}/download?token=${"x".repeat(90)}`;

export interface Site {
  /**
   * Starts so many and waits for the last request at the receiver; answers how many starts a second were answered.
   * Each has a file, or a text as long as its URL.
   */
  startBurst(count: number, card?: "file" | "text"): Promise<number>;
  /** One every so often; milliseconds from the start's request to the receiver's first byte. */
  startSteadily(pace: { readonly perSecond: number; readonly seconds: number }): Promise<Latency>;
  /** The bodies of Waybill's requests, by `fetch` in a loop. */
  postBarely(count: number): Promise<void>;
}

export interface Latency {
  readonly median: number;
  readonly p95: number;
}

interface Options {
  readonly waybills: readonly ServerProcess[];
  readonly receiver: ServerProcess;
  readonly instances: number;
}

export async function prepare(database: string, { waybills, receiver, instances }: Options): Promise<Site> {
  const [first] = waybills;
  if (!first) throw new Error("there is no Waybill");
  const headers = await signIn();
  await deploy(first.url, headers, modelOf(`${receiver.url}/loans`));
  const drafts = await makeDrafts(database, instances);
  const arrivals = async () =>
    (await (await fetch(`${receiver.url}/arrivals`)).json()) as [instance: string, at: number][];
  const count = async () => Number(await (await fetch(`${receiver.url}/count`)).text());
  const arrive = async (expected: number) => {
    while ((await count()) < expected) await Bun.sleep(10);
  };
  const forget = () => fetch(`${receiver.url}/arrivals`, { method: "DELETE" });
  let turn = 0;

  const fileCard = () => JSON.stringify(metadataOf(drafts.pop()));

  async function start(card: string): Promise<{ id: string; at: number }> {
    const mine = turn++;
    const at = performance.timeOrigin + performance.now();
    const url = waybills[mine % waybills.length]?.url;
    const variables = { applicant: { value: "Jane Doe" }, card: { value: card } };
    const response = await fetch(`${url}/api/v1/probis/process-instances`, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body: JSON.stringify({ process_key: processKey, variables }),
    });
    if (response.status !== 201) throw new Error(await response.text());
    return { id: ((await response.json()) as { process_instance_id: string }).process_instance_id, at };
  }

  return {
    async startBurst(instances, card = "file") {
      await forget();
      const began = performance.now();
      await inParallel(instances, () => start(card === "file" ? fileCard() : textCard));
      const rate = instances / ((performance.now() - began) / 1000);
      await arrive(instances);
      return rate;
    },
    async startSteadily({ perSecond, seconds }) {
      await forget();
      const started: Promise<{ id: string; at: number }>[] = [];
      const began = performance.now();
      for (let n = 0; n < perSecond * seconds; n++) {
        await Bun.sleep(Math.max(0, began + (n * 1000) / perSecond - performance.now()));
        started.push(start(fileCard()));
      }
      const starts = await Promise.all(started);
      await arrive(starts.length);
      const arrived = new Map(await arrivals());
      const latencies = starts
        .map(({ id, at }) => (arrived.get(id) ?? Number.NaN) - at)
        .sort((a, b) => a - b);
      const share = (part: number) => latencies[Math.floor(part * latencies.length)] ?? Number.NaN;
      return { median: share(0.5), p95: share(0.95) };
    },
    async postBarely(count) {
      const body = JSON.stringify({ applicant: "Jane Doe", card: textCard });
      const post = async () => {
        const init = { method: "POST", headers: { "Content-Type": "application/json" }, body };
        await (await fetch(`${receiver.url}/loans`, init)).text();
      };
      await inParallel(count, post);
    },
  };
}

export async function inParallel(count: number, act: () => Promise<unknown>): Promise<void> {
  let left = count;
  const worker = async () => {
    while (left-- > 0) await act();
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

export async function signIn(): Promise<Record<string, string>> {
  const accessTokens = createAccessTokens({ keys: { kind: "secret", secret }, fetch, now: () => new Date() });
  const claims = { sub: "bench", tenants: [{ ...tenant, roles: ["admin_sop"] }] };
  const token = await accessTokens.sign(claims, { ttlSeconds: 86_400 });
  return { Authorization: `Bearer ${token}`, "x-active-tenant": tenant.slug };
}

/** The metadata of a draft, as a file's variable has it. */
export const metadataOf = (attachment_id: string | undefined) => ({
  attachment_id,
  file_name: "card.pdf",
  mime_type: "application/pdf",
  size: 1,
});

/** A process with one service task, which posts a name and a file to the receiver. */
export function modelOf(receiver: string): string {
  const body = `{"applicant":"\${applicant}","card":"\${card}"}`.replaceAll('"', "&#34;");
  return `<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn" id="bench_model" targetNamespace="http://bpmn.io/schema/bpmn">
<process id="${processKey}" isExecutable="true" camunda:historyTimeToLive="P1D">
<startEvent id="start"/><sequenceFlow id="to_call" sourceRef="start" targetRef="call"/>
<serviceTask id="call" camunda:type="external" camunda:topic="api-call"><extensionElements><camunda:properties>
<camunda:property name="method" value="POST"/><camunda:property name="url" value="${receiver}"/>
<camunda:property name="body" value="${body}"/><camunda:property name="result_variable" value="core"/>
</camunda:properties></extensionElements></serviceTask>
<sequenceFlow id="to_end" sourceRef="call" targetRef="end"/><endEvent id="end"/>
</process></definitions>`;
}

export async function deploy(url: string, headers: Record<string, string>, bpmn: string): Promise<void> {
  const form = new FormData();
  form.set("bpmn", new File([bpmn], "bench.bpmn"));
  const response = await fetch(`${url}/api/v1/probis/process-definitions`, {
    method: "POST",
    headers,
    body: form,
  });
  if (response.status !== 201) throw new Error(await response.text());
}

/** Drafts by SQL: the suite is not about uploads. */
export function makeDrafts(database: string, count: number): Promise<string[]> {
  return withDatabase(database, async (sql) => {
    const rows = await sql<{ id: string }[]>`
      insert into waybill.attachments (id, tenant_id, state, file_name, mime_type, size, sha256, process_key, field_name, uploader)
      select gen_random_uuid(), ${tenant.id}, 'draft', 'card.pdf', 'application/pdf', 1, sha256(i::text::bytea), ${processKey},
             'card', 'bench' from generate_series(1, ${count}::int) i returning id::text`;
    return rows.map(({ id }) => id);
  });
}
