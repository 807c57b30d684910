/** The element templates for Camunda Modeler: the loan application is drawn with them, deployed and run. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { validate } from "@bpmn-io/element-templates-validator";
import { startReceiver } from "../../examples/loan-application/receiver.ts";
import { type ModelServiceTask, readOutline } from "../../src/processes/bpmn/modelOutline.ts";
import { parseServiceTask } from "../../src/processes/delivery/serviceTask.ts";
import { upload } from "../support/attachments.ts";
import { type ElementTemplate, openModel } from "../support/modeler.ts";
import {
  allowLoopback,
  completeTask,
  deploy,
  reaches,
  startInstance,
  tasksOf,
} from "../support/processes.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);
const root = join(import.meta.dir, "../..");
const read = (path: string) => Bun.file(join(root, path));
const apiCall: ElementTemplate = await read("deploy/element-templates/api-call.json").json();
const addon: ElementTemplate = await read("deploy/element-templates/addon.json").json();
const loan = await read("examples/loan-application/loan_application.bpmn").text();

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ environment: allowLoopback });
});
afterAll(() => server.stop());

/** The loan application as it is before its service tasks are configured: they are plain tasks. */
const sketch = loan.replaceAll(
  /<bpmn:serviceTask (id="\w+" name="[^"]*").*?<\/bpmn:serviceTask>/gs,
  "<bpmn:task $1 />",
);

/** Draws the service tasks as a person does, with the fields of the templates. */
async function draw(url: string): Promise<string> {
  expect(sketch.match(/<bpmn:task /g)).toHaveLength(2);
  const drawing = await openModel(sketch, [apiCall, addon]);
  const core = drawing.select("send_to_core");
  core.applyTemplate(apiCall);
  core.fill("URL", `${url}/core/applications`);
  core.fill(
    "Body",
    [
      '{ "applicant": "${applicant}", "amount": ${amount}, "identity_card": "${identity_card}"',
      '"income_statement": "${income_statement}" }',
    ].join(", "),
  );
  core.fill("Time limit in seconds", "20");
  core.fill("Result variable", "core");
  core.fill("If the integration refuses (HTTP 400 and above)", "Throw a BPMN error");
  core.addProperty("header.X-Channel", "waybill");
  const score = drawing.select("score_applicant");
  score.applyTemplate(addon);
  score.fill("Addon", "credit-score");
  score.fill("Parameters", '{ "name": "${applicant}", "document": "${identity_card}" }');
  score.fill("Result variable", "score");
  return drawing.save();
}

const serviceTasksOf = (bpmn: string) => {
  const outline = readOutline(bpmn);
  return "fault" in outline ? [] : outline.serviceTasks;
};

const configsOf = (bpmn: string) =>
  serviceTasksOf(bpmn)
    .map(({ activityId, topic, properties }) => ({ activityId, ...parseServiceTask(topic, properties) }))
    .sort((a, b) => a.activityId.localeCompare(b.activityId));

test("the templates are valid, and have a field for each property of their topic", () => {
  for (const [template, topic] of [
    [apiCall, "api-call"],
    [addon, "addon"],
  ] as const) {
    const { valid, errors } = validate(template);
    expect({ valid, errors: errors ?? [] }).toEqual({ valid: true, errors: [] });
    const names = template.properties
      .filter(({ binding }) => binding.type === "camunda:property")
      .map(({ binding }) => binding.name);
    const properties = Object.fromEntries(names.map((name) => [name, ""]));
    const parsed = parseServiceTask(topic, properties);
    expect("faults" in parsed ? parsed.faults.filter((fault) => fault.includes("unknown")) : []).toEqual([]);
    const missing = documented(topic).filter((name) => !names.includes(name));
    expect(missing).toEqual([]);
  }
});

const guide = await read("docs/service-tasks.md").text();

/** The properties of the topic in the guide's table, without those whose names a person chooses. */
const documented = (topic: ModelServiceTask["topic"]) =>
  [...guide.matchAll(/^\| `([\w.<>]+)` \| (`api-call`|`addon`|both) \|/gm)].flatMap(([, name = "", of]) =>
    !name.includes("<") && (of === "both" || of === `\`${topic}\``) ? [name] : [],
  );

test("a task with a template and nothing else has faults for what is missing only", async () => {
  const drawing = await openModel(sketch, [apiCall, addon]);
  drawing.select("send_to_core").applyTemplate(apiCall);
  drawing.select("score_applicant").applyTemplate(addon);
  expect(configsOf(await drawing.save())).toEqual([
    {
      activityId: "score_applicant",
      faults: ['A task with the topic "addon" needs the property "addon" with the key of the addon.'],
    },
    { activityId: "send_to_core", faults: ['An API call needs a "url".'] },
  ]);
});

test("the loan application that is drawn with the templates means the same as the one of the example", async () => {
  expect(configsOf(await draw("http://127.0.0.1:4000"))).toEqual(configsOf(loan));
});

test("it is deployed and runs: refused, corrected, scored and reviewed", async () => {
  const log: string[] = [];
  const receiver = startReceiver(0, (line) => log.push(line));
  const url = `http://127.0.0.1:${receiver.port}`;
  const forms = ["loan_application", "correct_application", "review_application"].map((name) =>
    read(`examples/loan-application/${name}.form`).json(),
  );
  const { warnings } = await deploy(server, await draw(url), { forms: await Promise.all(forms) });
  expect(warnings).toEqual([]);
  const integration = await server.integration();
  await integration.putAddon({
    xActiveTenant: "tenant-1",
    key: "credit-score",
    newAddon: { url: `${url}/score` },
  });
  const card = JSON.stringify(await upload(server));
  const statement = JSON.stringify(await upload(server));
  const variables = { applicant: "Joe", amount: 200_000, identity_card: card, income_statement: statement };
  const { process_instance_id: id } = await startInstance(server, "loan_application", { variables });
  for (const values of [{ amount: 90_000 }, { approved: true }]) {
    await until(async () => (await tasksOf(server, id)).length === 1);
    const [task] = await tasksOf(server, id);
    await completeTask(server, task?.task_id ?? "", { variables: values });
  }
  await reaches(server, id, "completed");
  receiver.stop(true);
  expect(log.filter((line) => line.startsWith("/core/applications"))).toHaveLength(4);
  expect(log.filter((line) => line.startsWith("/score"))).toHaveLength(1);
});
