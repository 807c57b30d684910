/** One process on a remote engine, for two workers: its service task has Waybill's topic or that of the bare worker. */
import { tenant } from "../attachments/requests.ts";
import type { ServerProcess } from "../processes.ts";
import type { Engine } from "./engineProcess.ts";
import { deploy, inParallel, makeDrafts, metadataOf, modelOf, processKey, signIn } from "./site.ts";

export interface EngineSite {
  /** Starts so many instances through the engine's own REST interface and waits until all have ended; instances a second. */
  run(worker: "bare" | "waybill", count: number): Promise<number>;
}

interface Options {
  readonly engine: Engine;
  readonly waybill: ServerProcess;
  readonly receiver: ServerProcess;
  readonly drafts: number;
}

export async function prepareEngineSite(
  database: string,
  { engine, waybill, receiver, drafts: count }: Options,
): Promise<EngineSite> {
  await deploy(waybill.url, await signIn(), modelOf(`${receiver.url}/loans`));
  const drafts = await makeDrafts(database, count);
  await deployBare(engine);
  return {
    async run(worker, instances) {
      const key = worker === "bare" ? bareKey : processKey;
      const before = await ended(engine, key);
      const startedAt = performance.now();
      const file = () => (worker === "waybill" ? drafts.pop() : undefined) ?? crypto.randomUUID();
      await inParallel(instances, () => start(engine, key, file()));
      while ((await ended(engine, key)) < before + instances) {
        if (performance.now() - startedAt > longestRunMs) throw new Error(`instances of ${key} do not end`);
        await Bun.sleep(20);
      }
      return instances / ((performance.now() - startedAt) / 1000);
    },
  };
}

const bareKey = "bare";
const longestRunMs = 120_000;

async function deployBare({ url }: Engine): Promise<void> {
  const model = modelOf("http://unused")
    .replace('id="bench"', `id="${bareKey}"`)
    .replace('"api-call"', '"bare"');
  const form = new FormData();
  form.set("deployment-name", bareKey);
  form.set("tenant-id", tenant.slug);
  form.set("bare.bpmn", new File([model], "bare.bpmn"));
  const answer = await fetch(`${url}/deployment/create`, { method: "POST", body: form });
  if (!answer.ok) throw new Error(await answer.text());
}

async function start({ url }: Engine, key: string, draft: string): Promise<void> {
  const variables = {
    applicant: { type: "String", value: "Jane Doe" },
    card: { type: "String", value: JSON.stringify(metadataOf(draft)) },
  };
  const answer = await fetch(`${url}/process-definition/key/${key}/tenant-id/${tenant.slug}/start`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ variables }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

async function ended({ url }: Engine, key: string): Promise<number> {
  const query = `processDefinitionKey=${key}&tenantIdIn=${tenant.slug}&completed=true`;
  const answer = await fetch(`${url}/history/process-instance/count?${query}`);
  return ((await answer.json()) as { count: number }).count;
}
