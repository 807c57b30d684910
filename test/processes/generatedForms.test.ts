/** Forms that a model defines in `camunda:formData` are served like uploaded ones. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { Configuration, FormSessionsApi } from "../../sdk/src/generated/index.ts";
import { end, flow, model, start, userTask } from "../support/bpmn.ts";
import { expectProblem } from "../support/problem.ts";
import { completeTask, deploy, freshKey, reaches, startInstance, tasksOf } from "../support/processes.ts";
import { startServer, type TestServer } from "../support/server.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const withFields = (element: string, fields: string, data = "") =>
  element.replace(
    /\/>$/,
    `><extensionElements><camunda:formData ${data}>${fields}</camunda:formData></extensionElements></X>`.replace(
      "X",
      /^<(\w+)/.exec(element)?.[1] ?? "",
    ),
  );

const amount = `<camunda:formField id="amount" label="Amount" type="long" defaultValue="1000">
<camunda:validation><camunda:constraint name="required"/></camunda:validation></camunda:formField>`;
const decision = `<camunda:formField id="decision" type="enum"><camunda:value id="yes" name="Approve"/>
<camunda:value id="no" name="Refuse"/></camunda:formField>`;

const application = (key: string) =>
  model(
    key,
    [
      withFields(start(), amount),
      withFields(userTask("review"), decision),
      end(),
      flow("start", "review", "end"),
    ].join("\n"),
  );

const startForm = {
  id: "formData:start",
  type: "default",
  schemaVersion: 18,
  components: [
    {
      id: "field_1",
      key: "amount",
      type: "number",
      label: "Amount",
      decimalDigits: 0,
      defaultValue: 1000,
      validate: { required: true },
    },
  ],
};

test("the start form and the task form are those of the model, in either namespace", async () => {
  for (const from of ["camunda", "operaton"]) {
    const key = freshKey();
    const bpmn = application(key).replaceAll("camunda", from);
    expect((await deploy(server, bpmn)).warnings).toEqual([]);
    const api = await server.processes({ user: "bob", roles: ["member"] });
    const of = { xActiveTenant: "tenant-1", processKey: key };
    expect((await api.getProcessDefinition(of)).start_form).toEqual(startForm);
    const { process_instance_id: id } = await startInstance(server, key, { variables: { amount: 5 } });
    const [task] = await tasksOf(server, id);
    expect(task?.form_key).toBe("formData:review");
    const tenant = { id: 1, slug: "tenant-1", schema: "tenant_1" };
    const form = task && (await server.deps.engine.findTaskForm(tenant, task));
    expect(form).toMatchObject({ components: [{ key: "decision", type: "select", label: "decision" }] });
    await completeTask(server, task?.task_id ?? "", { variables: { decision: "yes" } });
    await reaches(server, id, "completed");
  }
});

test("a visitor gets the form, and can send its fields only", async () => {
  const process_key = freshKey();
  await deploy(server, application(process_key));
  const forms = await server.formSessions();
  const { embed_id } = await forms.createEmbed({ xActiveTenant: "tenant-1", newEmbed: { process_key } });
  const visitors = new FormSessionsApi(new Configuration({ basePath: server.url }));
  const { form_token: apiKey } = await visitors.createFormSession({ newFormSession: { embed_id } });
  const api = new FormSessionsApi(new Configuration({ basePath: server.url, apiKey }));
  expect((await api.getStartForm()).form).toEqual(startForm);
  const send = (variables: object) =>
    server.request("/api/v1/probis/public/process-instances", {
      method: "POST",
      headers: { "x-probis-form-token": apiKey },
      body: JSON.stringify({ variables }),
    });
  const { errors } = await expectProblem(await send({ decision: { value: "yes" } }), "invalid_variable");
  expect(errors).toMatchObject([{ pointer: "/variables/decision" }]);
  expect((await send({ amount: { value: 2000 } })).status).toBe(201);
});

test("what the form cannot have is a warning with its line, and the rest is served", async () => {
  const key = freshKey();
  const fields = `${amount}<camunda:formField id="contract" type="file"/>`;
  const elements = [
    withFields(start(), fields, 'businessKey="amount"'),
    withFields(userTask("review", 'camunda:formRef="uploaded"'), decision),
    withFields('<task id="t"/>', '<camunda:formField id="other" type="string"/>'),
    end(),
    flow("start", "review", "t", "end"),
  ];
  const uploaded = { id: "uploaded", components: [{ type: "textfield", key: "remark" }] };
  const { warnings } = await deploy(server, model(key, elements.join("\n")), { forms: [uploaded] });
  expect(warnings).toEqual([
    expect.stringMatching(/^Line \d+, "start": The businessKey/),
    expect.stringMatching(/^Line \d+, "start": The form field "contract" is left out: its type "file"/),
    expect.stringMatching(/^Line \d+, "review": camunda:formData is ignored, because/),
    expect.stringMatching(/^Line \d+, "t": camunda:formData is ignored. Only/),
  ]);
  const { process_instance_id } = await startInstance(server, key);
  expect((await tasksOf(server, process_instance_id))[0]?.form_key).toBe("uploaded");
});

test("an uploaded form cannot have the id of a form of the model", async () => {
  const key = freshKey();
  const refused = deploy(server, application(key), { forms: [{ ...startForm }] });
  await expect(refused).rejects.toMatchObject({ response: { status: 400 } });
});

test("two forms may have the same fields and choices", async () => {
  const key = freshKey();
  const ids = ["first", "second"];
  const tasks = ids.map((id) => withFields(userTask(id), decision));
  const bpmn = model(key, [start(), ...tasks, end(), flow("start", ...ids, "end")].join("\n"));
  expect((await deploy(server, bpmn)).warnings).toEqual([]);
  const { process_instance_id } = await startInstance(server, key);
  for (const id of ids) {
    const [task] = await tasksOf(server, process_instance_id);
    expect(task?.form_key).toBe(`formData:${id}`);
    await completeTask(server, task?.task_id ?? "", { variables: { decision: "no" } });
  }
});
