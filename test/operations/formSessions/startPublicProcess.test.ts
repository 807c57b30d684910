/** A visitor starts a process, once a session, and only with files from this session. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  Configuration,
  type FormSession,
  FormSessionsApi,
  PublicAttachmentsApi,
} from "../../../sdk/src/generated/index.ts";
import { fixture, freshAddress, trustingLoopback, upload } from "../../support/attachments.ts";
import { end, flow, model, start, userTask } from "../../support/bpmn.ts";
import { expectProblem } from "../../support/problem.ts";
import { deploy, freshKey, tasksOf } from "../../support/processes.ts";
import { startServer, type TestServer } from "../../support/server.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ environment: trustingLoopback });
});
afterAll(() => server.stop());

const name = { type: "textfield", key: "name" };
const card = { type: "filepicker", key: "card", multiple: true };

async function deployForm(key: string, components: readonly object[]): Promise<void> {
  const parts = [start("start", 'camunda:formRef="loan"'), userTask("a"), end(), flow("start", "a", "end")];
  await deploy(server, model(key, parts.join("\n")), { forms: [{ id: "loan", components }] });
}

async function embed(): Promise<{ key: string; open(): Promise<FormSession> }> {
  const key = freshKey("loan");
  await deployForm(key, [name, card]);
  const forms = await server.formSessions();
  const { embed_id } = await forms.createEmbed({ xActiveTenant: "tenant-1", newEmbed: { process_key: key } });
  const headers = { "X-Forwarded-For": freshAddress() };
  const visitor = new FormSessionsApi(new Configuration({ basePath: server.url, headers }));
  return { key, open: () => visitor.createFormSession({ newFormSession: { embed_id } }) };
}

const begin = (formToken: string, variables: object, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/api/v1/probis/public/process-instances`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "X-Probis-Form-Token": formToken,
      "X-Forwarded-For": freshAddress(),
      ...headers,
    },
    body: JSON.stringify({ variables }),
  });

const uploadAs = async (formToken: string) => {
  const headers = { "X-Forwarded-For": freshAddress() };
  const api = new PublicAttachmentsApi(
    new Configuration({ basePath: server.url, apiKey: formToken, headers }),
  );
  return api.uploadPublicAttachment({ file: await fixture("pillow.png"), fieldName: "card" });
};

test("the process starts with the visitor's own drafts and binds them", async () => {
  const form = await embed();
  const { form_token } = await form.open();
  const card = await uploadAs(form_token);
  const answer = await begin(form_token, { name: { value: "Jane" }, card: { value: JSON.stringify(card) } });
  expect(answer.status).toBe(201);
  const instance = (await answer.json()) as { process_instance_id: string };
  expect(instance).toEqual({
    process_instance_id: expect.any(String),
    process_key: form.key,
    state: "active",
  } as never);
  const [row] = await server.sql`
    select state, process_instance_id from waybill.attachments where id = ${card.attachment_id}`;
  expect(row).toEqual({ state: "committed", process_instance_id: instance.process_instance_id });
  expect(await tasksOf(server, instance.process_instance_id)).toHaveLength(1);
});

test("a visitor cannot forge the metadata of a file", async () => {
  const form = await embed();
  const { form_token } = await form.open();
  const card = await uploadAs(form_token);
  const forged = { ...card, file_name: "passport.pdf", mime_type: "application/pdf", size: 1 };
  const answer = await begin(form_token, { card: { value: JSON.stringify(forged) } });
  const { process_instance_id } = (await answer.json()) as { process_instance_id: string };
  const api = await server.processes();
  const target = { xActiveTenant: "tenant-1", processInstanceId: process_instance_id };
  expect((await api.getProcessVariables(target)).card?.value).toBe(JSON.stringify(card));
});

test("a session starts one process, also with simultaneous requests", async () => {
  const form = await embed();
  const { form_token } = await form.open();
  const answers = await Promise.all(Array.from({ length: 6 }, () => begin(form_token, {})));
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201));
  const ids = await Promise.all(
    answers.map(
      async (answer) => ((await answer.json()) as { process_instance_id: string }).process_instance_id,
    ),
  );
  expect(new Set(ids).size).toBe(1);
  const rows = await server.sql`select from waybill.process_instances where process_key = ${form.key}`;
  expect(rows).toHaveLength(1);
});

test("a repeated request gets the same answer, even if the form has lost a field", async () => {
  const form = await embed();
  const { form_token } = await form.open();
  const send = () => begin(form_token, { name: { value: "Jane" } });
  const first = await (await send()).json();
  await deployForm(form.key, [card]);
  const second = await send();
  expect(second.status).toBe(201);
  expect(await second.json()).toEqual(first);
});

test("with files of another session or of a user, nothing starts", async () => {
  const form = await embed();
  const [mine, other] = [await form.open(), await form.open()];
  const unbound = await upload(server);
  const api = await server.attachments();
  const finalization = { attachment_ids: [unbound.attachment_id] };
  await api.finalizeAttachments({ xActiveTenant: "tenant-1", finalization });
  const foreign = [await uploadAs(other.form_token), await upload(server), unbound];
  for (const metadata of foreign) {
    const answer = await begin(mine.form_token, { card: { value: JSON.stringify(metadata) } });
    await expectProblem(answer, "not_committed");
  }
  expect(
    await server.sql`select from waybill.process_instances where process_key = ${form.key}`,
  ).toHaveLength(0);
});

test("without a valid form token nothing starts; tenant and process cannot be chosen", async () => {
  const form = await embed();
  const { form_token } = await form.open();
  await expectProblem(await begin("nonsense", {}), "unauthenticated");
  await expectProblem(await begin(await server.token(), {}), "unauthenticated");
  const chosen = await fetch(`${server.url}/api/v1/probis/public/process-instances`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "X-Probis-Form-Token": form_token,
      "X-Forwarded-For": freshAddress(),
    },
    body: JSON.stringify({ process_key: "other", tenant_id: 2, variables: {} }),
  });
  await expectProblem(chosen, "invalid_body");
});

test("a file inside of a variable is refused, because it was not inspected", async () => {
  const form = await embed();
  const { form_token } = await form.open();
  const file = { type: "File", value: "aGVsbG8=", valueInfo: { filename: "macro.docm" } };
  const problem = await expectProblem(await begin(form_token, { card: file }), "invalid_variable");
  expect(problem.errors?.[0]?.pointer).toBe("/variables/card/type");
});

test("with variables that the form does not define, nothing starts", async () => {
  const form = await embed();
  const { form_token } = await form.open();
  const variables = { name: { value: "Jane" }, approved: { value: true }, score: { value: 999 } };
  const problem = await expectProblem(await begin(form_token, variables), "invalid_variable");
  expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(["/variables/approved", "/variables/score"]);
  const rows = await server.sql`select from waybill.process_instances where process_key = ${form.key}`;
  expect(rows).toHaveLength(0);
  expect((await begin(form_token, { name: { value: "Jane" } })).status).toBe(201);
});

test("an address may start thirty processes a minute", async () => {
  const form = await embed();
  const { form_token } = await form.open();
  const headers = { "X-Forwarded-For": freshAddress() };
  const answers = await Promise.all(Array.from({ length: 31 }, () => begin(form_token, {}, headers)));
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
});
