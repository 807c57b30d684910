import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { member } from "../../support/attachments.ts";
import { end, flow, model, oneCall, start, userTask } from "../../support/bpmn.ts";
import { expectProblem } from "../../support/problem.ts";
import { deploy, freshKey, reaches, startInstance } from "../../support/processes.ts";
import { startServer, type TestServer, type TokenClaims } from "../../support/server.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const get = async (id: string, { tenant = 1, ...claims }: TokenClaims) =>
  server.request(`/api/v1/probis/process-instances/${id}`, {
    headers: {
      "x-active-tenant": `tenant-${tenant}`,
      authorization: `Bearer ${await server.token({ tenant, ...claims })}`,
    },
  });

test("its starter, participants of its discussion, administrators and engines see it; others get a 404", async () => {
  const key = freshKey();
  await deploy(server, model(key, [start(), userTask("a"), end(), flow("start", "a", "end")].join("\n")));
  const starter = member("jane");
  const { process_instance_id: id } = await startInstance(server, key, { by: starter });
  const discussions = await server.discussions();
  await discussions.addParticipant({
    xActiveTenant: "tenant-1",
    processInstanceId: id,
    newParticipant: { user: "bob" },
  });
  const welcome = [starter, member("bob"), { roles: ["engine"] }, { roles: ["admin_sop"] }];
  for (const claims of welcome) {
    const answer = await get(id, claims);
    expect(await answer.json()).toEqual({
      process_instance_id: id,
      process_key: key,
      state: "active",
      business_key: null,
    });
  }
  for (const claims of [member("eve"), { tenant: 2, roles: ["admin_sop"] }])
    await expectProblem(await get(id, claims), "process_instance_not_found");
  for (const none of ["nonsense", crypto.randomUUID()])
    await expectProblem(await get(none, {}), "process_instance_not_found");
});

test("an instance with an open incident has the state incident", async () => {
  const key = freshKey();
  // The outbound policy refuses the call, because this server allows nothing.
  await deploy(server, oneCall(key, { method: "POST", url: "http://127.0.0.1:9/", body: "{}" }));
  const { process_instance_id: id } = await startInstance(server, key);
  await reaches(server, id, "incident");
});
