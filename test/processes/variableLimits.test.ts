/** The limits for all variables of one instance, whoever writes them. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { startPartner } from "../infrastructure/outbound/partner.ts";
import { apiCall, end, flow, model, start, userTask } from "../support/bpmn.ts";
import { expectProblem } from "../support/problem.ts";
import {
  allowLoopback,
  completeTask,
  deploy,
  freshKey,
  incidentOf,
  startInstance,
  stateOf,
  tasksOf,
} from "../support/processes.ts";
import { startServer, type TestServer } from "../support/server.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ environment: allowLoopback });
});
afterAll(() => server.stop());

async function deployed(...parts: string[]): Promise<string> {
  const key = freshKey();
  await deploy(server, model(key, [start(), ...parts, end()].join("\n")));
  return key;
}

const send = (method: string, path: string, body: object) =>
  server.request(path, {
    method,
    headers: { "x-active-tenant": "tenant-1" },
    body: JSON.stringify(body),
  });

const megabytes = (count: number) => "x".repeat(count * 1024 ** 2);

test("an instance has at most 16 MiB of names and values; a request with more changes nothing", async () => {
  const key = await deployed(userTask("a"), flow("start", "a", "end"));
  const begun = await send("POST", "/api/v1/probis/process-instances", {
    process_key: key,
    variables: { large: { value: megabytes(17) } },
  });
  const refused = await expectProblem(begun, "variables_too_large");
  expect(refused.message).toBe("The process instance would have names and values of more than 16 MiB.");
  const { process_instance_id: id } = await startInstance(server, key, { variables: { one: megabytes(9) } });
  const variables = { two: { value: megabytes(9) } };
  const corrected = await send("PATCH", `/api/v1/probis/process-instances/${id}/variables`, { variables });
  await expectProblem(corrected, "variables_too_large");
  const [task] = await tasksOf(server, id);
  const complete = () => send("POST", `/api/v1/tasklist/tasks/${task?.task_id}/complete`, { variables });
  await expectProblem(await complete(), "variables_too_large");
  expect(await tasksOf(server, id)).toHaveLength(1);
  // Replacing it by a smaller value makes room.
  const smaller = { variables: { one: { value: "x" } } };
  expect((await send("PATCH", `/api/v1/probis/process-instances/${id}/variables`, smaller)).status).toBe(204);
  expect((await complete()).status).toBe(204);
  expect(await stateOf(server, id)).toBe("completed");
});

test("an instance has at most 1,000 variables, and continues with that many", async () => {
  const key = await deployed(userTask("a"), userTask("b"), flow("start", "a", "b", "end"));
  const many = (count: number, prefix: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, index]));
  const { process_instance_id: id } = await startInstance(server, key, { variables: many(1_000, "a") });
  const path = `/api/v1/probis/process-instances/${id}/variables`;
  await expectProblem(
    await send("PATCH", path, { variables: { more: { value: 1 } } }),
    "variables_too_large",
  );
  const [task] = await tasksOf(server, id);
  await completeTask(server, task?.task_id ?? "", { variables: { a7: 8 } });
  expect(await tasksOf(server, id)).toMatchObject([{ activity_id: "b" }]);
});

test("an instance has at most 32 MiB of files in addition", async () => {
  const key = await deployed(userTask("a"), flow("start", "a", "end"));
  const file = {
    value: Buffer.alloc(17 * 1024 ** 2).toString("base64"),
    type: "File",
    valueInfo: { filename: "a" },
  };
  const { process_instance_id: id } = await startInstance(server, key, { variables: { one: file } });
  const path = `/api/v1/probis/process-instances/${id}/variables`;
  const refused = await expectProblem(
    await send("PATCH", path, { variables: { two: file } }),
    "variables_too_large",
  );
  expect(refused.message).toContain("files of more than 32 MiB");
});

test("an answer that is too large for the instance is an incident that keeps the answer", async () => {
  const partner = await startPartner((_, response) => void response.end("x".repeat(600 * 1024)));
  try {
    const call = apiCall("call", {
      method: "GET",
      url: `http://127.0.0.1:${partner.port}`,
      result_variable: "answer",
    });
    const key = await deployed(call, flow("start", "call", "end"));
    const filling = "x".repeat(16 * 1024 ** 2 - 300 * 1024);
    const { process_instance_id: id } = await startInstance(server, key, { variables: { filling } });
    const incident = await incidentOf(server, id);
    expect(incident).toMatchObject({ activity_id: "call", type: "process_failed", request_sent: "yes" });
    expect(incident.message).toContain("more than 16 MiB");
    expect(partner.received).toHaveLength(1);
  } finally {
    await partner.stop();
  }
});
