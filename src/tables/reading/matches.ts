/** Which rows a request means. */
import type { Definition } from "../definition.ts";
import { type Condition, conditionSql, type Parameters } from "../statement.ts";
import type { FilterNode } from "./filter/expression.ts";
import { filterSql } from "./filter/filterSql.ts";

export interface Selection {
  /** Column to value: the equality filters. */
  readonly where: Condition;
  /** `$filter`, which rows must match too. */
  readonly filter?: FilterNode | undefined;
}

/** A condition on the table `t`. */
export function matchesSql(
  definition: Definition,
  { where, filter }: Selection,
  parameters: Parameters,
): string {
  const equal = conditionSql(definition, where, parameters);
  return filter ? `${equal} and ${filterSql(filter, definition, parameters)}` : equal;
}
