/**
 * Whom a model gives a user task to: `camunda:assignee`, `camunda:candidateUsers` and `camunda:candidateGroups`, or the
 * standard's `humanPerformer` and `potentialOwner`. As in Camunda 7, `user(x)` is a candidate, and `group(x)` or `x` is
 * a candidate group.
 */
import { type Element, isType, listOf } from "./elements.ts";
import { checkTextWithExpressions, hasExpression, namesRead } from "./expressions.ts";
import type { ValidationReport } from "./validationReport.ts";

/** Each text is a name, or an expression for names. */
export interface OwnerTexts {
  readonly assignee: string | undefined;
  readonly candidateUsers: readonly string[];
  readonly candidateGroups: readonly string[];
}

/** Characters of a subject, and of a group, in an access token. */
export const longestOwner = 255;
/** Candidate users of a task, and likewise candidate groups. */
export const mostCandidates = 100;

export function ownersOf(task: Element): OwnerTexts {
  const potential = rolesOf(task, "PotentialOwner").flatMap(listIn).map(candidateOf);
  const named = (kind: Candidate["kind"]) =>
    potential.filter((candidate) => candidate.kind === kind).map(({ name }) => name);
  return {
    assignee: textOf(task.assignee) ?? rolesOf(task, "HumanPerformer")[0],
    candidateUsers: [...listIn(textOf(task.candidateUsers)), ...named("user")],
    candidateGroups: [...listIn(textOf(task.candidateGroups)), ...named("group")],
  };
}

const textsIn = ({ assignee, candidateUsers, candidateGroups }: OwnerTexts): readonly string[] => [
  ...(assignee === undefined ? [] : [assignee]),
  ...candidateUsers,
  ...candidateGroups,
];

/** The variables that decide whose the task is. */
export const ownerVariables = (owners: OwnerTexts): ReadonlySet<string> =>
  new Set(textsIn(owners).flatMap((text) => [...namesRead(text)]));

/** Whether the model gives the task to somebody. */
export const namesOwners = (owners: OwnerTexts) => textsIn(owners).length > 0;

export function validateOwners(task: Element, report: ValidationReport): void {
  validateAssignee(task, report);
  validateRoles(task, report);
  const owners = ownersOf(task);
  for (const name of ["assignee", "candidateUsers", "candidateGroups"] as const) {
    const attribute = task[name];
    if (typeof attribute === "string" && listIn(attribute).length === 0)
      report.warning(task, `camunda:${name} is empty and ignored.`);
  }
  for (const list of [owners.candidateUsers, owners.candidateGroups])
    if (list.length > mostCandidates)
      report.fault(task, `The task has more than ${mostCandidates} candidates of one kind. Use a group.`);
  for (const text of textsIn(owners)) {
    const why = faultOf(text);
    if (why) report.fault(task, why);
  }
}

function faultOf(text: string): string | undefined {
  if (hasExpression(text)) return checkTextWithExpressions(text);
  if (text.length > longestOwner)
    return `The name "${text.slice(0, 40)}…" of an assignee or candidate is longer than ${longestOwner} characters.`;
  if (/^(user|group)\(/.test(text))
    return `"${text}" needs a closing parenthesis, and a name without a comma.`;
  return undefined;
}

function validateAssignee(task: Element, { fault }: ValidationReport): void {
  const performers = listOf(task, "resources").filter((role) => isType(role, "HumanPerformer"));
  if (performers.length > 1) fault(task, "A user task has at most one humanPerformer.");
  if (textOf(task.assignee) !== undefined && rolesOf(task, "HumanPerformer").length > 0)
    fault(
      task,
      "The assignee is there twice: as camunda:assignee and as humanPerformer. Remove one of them.",
    );
}

/** Roles that name nobody by an expression. Camunda 7 ignores them, too. */
function validateRoles(task: Element, { warning }: ValidationReport): void {
  const isOpen = !namesOwners(ownersOf(task));
  const then = isOpen ? " Every member of the tenant may complete the task." : "";
  for (const role of listOf(task, "resources")) {
    const kind = role.$type.replace(/^\w+:/, "");
    const readable = isType(role, "HumanPerformer", "PotentialOwner") && expressionIn(role) !== undefined;
    if (!readable)
      warning(task, `The ${kind} is ignored, because no expression in it names a user or group.${then}`);
  }
}

/** The texts of the roles of one type. */
const rolesOf = (task: Element, type: "HumanPerformer" | "PotentialOwner") =>
  listOf(task, "resources")
    .filter((role) => isType(role, type))
    .flatMap((role) => expressionIn(role) ?? []);

function expressionIn(role: Element): string | undefined {
  const assignment = role.resourceAssignmentExpression as Element | undefined;
  return textOf((assignment?.expression as Element | undefined)?.body);
}

/** Without the space around it. Undefined if nothing is left. */
const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;

interface Candidate {
  readonly kind: "user" | "group";
  readonly name: string;
}

function candidateOf(text: string): Candidate {
  const [, kind = "group", name = text] = /^(user|group)\((.*)\)$/s.exec(text) ?? [];
  return { kind: kind as Candidate["kind"], name: name.trim() };
}

/** The parts between commas. A comma in braces separates nothing. */
function listIn(text: string | undefined): readonly string[] {
  const items: string[] = [];
  let [item, isInBraces] = ["", false];
  for (const char of text ?? "") {
    isInBraces = char === "{" || (isInBraces && char !== "}");
    if (char !== "," || isInBraces) item += char;
    else {
      items.push(item.trim());
      item = "";
    }
  }
  return [...items, item.trim()].filter((name) => name !== "");
}
