/**
 * What schemathesis.toml names, made beforehand: `bun .ci/seed.ts <url> <token> <dictionary>`. Tables with rows,
 * attachments, whose ids go into the dictionary, and a form session, whose token it prints.
 */
import { AttachmentsApi, Configuration, FormSessionsApi, TablesApi } from "../sdk/src/generated/index.ts";

const [basePath = "", accessToken = "", dictionary = ""] = process.argv.slice(2);
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
await Bun.write(dictionary, ids.map((id) => `"${id}"\n`).join(""));

const forms = new FormSessionsApi(configuration);
const embed = await forms.createEmbed({
  xActiveTenant: "demo",
  newEmbed: { process_key: "loan_application" },
});
const session = await forms.createFormSession({ newFormSession: { embed_id: embed.embed_id } });
console.log(session.form_token);
