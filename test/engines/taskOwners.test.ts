/** Whose a user task is: the same on each engine. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { end, flow, model, start, userTask } from "../support/bpmn.ts";
import { expectProblem } from "../support/problem.ts";
import { deploy, freshKey, type Values } from "../support/processes.ts";
import { expected } from "./differences.ts";
import { type Actor, startWorld, type World } from "./world.ts";

setDefaultTimeout(60_000);
let world: World;
/** start → review → end; nobody is named. */
let open: string;
beforeAll(async () => {
  world = await startWorld();
  open = await processOf();
});
afterAll(() => world.stop());

const processOf = (attributes = "") =>
  world.deploy([start(), userTask("review", attributes), end(), flow("start", "review", "end")]);

/** A member whose token names the groups. */
const memberOf = (...groups: string[]): Actor => ({ ...world.member(), groups });

const path = "/api/v1/tasklist/tasks";
const at = (taskId: string, action = "") => `${path}/${encodeURIComponent(taskId)}${action}`;

type Action = "claim" | "unclaim" | "complete";
const act = (action: Action, taskId: string, by: Actor) =>
  world.request(at(taskId, `/${action}`), {
    method: "POST",
    by,
    ...(action === "complete" ? { body: "{}" } : {}),
  });

const assign = (taskId: string, assignee: string | null, by = world.admin) =>
  world.request(at(taskId, "/assign"), { method: "POST", by, body: JSON.stringify({ assignee }) });

async function taskOf(attributes = "", variables: Values = {}) {
  const key = attributes === "" ? open : await processOf(attributes);
  return world.task(await world.start(key, variables));
}

async function assigneeOf(taskId: string): Promise<string | null> {
  const api = await world.server.tasklist(world.admin);
  return (await api.getTask({ xActiveTenant: world.admin.slug, taskId })).assignee;
}

/** Nobody but an administrator may do anything with the task. */
async function expectClosed(taskId: string, by: Actor): Promise<void> {
  for (const action of ["claim", "unclaim", "complete"] as const)
    await expectProblem(await act(action, taskId, by), "task_not_yours");
}

test("a claimed task belongs to one member, who completes it or gives it back", async () => {
  const { task_id } = await taskOf();
  const [bob, carol] = [memberOf(), memberOf()];
  expect((await act("claim", task_id, bob)).status).toBe(204);
  expect((await act("claim", task_id, bob)).status).toBe(204);
  expect(await assigneeOf(task_id)).toBe(bob.user ?? "");
  await expectProblem(await act("claim", task_id, carol), "task_assigned");
  await expectProblem(await act("unclaim", task_id, carol), "task_not_yours");
  await expectProblem(await act("complete", task_id, carol), "task_not_yours");
  expect((await act("unclaim", task_id, bob)).status).toBe(204);
  expect((await act("unclaim", task_id, bob)).status).toBe(204);
  expect(await assigneeOf(task_id)).toBeNull();
  expect((await act("complete", task_id, carol)).status).toBe(204);
  for (const action of ["claim", "unclaim", "complete"] as const)
    await expectProblem(await act(action, task_id, bob), "task_completed");
  await expectProblem(await assign(task_id, "bob"), "task_completed");
});

test("if many claim a task at the same time, one gets it", async () => {
  const { task_id } = await taskOf();
  const people = Array.from({ length: 8 }, () => memberOf());
  const answers = await Promise.all(people.map((by) => act("claim", task_id, by)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([204, ...Array(7).fill(409)]);
  const winner = people[answers.findIndex(({ status }) => status === 204)];
  expect(await assigneeOf(task_id)).toBe(winner?.user ?? "");
});

test("a claim and a completion by somebody else at the same time: one of them succeeds", async () => {
  for (let round = 0; round < 10; round++) {
    const { task_id, process_instance_id: id } = await taskOf();
    const [bob, carol] = [memberOf(), memberOf()];
    const [claimed, completed] = await Promise.all([
      act("claim", task_id, bob),
      act("complete", task_id, carol),
    ]);
    const outcome = [claimed.status, completed.status];
    expect([
      [204, 403],
      [409, 204],
    ]).toContainEqual(outcome);
    if (completed.status === 204) await world.reaches(id, "completed");
    else expect(await assigneeOf(task_id)).toBe(bob.user ?? "");
  }
});

test("a completion that fails leaves the task to those who had it", async () => {
  const { task_id } = await taskOf();
  const [bob, carol] = [memberOf(), memberOf()];
  const gone = { attachment_id: crypto.randomUUID(), file_name: "gone.pdf" };
  const body = JSON.stringify({ variables: { gone: { value: JSON.stringify(gone) } } });
  await expectProblem(
    await world.request(at(task_id, "/complete"), { method: "POST", by: bob, body }),
    "not_committed",
  );
  expect(await assigneeOf(task_id)).toBeNull();
  expect((await act("complete", task_id, carol)).status).toBe(204);
});

test("an assigned task is its assignee's, and every member sees it", async () => {
  const ann = memberOf();
  const { task_id, process_instance_id: id } = await taskOf(`camunda:assignee="${ann.user}"`);
  const [seen] = await world.tasks(id, memberOf());
  expect(seen).toMatchObject({ assignee: ann.user ?? "", candidate_users: [], candidate_groups: [] });
  await expectClosed(task_id, memberOf(ann.user ?? ""));
  expect((await act("complete", task_id, ann)).status).toBe(204);
});

test("candidates claim and complete a task, and so do administrators", async () => {
  const ben = memberOf();
  const owners = `camunda:candidateUsers="ann,${ben.user}" camunda:candidateGroups="clerks, managers"`;
  for (const by of [ben, memberOf("others", "managers"), world.admin]) {
    const { task_id, process_instance_id: id } = await taskOf(owners);
    const [seen] = await world.tasks(id, memberOf());
    expect(seen?.candidate_users.toSorted()).toEqual(["ann", ben.user ?? ""].toSorted());
    expect(seen?.candidate_groups.toSorted()).toEqual(["clerks", "managers"]);
    await expectClosed(task_id, memberOf("others"));
    expect((await act("claim", task_id, by)).status).toBe(204);
    expect((await act("complete", task_id, by)).status).toBe(204);
  }
});

test("four eyes: who entered an application cannot approve it", async () => {
  const [enter, approve] = ["clerks", "approvers"].map((group) => `camunda:candidateGroups="${group}"`);
  const tasks = [userTask("enter", enter), userTask("approve", approve)];
  const key = await world.deploy([start(), ...tasks, end(), flow("start", "enter", "approve", "end")]);
  const [clerk, approver] = [memberOf("clerks"), memberOf("approvers")];
  const id = await world.start(key, {}, clerk);
  const entering = await world.task(id, "enter");
  await expectClosed(entering.task_id, approver);
  await world.complete(entering.task_id, { amount: 5_000 }, clerk);
  const approving = await world.task(id, "approve");
  await expectClosed(approving.task_id, clerk);
  await world.complete(approving.task_id, { approved: true }, approver);
  await world.reaches(id, "completed");
});

test("expressions name owners by the variables at the moment when the task begins", async () => {
  const ann = memberOf();
  const assigned = await taskOf('camunda:assignee="${x}"', { x: ann.user });
  expect(assigned).toMatchObject({ assignee: ann.user ?? "" });
  await world.correct(assigned.process_instance_id, { x: "somebody else" });
  expect((await act("complete", assigned.task_id, ann)).status).toBe(204);
  const listed = await taskOf('camunda:candidateGroups="clerks,${x}"', { x: "a,b" });
  expect(listed.candidate_groups.toSorted()).toEqual(["a", "b", "clerks"]);
});

test("a task whose variables name nobody, or whose assignee gave it back, waits for an administrator", async () => {
  const [ann, bob] = [memberOf(), memberOf()];
  const empty: [string, Values][] = [
    ['camunda:assignee="${x}"', { x: null }],
    ['camunda:assignee="${x}"', { x: "" }],
    ['camunda:candidateGroups="${x}"', { x: "" }],
  ];
  for (const [attributes, variables] of empty) {
    const { task_id } = await taskOf(attributes, variables);
    await expectClosed(task_id, bob);
    expect((await assign(task_id, ann.user ?? "")).status).toBe(204);
    expect((await act("complete", task_id, ann)).status).toBe(204);
  }
  const { task_id } = await taskOf(`camunda:assignee="${ann.user}"`);
  expect((await act("unclaim", task_id, ann)).status).toBe(204);
  await expectClosed(task_id, bob);
  await expectClosed(task_id, ann);
  expect((await act("complete", task_id, world.admin)).status).toBe(204);
});

test("a value that names nobody by its type refuses the start", async () => {
  const cases: [string, Values][] = [
    ['camunda:assignee="${x}"', {}],
    ['camunda:assignee="${x}"', { x: 5 }],
    ['camunda:candidateGroups="${x}"', {}],
    ['camunda:candidateGroups="${x}"', { x: 5 }],
    ['camunda:candidateUsers="${x}"', { x: null }],
  ];
  for (const [attributes, variables] of cases) {
    const key = await processOf(attributes);
    const values = Object.entries(variables).map(([name, value]) => [name, { value }]);
    const body = JSON.stringify({ process_key: key, variables: Object.fromEntries(values) });
    const answer = await world.request("/api/v1/probis/process-instances", { method: "POST", body });
    expect(answer.status).toBe(422);
    const reports = await world.server.reports(world.admin);
    const { data } = await reports.listReportInstances({ tenantId: 1, processDefinitionKey: key });
    expect(data.total).toBe(0);
  }
});

test("an assignee that is null leaves the task to its candidates, and so does an empty one", async () => {
  const owners = 'camunda:assignee="${x}" camunda:candidateGroups="clerks"';
  const nobody = await taskOf(owners, { x: null });
  expect((await act("claim", nobody.task_id, memberOf("clerks"))).status).toBe(204);
  const empty = await taskOf(owners, { x: "" });
  const status = expected("empty assignee", { usual: 204, different: 409 });
  expect((await act("claim", empty.task_id, memberOf("clerks"))).status).toBe(status);
  expect((await act("claim", empty.task_id, memberOf())).status).toBe(403);
});

test("candidates come from a Json list", async () => {
  const key = await processOf('camunda:candidateGroups="${x}"');
  const body = { process_key: key, variables: { x: { value: ["clerks"], type: "Json" } } };
  const answer = await world.request("/api/v1/probis/process-instances", {
    method: "POST",
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(expected("Json list of candidates", { usual: 201, different: 422 }));
});

test("names are compared exactly", async () => {
  const { task_id } = await taskOf('camunda:candidateUsers="Zoë" camunda:candidateGroups="Straße"');
  for (const user of ["zoë", "ZOË", "Zoe\u0308", "Zoë ", "\u200bZoë"])
    await expectProblem(await act("complete", task_id, { ...memberOf(), user }), "task_not_yours");
  for (const group of ["strasse", "STRASSE", "straße", "Straße "])
    await expectProblem(await act("complete", task_id, memberOf(group)), "task_not_yours");
  expect((await act("complete", task_id, { ...memberOf(), user: "Zo\u00eb" })).status).toBe(204);
});

test("administrators assign, members do not", async () => {
  const { task_id } = await taskOf();
  const [ann, bob] = [memberOf(), memberOf()];
  await expectProblem(await assign(task_id, ann.user ?? "", bob), "unauthenticated");
  await act("claim", task_id, bob);
  expect((await assign(task_id, ann.user ?? "")).status).toBe(204);
  await expectProblem(await act("complete", task_id, bob), "task_not_yours");
  expect((await assign(task_id, null)).status).toBe(204);
  expect(await assigneeOf(task_id)).toBeNull();
  expect((await act("complete", task_id, bob)).status).toBe(204);
});

test("filters select tasks, and combine", async () => {
  const [bob, clerks] = [memberOf(), `clerks of ${open}`];
  const key = await processOf(`camunda:candidateGroups="${clerks},managers"`);
  const [waiting, claimed] = [
    await world.task(await world.start(key)),
    await world.task(await world.start(key)),
  ];
  const other = await taskOf();
  await assign(claimed.task_id, bob.user ?? "");
  await assign(other.task_id, bob.user ?? "");
  const api = await world.server.tasklist(bob);
  const idsOf = async (query: object) =>
    (await api.listTasks({ xActiveTenant: world.admin.slug, ...query })).map(({ task_id }) => task_id);
  expect(await idsOf({ assignee: bob.user })).toEqual([claimed.task_id, other.task_id]);
  expect(await idsOf({ assignee: bob.user, limit: 1, page: 1 })).toEqual([other.task_id]);
  expect(await idsOf({ candidateGroup: clerks })).toEqual([waiting.task_id, claimed.task_id]);
  expect(await idsOf({ candidateGroup: clerks, unassigned: true })).toEqual([waiting.task_id]);
  expect(await idsOf({ processKey: key })).toEqual([waiting.task_id, claimed.task_id]);
  expect(await idsOf({ processKey: key, assignee: bob.user })).toEqual([claimed.task_id]);
  expect(await idsOf({ assignee: bob.user, unassigned: true })).toEqual([]);
  expect(await idsOf({ candidateGroup: `${clerks},managers` })).toEqual([]);
  const elsewhere = await world.server.tasklist(world.stranger);
  expect(await elsewhere.listTasks({ xActiveTenant: world.stranger.slug, processKey: key })).toEqual([]);
});

test("a task's form is served alone, or null", async () => {
  const form = { id: "review", type: "default", components: [{ type: "checkbox", key: "approved" }] };
  const task = userTask("review", 'camunda:formRef="review" camunda:formRefBinding="deployment"');
  const elements = [start(), task, end(), flow("start", "review", "end")];
  const id = await world.start(await world.deploy(elements, { forms: [form] }));
  const { task_id } = await world.task(id);
  expect(await (await world.request(at(task_id, "/form"), { by: memberOf() })).json()).toMatchObject(form);
  const without = await taskOf();
  expect(await (await world.request(at(without.task_id, "/form"))).json()).toBeNull();
});

test("a task of another tenant and an unknown one are 404 for each change", async () => {
  const { task_id } = await taskOf();
  for (const [taskId, by] of [[task_id, world.stranger] as const, ["nonsense", world.admin] as const]) {
    for (const action of ["claim", "unclaim", "complete"] as const)
      await expectProblem(await act(action, taskId, by), "task_not_found");
    await expectProblem(await assign(taskId, "bob", by), "task_not_found");
    await expectProblem(await world.request(at(taskId, "/form"), { by }), "task_not_found");
  }
  expect(await assigneeOf(task_id)).toBeNull();
});

test("the initiator is whoever starts the process, unless the start names somebody else", async () => {
  const elements = [
    start("start", 'camunda:initiator="starter"'),
    userTask("review", 'camunda:assignee="${starter}"'),
    end(),
    flow("start", "review", "end"),
  ];
  const key = await world.deploy(elements);
  const carol = memberOf();
  const id = await world.start(key, {}, carol);
  expect((await world.variables(id)).starter).toMatchObject({ type: "String", value: carol.user ?? "" });
  expect((await world.task(id)).assignee).toBe(carol.user ?? "");
  const other = await world.start(key, { starter: "mary" }, carol);
  expect((await world.task(other)).assignee).toBe("mary");
});

test("a deployment warns of a start form that names the owner, and so does a dry run", async () => {
  const approver = { type: "textfield", key: "approver" };
  const forms = [{ id: "apply", type: "default", components: [approver] }];
  const fields = '<camunda:formField id="approver" type="string"/>';
  const uploaded = start("start", 'camunda:formRef="apply" camunda:formRefBinding="deployment"');
  const generated = `<startEvent id="start"><extensionElements><camunda:formData businessKey="approver">
${fields}</camunda:formData></extensionElements></startEvent>`;
  const task = userTask("review", 'camunda:assignee="${approver}"');
  const named = expect.stringContaining('"review": The start form sets the variable "approver"');
  for (const [first, given, also] of [
    [uploaded, forms, []],
    [generated, [], [expect.stringContaining('"start": The businessKey of camunda:formData is ignored.')]],
  ] as const) {
    const bpmn = model(freshKey("owners"), [first, task, end(), flow("start", "review", "end")].join("\n"));
    const deployed = await deploy(world.server, bpmn, { by: world.admin, forms: given });
    const body = JSON.stringify({ bpmn, forms: given });
    const tried = await world.request("/api/v1/probis/process-definitions/dry-run", { method: "POST", body });
    for (const { warnings } of [deployed, (await tried.json()) as { warnings: string[] }])
      expect(warnings).toEqual(expect.arrayContaining([named, ...also]));
  }
  const harmless = model(
    freshKey("owners"),
    [uploaded, userTask("review"), end(), flow("start", "review", "end")].join("\n"),
  );
  const { warnings } = await deploy(world.server, harmless, { by: world.admin, forms });
  expect(warnings.join("\n")).not.toContain("approver");
});
