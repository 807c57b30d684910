/** Whose a task is: who may complete it, and who may not. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mayComplete, requireMayClaim, type TaskOwners } from "../../src/processes/userTasks.ts";
import { end, flow, model, start, userTask } from "../support/bpmn.ts";
import { expectProblem } from "../support/problem.ts";
import { completeTask, deploy, freshKey, startInstance, stateOf, tasksOf } from "../support/processes.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { act, administrator, assign, memberOf, openedTask, shown } from "../support/userTasks.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

describe("the rule", () => {
  const task = (owners: Partial<TaskOwners> = {}): TaskOwners => ({
    assignee: null,
    candidate_users: [],
    candidate_groups: [],
    ...owners,
  });
  const bob = { user: "bob", groups: ["clerks"], isAdministrator: false };
  const root = { user: "root", groups: [], isAdministrator: true };

  test.each([
    [task(), true],
    [task({ assignee: "bob" }), true],
    [task({ assignee: "carol" }), false],
    [task({ assignee: "carol", candidate_users: ["bob"], candidate_groups: ["clerks"] }), false],
    [task({ assignee: "bob", candidate_users: ["carol"] }), true],
    [task({ candidate_users: ["bob"] }), true],
    [task({ candidate_users: ["carol"] }), false],
    [task({ candidate_groups: ["clerks"] }), true],
    [task({ candidate_groups: ["bob"] }), false],
    [task({ candidate_users: ["clerks"] }), false],
    [task({ candidate_groups: ["managers"] }), false],
    [task({ candidate_users: ["carol"], candidate_groups: ["managers", "clerks"] }), true],
    [task({ assignee: "" }), false],
    [task({ candidate_groups: [""] }), false],
    [task({ owned: true }), false],
    [task({ owned: true, assignee: "bob" }), true],
    [task({ owned: true, candidate_groups: ["clerks"] }), true],
  ])("%j: bob, a clerk, may complete it: %p", (owners, may) => {
    expect(mayComplete(owners, bob)).toBe(may);
    expect(mayComplete(owners, root)).toBe(true);
  });

  test("a claim is refused to strangers with 403, and to candidates with 409 if another user has the task", () => {
    const taken = task({ assignee: "carol", candidate_groups: ["clerks"] });
    expect(() => requireMayClaim(taken, bob)).toThrow("Another user has the task");
    expect(() => requireMayClaim(taken, { ...bob, groups: [] })).toThrow("not one of its candidates");
    expect(() => requireMayClaim(task({ candidate_users: ["carol"] }), bob)).toThrow(
      "not one of its candidates",
    );
    requireMayClaim(task({ assignee: "bob", candidate_users: ["carol"] }), bob);
  });
});

test("an assigned task is completed by its assignee, and every member sees it", async () => {
  const { task_id: on } = await openedTask(server, 'camunda:assignee="ann"');
  expect(await shown(server, on)).toMatchObject({
    assignee: "ann",
    candidate_users: [],
    candidate_groups: [],
  });
  await expectProblem(await act(server, "complete", { on, by: memberOf("ann") }), "task_not_yours");
  await expectProblem(await act(server, "claim", { on, by: memberOf() }), "task_not_yours");
  await completeTask(server, on, { by: { ...memberOf(), user: "ann" } });
});

test("candidates and administrators complete a task; members without its groups do not", async () => {
  const owners = 'camunda:candidateUsers="ann, ben" camunda:candidateGroups="clerks,managers"';
  const people = [{ ...memberOf(), user: "ben" }, memberOf("managers", "others"), administrator];
  for (const by of people) {
    const { task_id: on } = await openedTask(server, owners);
    await expectProblem(await act(server, "complete", { on, by: memberOf("others") }), "task_not_yours");
    await expectProblem(await act(server, "claim", { on, by: memberOf("others") }), "task_not_yours");
    await completeTask(server, on, { by });
  }
});

test("four eyes: who entered an application cannot approve it", async () => {
  const key = freshKey();
  const enter = userTask("enter", 'camunda:candidateGroups="clerks"');
  const approve = userTask("approve", 'camunda:candidateGroups="approvers"');
  await deploy(
    server,
    model(key, [start(), enter, approve, end(), flow("start", "enter", "approve", "end")].join("")),
  );
  const [clerk, approver] = [memberOf("clerks"), memberOf("approvers")];
  const { process_instance_id: id } = await startInstance(server, key, { by: clerk });
  const open = async () => (await tasksOf(server, id, clerk))[0]?.task_id ?? "";
  await expectProblem(await act(server, "complete", { on: await open(), by: approver }), "task_not_yours");
  await completeTask(server, await open(), { by: clerk, variables: { amount: 5_000 } });
  const on = await open();
  for (const action of ["claim", "complete", "unclaim"] as const)
    await expectProblem(await act(server, action, { on, by: clerk }), "task_not_yours");
  expect((await act(server, "claim", { on, by: approver })).status).toBe(204);
  await completeTask(server, on, { by: approver, variables: { approved: true } });
  expect(await stateOf(server, id, clerk)).toBe("completed");
});

test("users and groups are compared exactly: other letters, other forms of a letter and spaces are others", async () => {
  const { task_id: on } = await openedTask(
    server,
    'camunda:candidateUsers="Zoë" camunda:candidateGroups="Straße"',
  );
  const impostors = ["zoë", "ZOË", "Zoe\u0308", "Zoë ", " Zoë", "Zo\u0451", "Zoë,x", "\u200bZoë"];
  for (const user of impostors)
    await expectProblem(await act(server, "complete", { on, by: { ...memberOf(), user } }), "task_not_yours");
  for (const group of ["strasse", "STRASSE", "straße", "Straße ", "Straße,x", "Strase"])
    await expectProblem(await act(server, "claim", { on, by: memberOf(group) }), "task_not_yours");
  await completeTask(server, on, { by: { ...memberOf(), user: "Zo\u00eb" } });
});

test("groups of another tenant do not count", async () => {
  const { task_id: on } = await openedTask(server, 'camunda:candidateGroups="clerks"');
  const sub = memberOf().user ?? "";
  const memberships = [
    { id: 2, slug: "tenant-2", roles: ["member"], groups: ["clerks"] },
    { id: 1, slug: "tenant-1", roles: ["member"], groups: ["others"] },
  ];
  const token = await server.deps.accessTokens.sign({ sub, tenants: memberships }, { ttlSeconds: 60 });
  const answer = await server.request(`/api/v1/tasklist/tasks/${on}/complete`, {
    method: "POST",
    headers: { "x-active-tenant": "tenant-1", authorization: `Bearer ${token}` },
    body: "{}",
  });
  await expectProblem(answer, "task_not_yours");
});

test("a completion that races with an assignment to somebody else is refused, or comes first", async () => {
  const [bob, carol] = [memberOf(), memberOf()];
  for (let round = 0; round < 10; round++) {
    const { task_id: on, process_instance_id: id } = await openedTask(server);
    const [taken, completed] = await Promise.all([
      act(server, "claim", { on, by: bob }),
      act(server, "complete", { on, by: carol }),
    ]);
    const [row] = await server.sql`select assignee, completed_by from waybill.user_tasks where id = ${on}`;
    if (taken.status === 204) {
      await expectProblem(completed, "task_not_yours");
      expect({ ...row }).toEqual({ assignee: bob.user, completed_by: null });
      expect(await stateOf(server, id)).toBe("active");
    } else {
      await expectProblem(taken, "task_completed");
      expect({ ...row }).toEqual({ assignee: null, completed_by: carol.user });
    }
  }
});

test("a completion whose task is assigned between its check and its step is refused, and writes nothing", async () => {
  const [bob, carol] = [memberOf(), memberOf()];
  const { task_id: on, process_instance_id: id } = await openedTask(server);
  let completion: Promise<Response> | undefined;
  // The step waits for the instance, so the task changes after the check.
  await server.sql.begin(async (tx) => {
    await tx`select from waybill.process_instances where id = ${id} for update`;
    completion = act(server, "complete", { on, by: carol });
    await waitForLock();
    await assign(server, on, bob.user ?? "");
  });
  await expectProblem((await completion) as Response, "task_not_yours");
  expect(await stateOf(server, id)).toBe("active");
  expect((await shown(server, on)).assignee).toBe(bob.user ?? "");
});

async function waitForLock(): Promise<void> {
  for (let left = 400; left > 0; left--) {
    const [row] = await server.sql`
      select count(*)::int as waiting
      from pg_stat_activity
      where datname = current_database()
        and wait_event_type = 'Lock'`;
    if (row?.waiting > 0) return;
    await Bun.sleep(20);
  }
  throw new Error("the completion did not wait for the instance");
}

test("a completion goes on if its own user claims the task in the meantime", async () => {
  const bob = memberOf();
  const { task_id: on, process_instance_id: id } = await openedTask(server);
  let completion: Promise<Response> | undefined;
  await server.sql.begin(async (tx) => {
    await tx`select from waybill.process_instances where id = ${id} for update`;
    completion = act(server, "complete", { on, by: bob });
    await waitForLock();
    expect((await act(server, "claim", { on, by: bob })).status).toBe(204);
  });
  expect((await completion)?.status).toBe(204);
  expect(await stateOf(server, id)).toBe("completed");
});

test("a task that an earlier version created names nobody, so every member completes it", async () => {
  const { task_id: on } = await openedTask(server, 'camunda:candidateGroups="clerks"');
  await server.sql`
    update waybill.user_tasks
       set candidate_users = null, candidate_groups = null, owned = null
     where id = ${on}`;
  expect(await shown(server, on)).toMatchObject({
    assignee: null,
    candidate_users: [],
    candidate_groups: [],
  });
  await completeTask(server, on, { by: memberOf() });
});
