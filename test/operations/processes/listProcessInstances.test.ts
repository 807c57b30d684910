import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { member } from "../../support/attachments.ts";
import { end, flow, model, oneCall, start, userTask } from "../../support/bpmn.ts";
import { expectProblem } from "../../support/problem.ts";
import { deploy, freshKey, incidentOf, rerun, startInstance } from "../../support/processes.ts";
import { startServer, type TestServer, type TokenClaims } from "../../support/server.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const waits = (key: string) =>
  model(key, [start(), userTask("a"), end(), flow("start", "a", "end")].join("\n"));

type Filters = {
  readonly processKey?: string;
  readonly state?: "active" | "incident" | "completed" | "terminated";
  readonly businessKey?: string;
  readonly page?: number;
  readonly limit?: number;
};

const list = async (filters: Filters, by: TokenClaims = {}) =>
  (await server.processes(by)).listProcessInstances({
    xActiveTenant: `tenant-${by.tenant ?? 1}`,
    ...filters,
  });

const idsOf = async (filters: Filters, by?: TokenClaims) =>
  (await list(filters, by)).map(({ process_instance_id }) => process_instance_id);

async function startMany(key: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.unshift((await startInstance(server, key)).process_instance_id);
  return ids;
}

test("an instance with its version, state, business key, starter and times", async () => {
  const key = freshKey();
  await deploy(server, waits(key));
  await deploy(server, waits(key));
  const { process_instance_id } = await startInstance(server, key, { businessKey: "LN-2026 / 0815 é" });
  expect(await list({ processKey: key })).toEqual([
    {
      process_instance_id,
      process_key: key,
      version: 2,
      state: "active",
      business_key: "LN-2026 / 0815 é",
      started_by: "alice",
      started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      ended_at: null,
    },
  ]);
});

test("newest first, in pages; a page after the last one is empty", async () => {
  const key = freshKey();
  await deploy(server, waits(key));
  const ids = await startMany(key, 5);
  expect(await idsOf({ processKey: key })).toEqual(ids);
  expect(await idsOf({ processKey: key, limit: 2, page: 1 })).toEqual(ids.slice(2, 4));
  expect(await idsOf({ processKey: key, limit: 2, page: 3 })).toEqual([]);
  expect((await idsOf({ limit: 3 })).slice(0, 3)).toEqual(ids.slice(0, 3));
});

test("each state has its instances; one with an open incident is in no other", async () => {
  const key = freshKey();
  await deploy(server, waits(key));
  const [terminated = "", active = ""] = await startMany(key, 2);
  const api = await server.processes();
  await api.terminateProcessInstance({ xActiveTenant: "tenant-1", processInstanceId: terminated });
  await deploy(server, oneCall(key, { method: "POST", url: "http://127.0.0.1:9/", body: "{}" }));
  const [failed = ""] = await startMany(key, 1);
  const { incident_id } = await incidentOf(server, failed);
  await deploy(server, model(key, [start(), end(), flow("start", "end")].join("\n")));
  const [completed = ""] = await startMany(key, 1);
  const expected = { active, incident: failed, completed, terminated };
  const states = Object.keys(expected) as (keyof typeof expected)[];
  for (const state of states) {
    const shown = await list({ processKey: key, state });
    expect(shown).toMatchObject([{ process_instance_id: expected[state], state }]);
    expect(shown[0]?.ended_at === null).toBe(state === "active" || state === "incident");
  }
  await rerun(server, incident_id);
  expect(await idsOf({ processKey: key })).toHaveLength(4);
});

test("by business key, which several instances may have", async () => {
  const [one, other] = [freshKey(), freshKey()];
  const businessKey = "order '7'; --";
  const ids: string[] = [];
  for (const key of [one, other]) {
    await deploy(server, waits(key));
    await startInstance(server, key, { businessKey: `${businessKey}8` });
    ids.unshift((await startInstance(server, key, { businessKey })).process_instance_id);
  }
  expect(await idsOf({ businessKey })).toEqual(ids);
  expect(await idsOf({ businessKey, processKey: one })).toEqual(ids.slice(1));
  expect(await idsOf({ businessKey: "order" })).toEqual([]);
});

test("members get the instances that they started or take part in, administrators and engines get all", async () => {
  const key = freshKey();
  await deploy(server, waits(key));
  const jane = member("jane");
  const started = (await startInstance(server, key, { by: jane })).process_instance_id;
  const [others = ""] = await startMany(key, 1);
  const ids = (filters: Filters, claims: TokenClaims) => idsOf({ processKey: key, ...filters }, claims);
  expect(await ids({}, jane)).toEqual([started]);
  expect(await ids({}, member("bob"))).toEqual([]);
  const discussions = await server.discussions();
  const bob = { xActiveTenant: "tenant-1", newParticipant: { user: "bob" } };
  for (const processInstanceId of [started, others])
    await discussions.addParticipant({ ...bob, processInstanceId });
  expect(await ids({}, member("bob"))).toEqual([others, started]);
  expect(await ids({ limit: 1, page: 1, state: "active" }, member("bob"))).toEqual([started]);
  await discussions.removeParticipant({
    xActiveTenant: "tenant-1",
    processInstanceId: started,
    user: "jane",
  });
  expect(await ids({}, jane)).toEqual([started]);
  for (const role of ["admin_sop", "engine"])
    expect(await ids({}, { user: "eve", roles: [role] })).toEqual([others, started]);
  expect(await ids({}, { tenant: 2 })).toEqual([]);
});

test("a discussion of an instance that this engine does not have hides nothing", async () => {
  const key = freshKey();
  await deploy(server, waits(key));
  const kim = member("kim");
  const { process_instance_id } = await startInstance(server, key, { by: kim });
  await server.sql`
    insert into waybill.discussion_participants (tenant_id, process_instance_id, user_id, added_by)
    values (1, 'instance-of-another-engine', 'kim', 'kim')`;
  expect(await idsOf({}, kim)).toEqual([process_instance_id]);
});

test("a service account with more than 10,000 instances gets its own ones only, too", async () => {
  const key = freshKey();
  await deploy(server, waits(key));
  const account = member("account");
  await server.sql`
    insert into waybill.process_instances (id, tenant_id, process_key, definition_id, state, started_by, started_at)
    select gen_random_uuid(), 1, ${key}, d.id, 'completed', 'account', now() - g * interval '1 second'
    from generate_series(1, 10001) g
    join waybill.process_definitions d on d.process_key = ${key}`;
  const [others = ""] = await startMany(key, 2);
  const { process_instance_id: own } = await startInstance(server, key, { by: account });
  const discussions = await server.discussions();
  await discussions.addParticipant({
    xActiveTenant: "tenant-1",
    processInstanceId: others,
    newParticipant: { user: "account" },
  });
  expect((await idsOf({ processKey: key, limit: 3 }, account)).slice(0, 2)).toEqual([own, others]);
  expect(await idsOf({ processKey: key, state: "active" }, account)).toEqual([own, others]);
  expect(await idsOf({ processKey: key, limit: 500, page: 20 }, account)).toHaveLength(3);
});

test("a state that does not exist is refused, and so is an empty business key", async () => {
  for (const query of ["state=suspended", "business_key=", "limit=501", "page=-1"])
    await expectProblem(
      await server.request(`/api/v1/probis/process-instances?${query}`, {
        headers: { "x-active-tenant": "tenant-1" },
      }),
      "invalid_parameter",
    );
});
