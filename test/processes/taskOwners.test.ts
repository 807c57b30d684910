/** Whom a model gives its tasks to, and what its expressions make of the variables. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { boundaryTimer, conditionalFlow, end, flow, model, start, userTask } from "../support/bpmn.ts";
import { expectProblem } from "../support/problem.ts";
import {
  completeTask,
  deploy,
  freshKey,
  incidentOf,
  reaches,
  rerun,
  startInstance,
  tasksOf,
  type Values,
  variablesOf,
} from "../support/processes.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { act, administrator, assign, memberOf, oneTask, openedTask } from "../support/userTasks.ts";

setDefaultTimeout(60_000);
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** The owners of a task with these attributes, in an instance with these variables. */
async function ownersOf(attributes: string, variables: Values = {}) {
  const {
    assignee,
    candidate_users: users,
    candidate_groups: groups,
  } = await openedTask(server, attributes, {
    variables,
  });
  return { assignee, users, groups };
}

/** Starts an instance by plain HTTP. */
const begin = (key: string, variables: Values = {}) =>
  server.request("/api/v1/probis/process-instances", {
    method: "POST",
    headers: { "x-active-tenant": "tenant-1" },
    body: JSON.stringify({ process_key: key, variables: variablesOf(variables) }),
  });

const nobody = { assignee: null, users: [], groups: [] };
const groups = (text: string) => `camunda:candidateGroups="${text}"`;

test("names are written out, in lists with commas", async () => {
  expect(await ownersOf("")).toEqual(nobody);
  expect(await ownersOf('camunda:assignee=" ann "')).toEqual({ ...nobody, assignee: "ann" });
  const attributes = 'camunda:candidateUsers="ann, ben,,ann" camunda:candidateGroups=" clerks,managers, "';
  expect(await ownersOf(attributes)).toEqual({
    ...nobody,
    users: ["ann", "ben"],
    groups: ["clerks", "managers"],
  });
});

test("an expression takes a text, a list in a text, and a Json list", async () => {
  const json = (value: unknown) => ({ x: { value, type: "Json" } });
  expect(await ownersOf('camunda:assignee="${x}"', { x: "ann" })).toEqual({ ...nobody, assignee: "ann" });
  expect(await ownersOf('camunda:assignee="#{x}"', { x: "a,b" })).toEqual({ ...nobody, assignee: "a,b" });
  expect(await ownersOf('camunda:assignee="user_${x}"', { x: 7 })).toEqual({ ...nobody, assignee: "user_7" });
  expect(await ownersOf(groups("team_${x},b"), { x: "a,c" })).toEqual({
    ...nobody,
    groups: ["team_a", "c", "b"],
  });
  expect(await ownersOf(groups("${x}"), { x: " a , b,," })).toEqual({ ...nobody, groups: ["a", "b"] });
  expect(await ownersOf(groups("${x}"), json(["a", "b,c", "a"]))).toEqual({
    ...nobody,
    groups: ["a", "b,c"],
  });
  expect(await ownersOf(groups("${x.team}"), json({ team: ["a"] }))).toEqual({ ...nobody, groups: ["a"] });
  expect(await ownersOf(groups("a,${x ? 'b,c' : 'd'},e"), { x: true })).toEqual({
    ...nobody,
    groups: ["a", "b", "c", "e"],
  });
});

test("an empty assignee leaves the task to its candidates", async () => {
  const attributes = `camunda:assignee="\${x}" ${groups("clerks")}`;
  const expected = { ...nobody, groups: ["clerks"] };
  expect(await ownersOf(attributes, { x: null })).toEqual(expected);
  expect(await ownersOf(attributes, { x: "" })).toEqual(expected);
  expect(await ownersOf(groups("clerks,${x}"), { x: "" })).toEqual(expected);
  expect(await ownersOf('camunda:assignee="" camunda:candidateUsers=" , "')).toEqual(nobody);
});

test("a task whose variables name nobody is not everybody's: it waits for an administrator", async () => {
  const json = (value: unknown) => ({ value, type: "Json" });
  const cases: [string, unknown][] = [
    ['camunda:assignee="${x}"', null],
    ['camunda:assignee="${x}"', ""],
    ['camunda:candidateUsers="${x}"', " , "],
    [groups("${x}"), json([])],
    [groups("${x}"), json([""])],
  ];
  for (const [attributes, x] of cases) {
    const task = await openedTask(server, attributes, { variables: { x } });
    const { task_id: on } = task;
    expect(task).toMatchObject({ assignee: null, candidate_users: [], candidate_groups: [] });
    for (const action of ["claim", "complete", "unclaim"] as const)
      await expectProblem(await act(server, action, { on, by: memberOf("x") }), "task_not_yours");
    const ann = memberOf();
    await assign(server, on, ann.user ?? "");
    await completeTask(server, on, { by: ann });
  }
});

test("a value that is no name fails: the instance does not start", async () => {
  const key = freshKey();
  const [one, list] = [`${key}_one`, `${key}_list`];
  await deploy(server, oneTask(one, 'camunda:assignee="${x}"'));
  await deploy(server, oneTask(list, 'camunda:candidateUsers="${x}"'));
  const json = (value: unknown) => ({ value, type: "Json" });
  const values = [undefined, 5, true, json({}), json({ a: "b" }), "a".repeat(256), json('"a\\u0000b"')];
  const lists = [null, json(["a", null]), json([["a"]]), json('["a\\ud800"]')];
  const many = Array.from({ length: 101 }, (_, index) => `user${index}`);
  const cases = [
    ...[...values, json(["ann"])].map((x) => [one, x] as const),
    ...[...values, ...lists, many.join(","), json(many)].map((x) => [list, x] as const),
  ];
  for (const [process, x] of cases) {
    const { message } = await expectProblem(
      await begin(process, x === undefined ? {} : { x }),
      "process_failed",
    );
    expect(message).toStartWith('It is not known whose the user task "review" is. ');
    expect(message).not.toContain("aaaa");
  }
  const rows = await server.sql`select from waybill.process_instances where process_key like ${`${key}%`}`;
  expect(rows).toHaveLength(0);
  expect((await begin(list, { x: json(many.slice(1)) })).status).toBe(201);
});

test("the variables count at the moment when the task begins; later changes and other steps change nothing", async () => {
  const key = freshKey();
  const gateways = '<parallelGateway id="fork"/><parallelGateway id="join"/>';
  const flows = [flow("start", "fork", "a", "join", "end"), flow("fork", "b", "join")];
  const tasks = [userTask("a", 'camunda:assignee="${x}"'), userTask("b")];
  await deploy(server, model(key, [start(), gateways, ...tasks, end(), ...flows].join("")));
  const ann = { ...memberOf(), user: "ann" };
  const { process_instance_id: id } = await startInstance(server, key, { variables: { x: "ann" } });
  const [a, b] = (await tasksOf(server, id)).toSorted((one, two) =>
    one.activity_id.localeCompare(two.activity_id),
  );
  await completeTask(server, b?.task_id ?? "", { by: memberOf(), variables: { x: 7 } });
  expect(await tasksOf(server, id)).toEqual([a as never]);
  await completeTask(server, a?.task_id ?? "", { by: ann });
});

test("each of two tokens in one activity opens a task with owners", async () => {
  const key = freshKey();
  const gateways = '<parallelGateway id="fork"/><task id="one"/><task id="two"/>';
  const flows = [flow("start", "fork", "one", "review", "end"), flow("fork", "two", "review")];
  const task = userTask("review", groups("${team}"));
  await deploy(server, model(key, [start(), gateways, task, end(), ...flows].join("")));
  const { process_instance_id: id } = await startInstance(server, key, { variables: { team: "clerks" } });
  const owned = { activity_id: "review", candidate_groups: ["clerks"] };
  const tasks = await tasksOf(server, id);
  expect(tasks).toMatchObject([owned, owned]);
  for (const { task_id: on } of tasks) {
    await expectProblem(await act(server, "complete", { on, by: memberOf() }), "task_not_yours");
    await completeTask(server, on, { by: memberOf("clerks") });
  }
  await reaches(server, id, "completed");
});

test("a completion that would open a task for nobody is refused, and the task before it stays", async () => {
  const key = freshKey();
  const tasks = [userTask("a"), userTask("b", 'camunda:assignee="${next}"')];
  await deploy(server, model(key, [start(), ...tasks, end(), flow("start", "a", "b", "end")].join("")));
  const { process_instance_id: id } = await startInstance(server, key);
  const on = (await tasksOf(server, id))[0]?.task_id ?? "";
  const { message } = await expectProblem(
    await act(server, "complete", { on, by: administrator }),
    "process_failed",
  );
  expect(message).toContain('There is no variable "next"');
  await completeTask(server, on, { variables: { next: "ann" } });
  expect(await tasksOf(server, id)).toMatchObject([{ activity_id: "b", assignee: "ann" }]);
});

test("a timer that would open a task for nobody is an incident, and a rerun opens the task", async () => {
  const key = freshKey();
  const parts = [
    userTask("a"),
    boundaryTimer("late", "a", { after: "PT1S" }),
    userTask("b", groups("${team}")),
    flow("start", "a", "end"),
    flow("late", "b", "end"),
  ];
  await deploy(server, model(key, [start(), ...parts, end()].join("")));
  const { process_instance_id: id } = await startInstance(server, key);
  const { incident_id, message, activity_id } = await incidentOf(server, id);
  expect({ activity_id, message }).toMatchObject({ activity_id: "late" });
  expect(message).toContain('There is no variable "team"');
  const api = await server.processes();
  const corrections = { variables: { team: { value: "clerks" } } };
  await api.setProcessVariables({
    xActiveTenant: "tenant-1",
    processInstanceId: id,
    variableCorrections: corrections,
  });
  await rerun(server, incident_id);
  await until(async () => (await tasksOf(server, id))[0]?.activity_id === "b");
  await reaches(server, id, "active");
  expect(await tasksOf(server, id)).toMatchObject([{ activity_id: "b", candidate_groups: ["clerks"] }]);
});

test("a step in another thread finds the owners, too", async () => {
  const key = freshKey();
  const parts = [
    '<exclusiveGateway id="decision" default="decision_b"/>',
    userTask("a", groups("${team}")),
    userTask("b"),
    flow("start", "decision", "b", "end"),
    conditionalFlow("decision", "a", "${long != 'short'}"),
    flow("a", "end"),
  ];
  await deploy(server, model(key, [start(), ...parts, end()].join("")));
  const variables = { team: "clerks", long: "x".repeat(100_000) };
  const { process_instance_id: id } = await startInstance(server, key, { variables });
  expect(await tasksOf(server, id)).toMatchObject([{ activity_id: "a", candidate_groups: ["clerks"] }]);
  const failed = await begin(key, { long: variables.long });
  expect((await expectProblem(failed, "process_failed")).message).toContain('There is no variable "team"');
});

const role = (type: string, text: string) =>
  `<${type}><resourceAssignmentExpression><formalExpression>${text}</formalExpression></resourceAssignmentExpression></${type}>`;

const withRoles = (key: string, roles: string, attributes = "") =>
  model(
    key,
    `${start()}<userTask id="review" ${attributes}>${roles}</userTask>${end()}${flow("start", "review", "end")}`,
  );

async function ownersByRole(roles: string, attributes = "", variables: Values = {}) {
  const key = freshKey();
  await deploy(server, withRoles(key, roles, attributes));
  const { process_instance_id: id } = await startInstance(server, key, { variables });
  const [task] = await tasksOf(server, id);
  return { assignee: task?.assignee, users: task?.candidate_users, groups: task?.candidate_groups };
}

test("the standard's roles count as Camunda 7 reads them", async () => {
  expect(await ownersByRole(role("humanPerformer", " ann "))).toEqual({ ...nobody, assignee: "ann" });
  expect(await ownersByRole(role("humanPerformer", "${x}"), "", { x: "ben" })).toEqual({
    ...nobody,
    assignee: "ben",
  });
  const owners = role("potentialOwner", "user(ann), group( clerks ), managers, user(${x})");
  expect(await ownersByRole(owners, 'camunda:candidateUsers="eve"', { x: "ben,cat" })).toEqual({
    ...nobody,
    users: ["eve", "ann", "ben", "cat"],
    groups: ["clerks", "managers"],
  });
});

test("a role without an expression names nobody, as in Camunda 7, and the deployment says so", async () => {
  const key = freshKey();
  const bpmn = withRoles(key, "<potentialOwner><resourceRef>r</resourceRef></potentialOwner>");
  const { warnings } = await deploy(
    server,
    bpmn.replace("<process ", '<resource id="r" name="r"/><process '),
  );
  expect(warnings).toEqual([expect.stringContaining("The PotentialOwner is ignored")]);
  expect(warnings[0]).toEndWith("Every member of the tenant may complete the task.");
  const { process_instance_id: id } = await startInstance(server, key);
  const [task] = await tasksOf(server, id);
  await completeTask(server, task?.task_id ?? "", { by: memberOf() });
});

test("a deployment names the owners that cannot be read", async () => {
  const faults: [string, string, string][] = [
    [role("humanPerformer", "ann"), 'camunda:assignee="ben"', "The assignee is there twice"],
    [role("humanPerformer", "ann") + role("humanPerformer", "ben"), "", "at most one humanPerformer"],
    [role("potentialOwner", "user(ann,ben)"), "", "needs a closing parenthesis"],
    ["", `camunda:assignee="${"x".repeat(256)}"`, "longer than 255 characters"],
    [
      "",
      groups(Array.from({ length: 101 }, (_, index) => `g${index}`).join(",")),
      "more than 100 candidates",
    ],
    ["", groups("${"), 'a "}" or a quote is missing'],
    ["", 'camunda:assignee="#{directory.find(team)}"', "cannot be read"],
  ];
  for (const [roles, attributes, expected] of faults) {
    const form = new FormData();
    form.set("bpmn", new File([withRoles(freshKey(), roles, attributes)], "model.bpmn"));
    const answer = await server.request("/api/v1/probis/process-definitions", {
      method: "POST",
      headers: { "x-active-tenant": "tenant-1" },
      body: form,
    });
    const { errors = [] } = await expectProblem(answer, "invalid_bpmn");
    expect(errors.map(({ detail }) => detail).join("\n")).toContain(expected);
  }
});

test("a deployment warns of empty owners, and of a start form that sets the variable of an owner", async () => {
  const key = freshKey();
  const empty = await deploy(server, oneTask(key, 'camunda:assignee="" camunda:candidateGroups=","'));
  expect(empty.warnings).toEqual([
    expect.stringMatching(/^Line \d+, "review": camunda:assignee is empty and ignored\.$/),
    expect.stringMatching(/^Line \d+, "review": camunda:candidateGroups is empty and ignored\.$/),
  ]);
  const components = ["approver", "amount"].map((name) => ({ type: "textfield", key: name }));
  const forms = [{ id: "apply", components }];
  const first = start("start", 'camunda:formRef="apply"');
  const attributes = `camunda:assignee="\${approver}" ${groups("${team}")}`;
  const { warnings } = await deploy(server, oneTask(key, attributes, first), { forms });
  expect(warnings).toEqual([
    expect.stringContaining('"review": The start form sets the variable "approver"'),
  ]);
  expect((await deploy(server, oneTask(key, groups("clerks"), first), { forms })).warnings).toEqual([]);
});
