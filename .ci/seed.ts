/**
 * What schemathesis.toml names, made beforehand: `bun .ci/seed.ts <url> <token> <folder>`. Tables with rows; attachments,
 * instances of a process and their tasks, whose ids go into dictionaries in the folder; and a form session, whose token
 * it prints.
 */
import { join } from "node:path";
import {
  AttachmentsApi,
  Configuration,
  FormSessionsApi,
  IntegrationApi,
  ProcessesApi,
  TablesApi,
  TasklistApi,
} from "../sdk/src/generated/index.ts";

const [basePath = "", accessToken = "", folder = ""] = process.argv.slice(2);
const xActiveTenant = "demo";
const writeDictionary = (name: string, values: readonly string[]) =>
  Bun.write(join(folder, `${name}.dict`), values.map((value) => `"${value}"\n`).join(""));
const configuration = new Configuration({ basePath, accessToken });

const tables = new TablesApi(configuration);
const types = ["text", "integer", "bigint", "numeric", "boolean", "date", "timestamp", "jsonb"] as const;
for (const name of ["customers", "loans", "parcels", "visits"]) {
  const columns = types.map((type) => ({ name: `a_${type}`, type }));
  await tables.createTable({ tenantId: 1, newTable: { name, columns } });
  const row = { a_text: "Siti Rahma", a_numeric: "12500000.50", a_jsonb: { city: "Bandung" } };
  await tables.insertRows({ tenantId: 1, table: name, newRows: { rows: [row, { ...row, a_text: "Budi" }] } });
}

const attachments = new AttachmentsApi(configuration);
const png = await Bun.file(`${import.meta.dir}/../test/fixtures/content/pillow.png`).bytes();
const ids: string[] = [];
for (const name of ["draft", "kept", "other"]) {
  const file = new File([png], `${name}.png`, { type: "image/png" });
  const upload = { xActiveTenant: "demo", file, processKey: "loan_application", fieldName: "identity_card" };
  ids.push((await attachments.uploadAttachment(upload)).attachment_id);
}
const finalization = { attachment_ids: ids.slice(1), process_instance_id: "4711", task_id: "4712" };
await attachments.finalizeAttachments({ xActiveTenant: "demo", finalization });
await writeDictionary("attachments", ids);

const bpmn = `<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" id="d" targetNamespace="x">
<process id="loan_application" isExecutable="true"><startEvent id="start"/><userTask id="review"/><endEvent id="end"/>
<sequenceFlow id="a" sourceRef="start" targetRef="review"/><sequenceFlow id="b" sourceRef="review" targetRef="end"/>
</process></definitions>`;
const processes = new ProcessesApi(configuration);
await processes.deployProcess({ xActiveTenant, bpmn: new File([bpmn], "loan.bpmn") });
const old = { value: "aGVsbG8=", type: "File", valueInfo: { filename: "old.txt" } } as const;
const instances: string[] = [];
for (let n = 0; n < 8; n++) {
  const newProcessInstance = { process_key: "loan_application", variables: { contract: old } };
  instances.push(
    (await processes.startProcessInstance({ xActiveTenant, newProcessInstance })).process_instance_id,
  );
}
await writeDictionary("instances", instances);
const tasks = await new TasklistApi(configuration).listTasks({ xActiveTenant });
await writeDictionary(
  "tasks",
  tasks.map(({ task_id }) => task_id),
);
const newAddon = { url: "https://score.example/addon" };
await new IntegrationApi(configuration).putAddon({ xActiveTenant, key: "credit-score", newAddon });

const forms = new FormSessionsApi(configuration);
const embed = await forms.createEmbed({
  xActiveTenant: "demo",
  newEmbed: { process_key: "loan_application" },
});
const session = await forms.createFormSession({ newFormSession: { embed_id: embed.embed_id } });
console.log(session.form_token);
