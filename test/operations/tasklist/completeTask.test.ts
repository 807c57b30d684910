/** Completing a task writes its variables and moves the process on, or changes nothing. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { member, upload } from "../../support/attachments.ts";
import { boundaryTimer, conditionalFlow, end, flow, model, start, userTask } from "../../support/bpmn.ts";
import { expectProblem } from "../../support/problem.ts";
import {
  completeTask,
  deploy,
  freshKey,
  reaches,
  startInstance,
  stateOf,
  tasksOf,
} from "../../support/processes.ts";
import { startServer, type TestServer } from "../../support/server.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const complete = (taskId: string, body: unknown, tenant = "tenant-1") =>
  server.request(`/api/v1/tasklist/tasks/${taskId}/complete`, {
    method: "POST",
    headers: { "x-active-tenant": tenant },
    body: JSON.stringify(body),
  });

/** start → a → decision → b, or back to a. */
const loop = (key: string) =>
  model(
    key,
    [
      start(),
      userTask("a"),
      '<exclusiveGateway id="decision" default="decision_b"/>',
      userTask("b"),
      end(),
      flow("start", "a", "decision", "b", "end"),
      conditionalFlow("decision", "a", "${again}"),
    ].join("\n"),
  );

test("any member completes a task once, and its variables decide how the process continues", async () => {
  const key = freshKey();
  await deploy(server, loop(key));
  const { process_instance_id: id } = await startInstance(server, key);
  const [a] = await tasksOf(server, id);
  await completeTask(server, a?.task_id ?? "", { by: member(), variables: { again: true } });
  await expectProblem(await complete(a?.task_id ?? "", {}), "task_completed");
  const [again] = await tasksOf(server, id);
  expect(again?.activity_id).toBe("a");
  expect(again?.task_id).not.toBe(a?.task_id);
  await completeTask(server, again?.task_id ?? "", { variables: { again: false } });
  const [b] = await tasksOf(server, id);
  expect(b?.activity_id).toBe("b");
  await completeTask(server, b?.task_id ?? "");
  expect(await stateOf(server, id)).toBe("completed");
});

test("if many complete a task at the same time, one succeeds", async () => {
  const key = freshKey();
  await deploy(server, loop(key));
  const { process_instance_id: id } = await startInstance(server, key);
  const [a] = await tasksOf(server, id);
  const body = { variables: { again: { value: false } } };
  const answers = await Promise.all(Array.from({ length: 8 }, () => complete(a?.task_id ?? "", body)));
  expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array(7).fill(409)]);
  expect((await tasksOf(server, id)).map(({ activity_id }) => activity_id)).toEqual(["b"]);
});

test("attachments are bound to the instance and the task; if one cannot be, the task stays open", async () => {
  const key = freshKey();
  await deploy(server, loop(key));
  const { process_instance_id: id } = await startInstance(server, key);
  const taskId = (await tasksOf(server, id))[0]?.task_id ?? "";
  const gone = { attachment_id: crypto.randomUUID(), file_name: "gone.pdf" };
  const metadata = await upload(server);
  const both = { card: { value: JSON.stringify(metadata) }, gone: { value: JSON.stringify(gone) } };
  await expectProblem(
    await complete(taskId, { variables: { ...both, again: { value: true } } }),
    "not_committed",
  );
  expect((await tasksOf(server, id)).map(({ task_id }) => task_id)).toEqual([taskId]);
  await completeTask(server, taskId, { variables: { card: JSON.stringify(metadata), again: false } });
  const [row] = await server.sql`
    select state, process_instance_id, task_id from waybill.attachments where id = ${metadata.attachment_id}`;
  expect(row).toEqual({ state: "committed", process_instance_id: id, task_id: taskId });
});

test("file metadata in a variable is replaced by what the server knows, even if it is written again", async () => {
  const key = freshKey();
  await deploy(server, loop(key));
  const [card, scan] = await Promise.all([upload(server), upload(server)]);
  const forge = (metadata: object) => ({
    note: "kept",
    ...metadata,
    file_name: "forged.pdf",
    mime_type: "application/pdf",
    size: 1,
  });
  const first = { card: JSON.stringify(card) };
  const { process_instance_id: id } = await startInstance(server, key, { variables: first });
  const [task] = await tasksOf(server, id);
  const variables = {
    card: JSON.stringify(forge(card)),
    scan: { type: "Json", value: forge(scan) },
    again: false,
  };
  await completeTask(server, task?.task_id ?? "", { variables });
  const api = await server.processes();
  expect(await api.getProcessVariables({ xActiveTenant: "tenant-1", processInstanceId: id })).toMatchObject({
    card: { type: "String", value: JSON.stringify({ note: "kept", ...card }) },
    scan: { type: "Json", value: JSON.stringify({ note: "kept", ...scan }) },
  });
  const shown = { filename: card.file_name, mime_type: card.mime_type, size: card.size };
  const reports = await server.reports();
  const { data } = await reports.listReportInstances({ tenantId: 1, processDefinitionKey: key });
  expect(data.instances[0]?.variables).toMatchObject({ card: shown, scan: shown });
  const [b] = await tasksOf(server, id);
  const tasklist = await server.tasklist();
  const target = { xActiveTenant: "tenant-1", taskId: b?.task_id ?? "" };
  expect(await tasklist.getTaskVariables(target)).toMatchObject({ card: shown, scan: shown });
});

test("a completion after which no condition holds is refused, and changes nothing", async () => {
  const key = freshKey();
  const gateway = '<exclusiveGateway id="decision"/>';
  const flows = [flow("start", "a", "decision"), conditionalFlow("decision", "end", "${amount > 5}")];
  await deploy(server, model(key, [start(), userTask("a"), gateway, end(), ...flows].join("\n")));
  const { process_instance_id: id } = await startInstance(server, key);
  const taskId = (await tasksOf(server, id))[0]?.task_id ?? "";
  await expectProblem(await complete(taskId, { variables: { amount: { value: 1 } } }), "process_failed");
  expect(
    await server.sql`select from waybill.process_variables where process_instance_id = ${id}`,
  ).toHaveLength(0);
  await completeTask(server, taskId, { variables: { amount: 6 } });
  await reaches(server, id, "completed");
});

test("a boundary timer cancels a task", async () => {
  const key = freshKey();
  const timer = boundaryTimer("late", "a", { after: "PT1S" });
  const body = [
    start(),
    userTask("a"),
    timer,
    userTask("b"),
    end(),
    flow("start", "a", "end"),
    flow("late", "b", "end"),
  ];
  await deploy(server, model(key, body.join("\n")));
  const { process_instance_id: id } = await startInstance(server, key);
  const [a] = await tasksOf(server, id);
  for (let left = 200; (await tasksOf(server, id))[0]?.activity_id !== "b"; left--) {
    if (left === 0) throw new Error("the timer did not fire");
    await Bun.sleep(50);
  }
  await expectProblem(await complete(a?.task_id ?? "", {}), "task_completed");
});

test("a task of another tenant and an unknown task are 404", async () => {
  const key = freshKey();
  await deploy(server, loop(key));
  const { process_instance_id: id } = await startInstance(server, key);
  const taskId = (await tasksOf(server, id))[0]?.task_id ?? "";
  const authorization = `Bearer ${await server.token({ tenant: 2 })}`;
  const elsewhere = await server.request(`/api/v1/tasklist/tasks/${taskId}/complete`, {
    method: "POST",
    headers: { "x-active-tenant": "tenant-2", authorization },
    body: "{}",
  });
  await expectProblem(elsewhere, "task_not_found");
  await expectProblem(await complete("nonsense", {}), "task_not_found");
  await expectProblem(await complete(crypto.randomUUID(), {}), "task_not_found");
});
