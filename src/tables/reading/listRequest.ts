/** What the parameters of a list mean for a table. */
import type { Definition } from "../definition.ts";
import { filterCondition } from "../values.ts";
import { allColumns } from "./answerRow.ts";
import { parseFilter } from "./filter/parseFilter.ts";
import type { Selection } from "./matches.ts";
import { defaultOrder, type Order, parseOrder } from "./order.ts";
import { parseSelect } from "./select.ts";

export interface ListParameters {
  /** Column to text: the equality filters. */
  readonly equals: Readonly<Record<string, string>>;
  readonly $filter?: string | undefined;
  readonly $orderby?: string | undefined;
  readonly $select?: string | undefined;
}

export interface ListRequest extends Selection {
  readonly order: Order;
  /** The columns of the answer. */
  readonly columns: readonly string[];
}

/** Throws a problem with every fault of the equality filters, or with the place of the first fault of another one. */
export function listRequest(definition: Definition, parameters: ListParameters): ListRequest {
  const { equals, $filter, $orderby, $select } = parameters;
  return {
    where: filterCondition(definition, equals),
    filter: $filter === undefined ? undefined : parseFilter($filter, definition),
    order: $orderby === undefined ? defaultOrder : parseOrder($orderby, definition),
    columns: $select === undefined ? allColumns(definition) : parseSelect($select, definition),
  };
}
