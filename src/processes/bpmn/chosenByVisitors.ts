import { namesOf } from "../formVariables.ts";
import { type OwnerTexts, ownerVariables } from "./taskOwners.ts";

export interface OwnedTasks {
  /** The id of the form that starts the process. */
  readonly startFormRef: string | undefined;
  readonly userTasks: ReadonlyMap<string, { readonly owners: OwnerTexts }>;
}

/**
 * A warning for each task whose owner is a field of the start form: whoever fills in the form names that person.
 * `forms` has form-js schemas by their ids.
 */
export function chosenByVisitors(
  { startFormRef, userTasks }: OwnedTasks,
  forms: Readonly<Record<string, unknown>>,
): string[] {
  const form = startFormRef === undefined ? undefined : forms[startFormRef];
  const isField = namesOf((form as object | undefined) ?? null);
  return [...userTasks].flatMap(([id, { owners }]) =>
    [...ownerVariables(owners)]
      .filter(isField)
      .map(
        (name) =>
          `"${id}": The start form sets the variable "${name}", which decides whose this task is. Whoever fills in ` +
          "the form, also a visitor, can choose that person.",
      ),
  );
}
