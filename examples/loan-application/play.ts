/**
 * Plays the loan application against a running server and shows what the receiver gets:
 *
 *   OUTBOUND_ALLOW=127.0.0.1:4000 bun run server      (in another terminal)
 *   bun run example
 *
 * Plays it on an engine of the Camunda 7 family, with a server of its own, which ends with the example:
 *
 *   bun run example --engine http://127.0.0.1:8080/engine-rest
 *   bun run example --engine operaton                 (the same: the address that Operaton has by default)
 *
 * WAYBILL_URL is the server's address, by default `http://127.0.0.1:3000`. WAYBILL_TOKEN is an administrator's access
 * token. By default, a token is signed with the secret in the server's data folder.
 */
import { parseArgs } from "node:util";
import { createClient } from "../../sdk/src/index.ts";
import { startEngineServer } from "./engineServer.ts";
import { startReceiver } from "./receiver.ts";

const tenant = process.env.WAYBILL_TENANT ?? "demo";
const port = 4000;
const say = (line: string) => console.log(line);
const { engine } = parseArgs({ options: { engine: { type: "string" } } }).values;
const server = engine === undefined ? undefined : await startOwn(engine);
const url = server?.url ?? process.env.WAYBILL_URL ?? "http://127.0.0.1:3000";

const folder = import.meta.dir;
const text = (name: string) => Bun.file(`${folder}/${name}`);

await fetch(`${url}/healthz`).catch(() => {
  console.error(`Waybill does not answer at ${url}. Set WAYBILL_URL to its address.`);
  process.exit(1);
});
const waybill = createClient({
  baseUrl: url,
  tenant: { slug: tenant },
  token: process.env.WAYBILL_TOKEN ?? (await signedToken()),
});
const receiver = startReceiver(port, (line) => say(`  receiver: ${line}`));
try {
  const forms = ["loan_application.form", "correct_application.form", "review_application.form"];
  const { process_key, version } = await waybill.processes.deployProcess({
    bpmn: new File([await text("loan_application.bpmn").bytes()], "loan_application.bpmn"),
    form: await Promise.all(forms.map(async (name) => new File([await text(name).bytes()], name))),
  });
  say(`deployed ${process_key}, version ${version}`);
  await waybill.integration.putAddon({
    key: "credit-score",
    newAddon: { url: `http://127.0.0.1:${port}/score` },
  });

  const documents = {
    identity_card: await upload("card.png"),
    income_statement: await upload("statement.pdf"),
  };
  say("uploaded two drafts");

  say("\nJane asks for 20,000:");
  const jane = await start({ applicant: "Jane Elizabeth Doe", amount: 20_000, ...documents });
  say(`  the instance is ${await settled(jane)}`);

  say("\nJoe asks for 200,000, which core banking refuses; the boundary event sends it back to him:");
  const again = { identity_card: await upload("card.png"), income_statement: await upload("statement.pdf") };
  const joe = await start({ applicant: "Joe Doe", amount: 200_000, ...again });
  await complete(joe, { amount: 90_000 });
  say("  he asks for 90,000 instead; his points are low, so somebody reviews it:");
  await complete(joe, { approved: true });
  say(`  the instance is ${await settled(joe)}`);
} finally {
  await receiver.stop(true);
  await server?.stop();
}

async function startOwn(name: string) {
  const address = name === "operaton" ? "http://127.0.0.1:8080/engine-rest" : name;
  say(`starting a Waybill server that works with ${address}`);
  return startEngineServer({ engine: address, receiverPort: port }).catch((error: Error) => {
    console.error(error.message);
    process.exit(1);
  });
}

async function upload(name: string): Promise<string> {
  const file = new File([await text(name).bytes()], name);
  const fieldName = name === "card.png" ? "identity_card" : "income_statement";
  const metadata = await waybill.attachments.uploadAttachment({
    file,
    processKey: "loan_application",
    fieldName,
  });
  return JSON.stringify(metadata);
}

async function start(values: Readonly<Record<string, unknown>>): Promise<string> {
  const variables = variablesOf(values);
  const instance = await waybill.processes.startProcessInstance({
    newProcessInstance: { process_key: "loan_application", variables },
  });
  return instance.process_instance_id;
}

/** Waits for the instance's next task and completes it. */
async function complete(processInstanceId: string, values: Readonly<Record<string, unknown>>): Promise<void> {
  for (;;) {
    const [task] = await waybill.tasklist.listTasks({ processInstanceId });
    if (task) {
      say(`  task: ${task.name}`);
      await waybill.tasklist.completeTask({
        taskId: task.task_id,
        taskCompletion: { variables: variablesOf(values) },
      });
      return;
    }
    await requireNoIncident(processInstanceId);
    await Bun.sleep(100);
  }
}

async function settled(processInstanceId: string): Promise<string> {
  for (;;) {
    const { state } = await waybill.processes.getProcessInstance({ processInstanceId });
    if (state === "completed") return state;
    await requireNoIncident(processInstanceId);
    await Bun.sleep(100);
  }
}

async function requireNoIncident(processInstanceId: string): Promise<void> {
  const [incident] = await waybill.incidents.listIncidents({ processInstanceId });
  if (incident) throw new Error(`Activity ${incident.activity_id} failed: ${incident.message}`);
}

function variablesOf(values: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]));
}

async function signedToken(): Promise<string> {
  const command = [
    "run",
    "--silent",
    "token",
    "--tenant",
    "1",
    "--slug",
    tenant,
    "--user",
    "alice",
    "--role",
    "admin_sop",
  ];
  const env = { ...process.env, ...(server ? { DATA_DIR: server.dataDir } : {}) };
  const child = Bun.spawn([process.execPath, ...command], { env, stdout: "pipe", stderr: "inherit" });
  return (await new Response(child.stdout).text()).trim();
}
