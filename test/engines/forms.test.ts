/** Visitors start processes: by an embedded form, once a session, with what its form asks for and its own files. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  Configuration,
  type FormSession,
  FormSessionsApi,
  PublicAttachmentsApi,
} from "../../sdk/src/generated/index.ts";
import { fixture, freshAddress, trustingLoopback, upload } from "../support/attachments.ts";
import { end, flow, start, userTask } from "../support/bpmn.ts";
import { expectProblem } from "../support/problem.ts";
import { startWorld, type World } from "./world.ts";

setDefaultTimeout(60_000);
let world: World;
beforeAll(async () => {
  world = await startWorld({ environment: trustingLoopback });
});
afterAll(() => world.stop());

const name = { type: "textfield", key: "name" };
const card = { type: "filepicker", key: "card", multiple: true };
const elements = [
  start("start", 'camunda:formRef="loan" camunda:formRefBinding="deployment"'),
  userTask("a"),
  end(),
  flow("start", "a", "end"),
];
const formOf = (components: readonly object[]) => ({ id: "loan", type: "default", components });

interface Embed {
  readonly key: string;
  open(): Promise<FormSession>;
}

async function embed(key?: string): Promise<Embed> {
  const deployed = key ?? (await world.deploy(elements, { forms: [formOf([name, card])] }));
  const forms = await world.server.formSessions(world.admin);
  const { embed_id } = await forms.createEmbed({
    xActiveTenant: world.admin.slug,
    newEmbed: { process_key: deployed },
  });
  return {
    key: deployed,
    open: () => visitor().createFormSession({ newFormSession: { embed_id } }),
  };
}

const settings = (apiKey = "") => {
  const headers = { "X-Forwarded-For": freshAddress() };
  return new Configuration({ basePath: world.server.url, headers, apiKey });
};
const visitor = (formToken?: string) => new FormSessionsApi(settings(formToken));

const begin = (formToken: string, variables: object) =>
  fetch(`${world.server.url}/api/v1/probis/public/process-instances`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "X-Probis-Form-Token": formToken,
      "X-Forwarded-For": freshAddress(),
    },
    body: JSON.stringify({ variables }),
  });
const idOf = async (answer: Response) =>
  ((await answer.json()) as { process_instance_id: string }).process_instance_id;

const uploadAs = async (formToken: string) =>
  new PublicAttachmentsApi(settings(formToken)).uploadPublicAttachment({
    file: await fixture("pillow.png"),
    fieldName: "card",
  });

const count = async (processDefinitionKey: string) => {
  const reports = await world.server.reports(world.admin);
  return (await reports.listReportInstances({ tenantId: 1, processDefinitionKey })).data.total;
};

test("a visitor gets the form of the latest version, and later the instance that the session has started", async () => {
  const { key, open } = await embed();
  const { form_token } = await open();
  const before = await visitor(form_token).getStartForm();
  expect(before).toMatchObject({
    process_key: key,
    name: `Process ${key}`,
    form: formOf([name, card]),
    process_instance_id: null,
  });
  const id = await idOf(await begin(form_token, { name: { value: "Jane" } }));
  expect((await visitor(form_token).getStartForm()).process_instance_id).toBe(id);
  expect(await world.instance(id)).toMatchObject({ process_key: key, state: "active" });
});

test("the process starts with the visitor's own files and binds them, and nobody is its starter", async () => {
  const { key, open } = await embed();
  const { form_token } = await open();
  const metadata = await uploadAs(form_token);
  const forged = { ...metadata, file_name: "passport.pdf", size: 1 };
  const answer = await begin(form_token, {
    name: { value: "Jane" },
    card: { value: JSON.stringify(forged) },
  });
  expect(answer.status).toBe(201);
  const id = await idOf(answer);
  const [row] = await world.server.sql`
    select state, process_instance_id from waybill.attachments where id = ${metadata.attachment_id}`;
  expect(row).toEqual({ state: "committed", process_instance_id: id } as never);
  expect((await world.variables(id)).card?.value).toBe(JSON.stringify(metadata));
  expect(await world.tasks(id)).toMatchObject([{ activity_id: "a", process_key: key }]);
  const reports = await world.server.reports(world.admin);
  const { data } = await reports.listReportInstances({ tenantId: 1, processDefinitionKey: key });
  expect(data.instances).toMatchObject([{ process_instance_id: id, started_by: null }]);
});

test("a visitor is no initiator: the variable is null, and a task for it waits for an administrator", async () => {
  const started = elements[0]?.replace("<startEvent ", '<startEvent camunda:initiator="starter" ') ?? "";
  const review = userTask("a", 'camunda:assignee="${starter}"');
  const key = await world.deploy([started, review, ...elements.slice(2)], { forms: [formOf([name])] });
  const { form_token } = await (await embed(key)).open();
  const id = await idOf(await begin(form_token, {}));
  expect((await world.variables(id)).starter).toMatchObject({ type: "Null", value: null });
  const { task_id, assignee } = await world.task(id);
  expect(assignee).toBeNull();
  const claimed = await world.request(`/api/v1/tasklist/tasks/${task_id}/claim`, {
    method: "POST",
    by: world.member(),
  });
  await expectProblem(claimed, "task_not_yours");
});

test("a session starts one process, also with simultaneous requests", async () => {
  const { key, open } = await embed();
  const { form_token } = await open();
  const answers = await Promise.all(Array.from({ length: 6 }, () => begin(form_token, {})));
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201));
  expect(new Set(await Promise.all(answers.map(idOf))).size).toBe(1);
  expect(await count(key)).toBe(1);
});

test("a repeated request gets the same answer, even if the form has lost a field", async () => {
  const { key, open } = await embed();
  const { form_token } = await open();
  const first = await idOf(await begin(form_token, { name: { value: "Jane" } }));
  await world.deploy(elements, { key, forms: [formOf([card])] });
  const again = await begin(form_token, { name: { value: "Jane" } });
  expect(again.status).toBe(201);
  expect(await idOf(again)).toBe(first);
});

test("with files of others or with variables that the form does not define, nothing starts", async () => {
  const { key, open } = await embed();
  const [mine, other] = [await open(), await open()];
  const foreign = [await uploadAs(other.form_token), await upload(world.server, { by: world.admin })];
  for (const metadata of foreign) {
    const refused = await begin(mine.form_token, { card: { value: JSON.stringify(metadata) } });
    await expectProblem(refused, "not_committed");
  }
  const more = { name: { value: "Jane" }, approved: { value: true } };
  const problem = await expectProblem(await begin(mine.form_token, more), "invalid_variable");
  expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(["/variables/approved"]);
  const file = { type: "File", value: "aGVsbG8=", valueInfo: { filename: "macro.docm" } };
  await expectProblem(await begin(mine.form_token, { card: file }), "invalid_variable");
  await expectProblem(await begin("nonsense", {}), "unauthenticated");
  expect(await count(key)).toBe(0);
});

test("a process that starts without a form takes no variables of a visitor", async () => {
  const key = await world.deploy([start(), userTask("a"), end(), flow("start", "a", "end")]);
  const { open } = await embed(key);
  const { form_token } = await open();
  expect((await visitor(form_token).getStartForm()).form).toBeNull();
  await expectProblem(await begin(form_token, { name: { value: "Jane" } }), "invalid_variable");
  expect((await begin(form_token, {})).status).toBe(201);
});

const withFields = (element: string, field: string) => {
  const [, type = ""] = /^<(\w+)/.exec(element) ?? [];
  const data = `<extensionElements><camunda:formData>${field}</camunda:formData></extensionElements>`;
  return element.replace(/\/>$/, `>${data}</${type}>`);
};

test("fields in the model are a form, for visitors and for tasks", async () => {
  const amount = '<camunda:formField id="amount" label="Amount" type="long"/>';
  const decision = '<camunda:formField id="decision" label="Decision" type="string"/>';
  const key = await world.deploy([
    withFields(start("start"), amount),
    withFields(userTask("review"), decision),
    end(),
    flow("start", "review", "end"),
  ]);
  const { open } = await embed(key);
  const { form_token } = await open();
  expect((await visitor(form_token).getStartForm()).form).toMatchObject({
    id: "formData:start",
    components: [{ key: "amount", type: "number", label: "Amount" }],
  });
  const refused = await begin(form_token, { decision: { value: "yes" } });
  await expectProblem(refused, "invalid_variable");
  const id = await idOf(await begin(form_token, { amount: { value: 5 } }));
  const { task_id, form_key } = await world.task(id, "review");
  expect(form_key).toBe("formData:review");
  const answer = await world.request(`/api/v1/tasklist/tasks/${task_id}/form`);
  expect(JSON.stringify(await answer.json())).toContain('"key":"decision"');
  await world.complete(task_id, { decision: "yes" });
  await world.reaches(id, "completed");
});
