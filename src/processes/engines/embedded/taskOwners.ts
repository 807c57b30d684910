/** Finds out whose a new user task is, from the texts of its model and the variables at that moment. */
import { unstorable } from "../../../infrastructure/json.ts";
import { evaluateText, hasExpression } from "../../bpmn/expressions.ts";
import { longestOwner, mostCandidates, namesOwners, type OwnerTexts } from "../../bpmn/taskOwners.ts";
import { ProcessFailure } from "./processFailure.ts";

export interface Owners {
  readonly assignee: string | null;
  readonly candidateUsers: readonly string[];
  readonly candidateGroups: readonly string[];
  /** Whether the model gives the task to somebody. */
  readonly owned: boolean;
}

type Values = Readonly<Record<string, unknown>>;

/**
 * The owners of a new task. An assignee that is null or empty leaves the task to its candidates. If nobody is left, it
 * waits for an administrator to assign it. As in Camunda 7, any other value that names nobody fails. Throws
 * `ProcessFailure`.
 */
export function evaluateOwners(activityId: string, texts: OwnerTexts, values: Values): Owners {
  try {
    return {
      assignee: assigneeOf(texts.assignee, values),
      candidateUsers: candidatesOf(texts.candidateUsers, values),
      candidateGroups: candidatesOf(texts.candidateGroups, values),
      owned: namesOwners(texts),
    };
  } catch (error) {
    const why = `It is not known whose the user task "${activityId}" is. ${(error as Error).message}`;
    throw new ProcessFailure(why, { cause: error });
  }
}

/** Says why, without the value of a variable. */
class NoOwner extends Error {
  override readonly name = "NoOwner";
}

function assigneeOf(text: string | undefined, values: Values): string | null {
  if (text === undefined) return null;
  const value = hasExpression(text) ? evaluateText(text, values) : text;
  if (value === null || value === "") return null;
  if (isName(value)) return value;
  throw new NoOwner(`The value of ${text} is not a text of at most ${longestOwner} characters.`);
}

function candidatesOf(texts: readonly string[], values: Values): readonly string[] {
  const names = new Set(texts.flatMap((text) => (hasExpression(text) ? namesOf(text, values) : [text])));
  if (names.size > mostCandidates)
    throw new NoOwner(`It has more than ${mostCandidates} candidates of one kind.`);
  return [...names];
}

/** A text with commas between the names, or a list of names. */
function namesOf(text: string, values: Values): readonly string[] {
  const value = evaluateText(text, values);
  const names = typeof value === "string" ? value.split(",").map((name) => name.trim()) : value;
  if (Array.isArray(names) && names.every((name) => name === "" || isName(name)))
    return names.filter((name) => name !== "");
  throw new NoOwner(`The value of ${text} is not a list of texts of at most ${longestOwner} characters.`);
}

const isName = (value: unknown): value is string =>
  typeof value === "string" &&
  value !== "" &&
  value.length <= longestOwner &&
  unstorable(value) === undefined;
