/** Instances start with all of their variables and attachments, or not at all. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { fixture, member, upload } from "../../support/attachments.ts";
import { conditionalFlow, end, flow, model, start, userTask } from "../../support/bpmn.ts";
import { expectProblem } from "../../support/problem.ts";
import { deploy, freshKey, reaches, startInstance, stateOf, tasksOf } from "../../support/processes.ts";
import { startServer, type TestServer } from "../../support/server.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const path = "/api/v1/probis/process-instances";
const headers = { "x-active-tenant": "tenant-1" };
const send = (body: unknown) => server.request(path, { method: "POST", headers, body: JSON.stringify(body) });

async function deployReview(key = freshKey()): Promise<string> {
  await deploy(
    server,
    model(key, [start(), userTask("review"), end(), flow("start", "review", "end")].join("\n")),
  );
  return key;
}

const rowsOf = async (processKey: string) => {
  const [row] = await server.sql`
    select count(*)::int as count from waybill.process_instances where process_key = ${processKey}`;
  return row?.count;
};

test("an instance starts and waits at its user task", async () => {
  const key = await deployReview();
  const instance = await startInstance(server, key, { variables: { applicant: "Jane", amount: 25_000 } });
  expect(instance).toEqual({ process_instance_id: expect.any(String), process_key: key, state: "active" });
  expect(await tasksOf(server, instance.process_instance_id)).toMatchObject([
    { activity_id: "review", name: "Task review", process_key: key, form_key: null },
  ]);
});

test("each fault of a variable is reported once, with its pointer", async () => {
  const key = await deployReview();
  const variables = { a: { value: "x", type: "Object" }, b: { value: 1, typ: "Long" }, c: {} };
  const problem = await expectProblem(await send({ process_key: key, variables }), "invalid_body");
  expect(problem.errors?.map(({ pointer }) => pointer).toSorted()).toEqual([
    "/variables/a/type",
    "/variables/b/typ",
    "/variables/c/value",
  ]);
});

test("faults of the schema are reported together with those of the values", async () => {
  const key = await deployReview();
  const variables = {
    shape: { value: "x", type: "Object" },
    integer: { value: "12a", type: "Integer" },
    date: { value: "tomorrow", type: "Date" },
    file: { value: "no base64!", type: "File", valueInfo: { filename: "a.txt" } },
    well: { value: 1 },
  };
  const problem = await expectProblem(await send({ process_key: key, variables }), "invalid_body");
  expect(problem.errors?.map(({ pointer }) => pointer).toSorted()).toEqual([
    "/variables/date/value",
    "/variables/file/value",
    "/variables/integer/value",
    "/variables/shape/type",
  ]);
  for (const broken of [null, [], [1], "x", 1])
    await expectProblem(await send({ process_key: key, variables: broken }), "invalid_body");
});

test("an instance in which nothing waits is completed in the answer", async () => {
  const key = freshKey();
  await deploy(server, model(key, [start(), end(), flow("start", "end")].join("\n")));
  expect((await startInstance(server, key)).state).toBe("completed");
});

test("attachments that variables name are bound, with either key and as String or Json", async () => {
  const key = await deployReview();
  const by = member();
  const [one, two, three] = await Promise.all([
    upload(server, { by }),
    upload(server, { by }),
    upload(server, { by }),
  ]);
  const { attachment_id: id, ...rest } = two;
  const variables = {
    one: JSON.stringify(one),
    two: JSON.stringify({ id, ...rest }),
    three: { type: "Json", value: three },
  };
  const instance = await startInstance(server, key, { by, variables });
  const rows = await server.sql`
    select id::text, state, process_instance_id from waybill.attachments
    where id in (${one.attachment_id}, ${id}, ${three.attachment_id})`;
  expect(rows.map(({ state, process_instance_id }) => [state, process_instance_id])).toEqual(
    Array(3).fill(["committed", instance.process_instance_id]),
  );
});

test("file metadata in a variable is replaced by what the server knows", async () => {
  const key = await deployReview();
  const [card, scan, bare] = await Promise.all([upload(server), upload(server), upload(server)]);
  const forged = { file_name: "forged.pdf", mime_type: "application/pdf", size: 1 };
  const { file_name, mime_type, size } = card;
  const known = { file_name, mime_type, size };
  const metadata = (facts: object) => {
    const members = JSON.stringify(facts).slice(1, -1);
    return `{"n":12345678901234567890,"id":"${card.attachment_id}",${members},"more":{"size":1.10}}`;
  };
  const { process_instance_id: id } = await startInstance(server, key, {
    variables: {
      card: metadata(forged),
      scan: { type: "Json", value: { ...scan, ...forged } },
      bare: JSON.stringify({ id: bare.attachment_id, file_name: "" }),
      other: JSON.stringify({ id: "no UUID", ...forged }),
    },
  });
  const api = await server.processes();
  const variables = await api.getProcessVariables({ xActiveTenant: "tenant-1", processInstanceId: id });
  expect(variables).toMatchObject({
    card: { type: "String", value: metadata(known) },
    scan: { type: "Json", value: JSON.stringify(scan) },
    bare: { type: "String", value: JSON.stringify({ id: bare.attachment_id, ...known }) },
    other: { type: "String", value: JSON.stringify({ id: "no UUID", ...forged }) },
  });
  const shown = { filename: file_name, mime_type, size };
  const reports = await server.reports();
  const { data } = await reports.listReportInstances({ tenantId: 1, processDefinitionKey: key });
  expect(data.instances[0]?.variables).toMatchObject({ card: shown, scan: shown, bare: shown });
  const tasklist = await server.tasklist();
  const [task] = await tasksOf(server, id);
  const target = { xActiveTenant: "tenant-1", taskId: task?.task_id ?? "" };
  expect(await tasklist.getTaskVariables(target)).toMatchObject({ card: shown, scan: shown, bare: shown });
});

test("conditions see the server's file metadata from the first step", async () => {
  const key = freshKey();
  const gateway = '<exclusiveGateway id="decision" default="decision_review"/>';
  const flows = [
    flow("start", "decision", "review", "end"),
    conditionalFlow("decision", "end", "${card.size == 1}"),
  ];
  await deploy(server, model(key, [start(), gateway, userTask("review"), end(), ...flows].join("\n")));
  const card = { type: "Json", value: { ...(await upload(server)), size: 1 } };
  expect((await startInstance(server, key, { variables: { card } })).state).toBe("active");
});

test("an attachment that cannot be bound is a 409, and nothing starts or is bound", async () => {
  const key = await deployReview();
  const good = await upload(server);
  const foreign = await upload(server, { by: member("bob", 2) });
  const gone = { ...good, attachment_id: crypto.randomUUID() };
  for (const bad of [foreign, gone]) {
    const body = {
      process_key: key,
      variables: { good: { value: JSON.stringify(good) }, bad: { value: JSON.stringify(bad) } },
    };
    const problem = await expectProblem(await send(body), "not_committed");
    expect(problem).toMatchObject({ not_committed: [bad.attachment_id] });
  }
  expect(await rowsOf(key)).toBe(0);
  const [row] = await server.sql`select state from waybill.attachments where id = ${good.attachment_id}`;
  expect(row?.state).toBe("draft");
});

test("an attachment of another instance is a 409", async () => {
  const key = await deployReview();
  const metadata = JSON.stringify(await upload(server));
  await startInstance(server, key, { variables: { card: metadata } });
  const again = { process_key: key, variables: { card: { value: metadata } } };
  await expectProblem(await send(again), "not_committed");
  expect(await rowsOf(key)).toBe(1);
});

test("if two instances start with one attachment at the same time, one gets it", async () => {
  const key = await deployReview();
  const variables = { card: { value: JSON.stringify(await upload(server)) } };
  const answers = await Promise.all(Array.from({ length: 6 }, () => send({ process_key: key, variables })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  expect(await rowsOf(key)).toBe(1);
});

test("a process whose model fails in its first step does not start", async () => {
  const key = freshKey();
  const gateway = '<exclusiveGateway id="decision"/>';
  const flows = [flow("start", "decision"), conditionalFlow("decision", "end", "${amount > 5}")];
  await deploy(server, model(key, [start(), gateway, end(), ...flows].join("\n")));
  const problem = await expectProblem(
    await send({ process_key: key, variables: { amount: { value: 3 } } }),
    "process_failed",
  );
  expect(problem.message).toContain('"decision"');
  const unknown = await expectProblem(await send({ process_key: key }), "process_failed");
  expect(unknown.message).toContain("amount");
  expect(await rowsOf(key)).toBe(0);
  expect((await startInstance(server, key, { variables: { amount: 6 } })).state).toBe("completed");
});

const unfit = 'The time of "wait" is not a date or duration in ISO 8601.';
const none = "The value of the timer expression ${when} is neither a date nor a duration.";
test.each([
  ["soon", unfit],
  ["P1Y2X", unfit],
  ["2026-13-45T00:00:00Z", unfit],
  ["", none],
  [null, none],
  [60, none],
  ["P10000Y", 'The time of "wait" is after the year 9999.'],
  ["P999999Y", 'The time of "wait" is not a date or duration in ISO 8601.'],
])("a process with the timer %p does not start", async (when, reason) => {
  const key = freshKey();
  const timer = `
    <intermediateCatchEvent id="wait">
      <timerEventDefinition>
        <timeDuration xsi:type="tFormalExpression">\${when}</timeDuration>
      </timerEventDefinition>
    </intermediateCatchEvent>`;
  await deploy(server, model(key, [start(), timer, end(), flow("start", "wait", "end")].join("\n")));
  const body = { process_key: key, variables: { when: { value: when } } };
  const { message } = await expectProblem(await send(body), "process_failed");
  expect(message).toBe(reason);
  expect(await rowsOf(key)).toBe(0);
});

test("a loop in which nothing waits is refused quickly", async () => {
  const key = freshKey();
  const gateways = '<exclusiveGateway id="g" default="g_h"/><exclusiveGateway id="h" default="h_g"/>';
  const flows = [flow("start", "g", "h", "g"), conditionalFlow("h", "end", "${done}")];
  await deploy(server, model(key, [start(), gateways, end(), ...flows].join("\n")));
  const body = { process_key: key, variables: { done: { value: false } } };
  const problem = await expectProblem(await send(body), "process_failed");
  expect(problem.message).toContain("loop");
  expect((await startInstance(server, key, { variables: { done: true } })).state).toBe("completed");
});

test("a process that is not deployed in this tenant does not exist", async () => {
  const key = await deployReview();
  await expectProblem(await send({ process_key: "nothing" }), "process_not_found");
  const api = await server.processes({ user: "bob", tenant: 2, roles: ["admin_sop"] });
  const elsewhere = api.startProcessInstance({
    xActiveTenant: "tenant-2",
    newProcessInstance: { process_key: key },
  });
  expect(elsewhere).rejects.toMatchObject({ response: { status: 404 } });
});

test("all faults of variables are reported together, with their pointers", async () => {
  const key = await deployReview();
  const variables = {
    a: { value: "x", type: "Integer" },
    "b/c": { value: 1, type: "Boolean" },
    good: { value: 1 },
  };
  const problem = await expectProblem(await send({ process_key: key, variables }), "invalid_variable");
  expect(problem.errors?.map(({ pointer }) => pointer).sort()).toEqual([
    "/variables/a/value",
    "/variables/b~1c/value",
  ]);
  expect(await rowsOf(key)).toBe(0);
});

test("a new version is used by instances that start after it", async () => {
  const key = await deployReview();
  const old = await startInstance(server, key);
  const second = await deploy(server, model(key, [start(), end(), flow("start", "end")].join("\n")));
  expect(second.version).toBe(2);
  expect((await startInstance(server, key)).state).toBe("completed");
  expect(await stateOf(server, old.process_instance_id)).toBe("active");
});

test("a file of a real form goes from draft to variable to instance", async () => {
  const key = await deployReview();
  const metadata = await upload(server, { file: await fixture("libreoffice.pdf") });
  const { process_instance_id } = await startInstance(server, key, {
    variables: { doc: JSON.stringify(metadata) },
  });
  await reaches(server, process_instance_id, "active");
  const api = await server.processes();
  const variables = await api.getProcessVariables({
    xActiveTenant: "tenant-1",
    processInstanceId: process_instance_id,
  });
  expect(variables.doc).toEqual({ type: "String", value: JSON.stringify(metadata), valueInfo: {} });
});

test("a business key is kept as it was sent; one that cannot be is refused, together with the variables", async () => {
  const key = await deployReview();
  const { process_instance_id: processInstanceId } = await startInstance(server, key, {
    businessKey: "LN 2026/0815",
  });
  const api = await server.processes();
  expect(await api.getProcessInstance({ xActiveTenant: "tenant-1", processInstanceId })).toMatchObject({
    business_key: "LN 2026/0815",
  });
  for (const business_key of ["", "a\nb", "\u007f", "x".repeat(256), 7, null]) {
    const variables = { amount: { value: "many", type: "Long" } };
    const { errors } = await expectProblem(
      await send({ process_key: key, business_key, variables }),
      "invalid_body",
    );
    const pointers = (errors ?? []).map(({ pointer }) => pointer);
    expect(pointers).toContain("/business_key");
    expect(pointers).toContain("/variables/amount/value");
  }
  expect(await rowsOf(key)).toBe(1);
});
