/** Everything that a form's page needs, also after a reload. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { Configuration, FormSessionsApi, PublicAttachmentsApi } from "../../../sdk/src/generated/index.ts";
import { fixture, freshAddress, trustingLoopback } from "../../support/attachments.ts";
import { end, flow, model, start } from "../../support/bpmn.ts";
import { expectProblem } from "../../support/problem.ts";
import { deploy, freshKey } from "../../support/processes.ts";
import { startServer, type TestServer } from "../../support/server.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ environment: trustingLoopback });
});
afterAll(() => server.stop());

const form = { id: "apply", type: "default", components: [{ type: "filepicker", key: "card" }] };

async function open(
  process_key: string,
): Promise<{ api: FormSessionsApi; attachments: PublicAttachmentsApi }> {
  const forms = await server.formSessions();
  const { embed_id } = await forms.createEmbed({ xActiveTenant: "tenant-1", newEmbed: { process_key } });
  const options = { basePath: server.url, headers: { "X-Forwarded-For": freshAddress() } };
  const { form_token: apiKey } = await new FormSessionsApi(new Configuration(options)).createFormSession({
    newFormSession: { embed_id },
  });
  const configuration = new Configuration({ ...options, apiKey });
  return { api: new FormSessionsApi(configuration), attachments: new PublicAttachmentsApi(configuration) };
}

test("it answers the form, the limits with what is left of them, and this session's drafts", async () => {
  const key = freshKey();
  const bpmn = model(
    key,
    [start("start", 'camunda:formRef="apply"'), end(), flow("start", "end")].join("\n"),
  );
  await deploy(server, bpmn, { forms: [form] });
  const [mine, other] = [await open(key), await open(key)];
  const file = await fixture("pillow.png");
  const metadata = await mine.attachments.uploadPublicAttachment({ file, fieldName: "card" });
  await other.attachments.uploadPublicAttachment({ file, fieldName: "card" });
  const limit = 10 * 1024 ** 2;
  expect(await mine.api.getStartForm()).toEqual({
    process_key: key,
    name: `Process ${key}`,
    form,
    expires_at: expect.any(String),
    limits: {
      extensions: ["jpg", "jpeg", "png", "pdf", "docx", "xlsx"],
      max_file_bytes: limit,
      max_files: 10,
      max_total_bytes: 2 * limit,
      files_left: 9,
      bytes_left: 2 * limit - metadata.size,
    },
    drafts: [{ field_name: "card", metadata }],
    process_instance_id: null,
  });
  await mine.attachments.deletePublicAttachment({ attachmentId: metadata.attachment_id });
  expect((await mine.api.getStartForm()).drafts).toEqual([]);
  const { process_instance_id } = await mine.api.startPublicProcess({ visitorStart: {} });
  expect((await mine.api.getStartForm()).process_instance_id).toBe(process_instance_id);
});

test("a process that is not deployed answers 404, and a request without a form token 401", async () => {
  const { api } = await open("nothing");
  expect(api.getStartForm()).rejects.toMatchObject({ response: { status: 404 } });
  const path = `${server.url}/api/v1/probis/public/start-form`;
  await expectProblem(await fetch(path), "unauthenticated");
});
