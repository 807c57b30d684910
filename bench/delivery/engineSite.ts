/** One process on a remote engine, for two workers: its service task has Waybill's topic or that of the bare worker. */
import { tenant } from "../attachments/requests.ts";
import type { ServerProcess } from "../processes.ts";
import type { Engine } from "./engineProcess.ts";
import { deploy, inParallel, makeDrafts, metadataOf, modelOf, processKey, signIn, textCard } from "./site.ts";

/**
 * - bare: the bare worker posts a name and a text.
 * - same: Waybill posts the very same bodies.
 * - file: Waybill posts a name and the URL of a file, which it binds and issues.
 */
export type Contestant = "bare" | "same" | "file";

export interface EngineSite {
  /** Starts so many instances through the engine's REST interface and waits until all have ended; instances a second. */
  run(contestant: Contestant, count: number): Promise<number>;
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
    async run(contestant, instances) {
      const key = contestant === "bare" ? bareKey : processKey;
      const card = () => (contestant === "file" ? JSON.stringify(metadataOf(drafts.pop())) : textCard);
      await fetch(`${receiver.url}/arrivals`, { method: "DELETE" });
      const before = await ended(engine, key);
      const startedAt = performance.now();
      const deadline = startedAt + longestRunMs;
      await inParallel(instances, () => start(engine, key, card()));
      await until(deadline, async () => (await arrived(receiver)) >= instances);
      await until(deadline, async () => (await ended(engine, key)) >= before + instances);
      const rate = instances / ((performance.now() - startedAt) / 1000);
      if (contestant !== "file") await requireBodies(receiver);
      return rate;
    },
  };
}

const bareKey = "bare";
const longestRunMs = 120_000;
const applicant = "Jane Doe";

async function until(deadline: number, isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone())) {
    if (performance.now() > deadline) throw new Error("the instances do not end");
    await Bun.sleep(20);
  }
}

/** How many requests the receiver has got in this round. The engine is asked only after the last one. */
const arrived = async ({ url }: ServerProcess) => Number(await (await fetch(`${url}/count`)).text());

/** Both workers must post the same bytes, or their rates cannot be compared. */
async function requireBodies({ url }: ServerProcess): Promise<void> {
  const expected = JSON.stringify([JSON.stringify({ applicant, card: textCard })]);
  const bodies = await (await fetch(`${url}/bodies`)).text();
  if (bodies !== expected) throw new Error(`the bodies are ${bodies}, not ${expected}`);
}

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

async function start({ url }: Engine, key: string, card: string): Promise<void> {
  const variables = {
    applicant: { type: "String", value: applicant },
    card: { type: "String", value: card },
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
