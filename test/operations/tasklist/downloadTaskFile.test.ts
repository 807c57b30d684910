/** Files of type File: for those who may see the instance, and never as a type that a browser would run. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { member } from "../../support/attachments.ts";
import { end, flow, model, start, userTask } from "../../support/bpmn.ts";
import { expectProblem } from "../../support/problem.ts";
import { deploy, freshKey, startInstance } from "../../support/processes.ts";
import { startServer, type TestServer, type TokenClaims } from "../../support/server.ts";

setDefaultTimeout(60_000);
let server: TestServer;
let key: string;
let instance: string;
const starter = member("jane");
const page = "<script>alert(1)</script>";
beforeAll(async () => {
  server = await startServer();
  key = freshKey();
  await deploy(server, model(key, [start(), userTask("a"), end(), flow("start", "a", "end")].join("\n")));
  const valueInfo = { filename: "página.html", mimetype: "text/html" };
  const variables = { page: { value: btoa(page), type: "File", valueInfo }, text: "x" };
  instance = (await startInstance(server, key, { by: starter, variables })).process_instance_id;
});
afterAll(() => server.stop());

const get = async (path: string, { tenant = 1, ...claims }: TokenClaims = starter) =>
  server.request(`/api/v1/tasklist/${path}`, {
    headers: {
      "x-active-tenant": `tenant-${tenant}`,
      authorization: `Bearer ${await server.token({ tenant, ...claims })}`,
    },
  });

test("the file is saved under its name, never shown", async () => {
  const answer = await get(`${key}/download/${instance}/page`);
  expect(answer.status).toBe(200);
  expect(await answer.text()).toBe(page);
  expect(answer.headers.get("content-type")).toBe("application/octet-stream");
  expect(answer.headers.get("content-disposition")).toContain("filename*=UTF-8''p%C3%A1gina.html");
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  expect(answer.headers.get("content-security-policy")).toBe("sandbox");
  expect(answer.headers.get("repr-digest")).toStartWith("sha-256=:");
});

test("any name of a file or a variable is safe in headers and paths", async () => {
  const odd = "../a/b?c#d %2F\u2028";
  const valueInfo = { filename: 'a"\r\nX-Evil: 1\t/../é.pdf' };
  const file = { value: btoa("x"), type: "File", valueInfo };
  const { process_instance_id: id } = await startInstance(server, key, {
    by: starter,
    variables: { [odd]: file },
  });
  const answer = await get(`${key}/download/${id}/${encodeURIComponent(odd)}`);
  expect(await answer.text()).toBe("x");
  expect(answer.headers.get("x-evil")).toBeNull();
  expect(answer.headers.get("content-disposition")).toBe(
    `attachment; filename="a___X-Evil: 1__.._e.pdf"; filename*=UTF-8''a%22%0D%0AX-Evil%3A%201%09%2F..%2F%C3%A9.pdf`,
  );
});

test("participants of the instance's discussion and administrators may download it", async () => {
  const bob = member("bob");
  const path = `${key}/download/${instance}/page`;
  await expectProblem(await get(path, bob), "variable_not_found");
  const discussions = await server.discussions();
  const newParticipant = { user: "bob" };
  await discussions.addParticipant({
    xActiveTenant: "tenant-1",
    processInstanceId: instance,
    newParticipant,
  });
  for (const claims of [bob, { roles: ["admin_sop"] }])
    expect(await (await get(path, claims)).text()).toBe(page);
});

test("an unknown variable, another type, another process or another caller is a 404", async () => {
  const paths = [
    `${key}/download/${instance}/text`,
    `${key}/download/${instance}/nothing`,
    `other/download/${instance}/page`,
    `${key}/download/${crypto.randomUUID()}/page`,
    `${key}/download/nonsense/page`,
  ];
  for (const path of paths) await expectProblem(await get(path), "variable_not_found");
  for (const claims of [member("eve"), { tenant: 2, roles: ["admin_sop"] }])
    await expectProblem(await get(`${key}/download/${instance}/page`, claims), "variable_not_found");
});
