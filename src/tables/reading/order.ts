/** The order of a list: `$orderby=branch,amount desc`. Rows without a value come last, and the id decides ties. */
import type { ColumnType } from "../columnTypes/columnType.ts";
import type { Definition } from "../definition.ts";
import { columnSql } from "../statement.ts";
import { unknownColumn } from "./filter/paths.ts";
import { Reader } from "./reader.ts";

export interface OrderTerm {
  readonly name: string;
  readonly descending: boolean;
}

/** The last term is the id, so no two rows are equal. */
export type Order = readonly OrderTerm[];

const byId: OrderTerm = { name: "id", descending: false };
export const defaultOrder: Order = [byId];

const maxTerms = 8;

/** The order of a table's rows. Throws as `parseTerms` does. */
export function parseOrder(text: string, definition: Definition): Order {
  const terms = parseTerms(text, definition.types);
  // The id is unique: what follows it never decides.
  const last = terms.findIndex(({ name }) => name === "id");
  return last === -1 ? [...terms, byId] : terms.slice(0, last + 1);
}

type Types = ReadonlyMap<string, Pick<ColumnType, "sqlType">>;

/**
 * Throws `invalid_parameter` or `unknown_column`, with the place. A jsonb column has no order that a person expects.
 */
export function parseTerms(text: string, types: Types): Order {
  const reader = new Reader(text, "$orderby");
  const terms: OrderTerm[] = [];
  do terms.push(readTerm(reader, types, terms));
  while (reader.accept(","));
  if (reader.peek().type !== "end") reader.fail('"asc", "desc", "," or the end');
  return terms;
}

function readTerm(reader: Reader, types: Types, before: Order): OrderTerm {
  const token = reader.peek();
  const { text: name, at } = token;
  if (token.type !== "word") reader.fail("a column");
  const type = types.get(name);
  if (!type) throw unknownColumn(reader);
  if (type.sqlType === "jsonb")
    throw reader.fault(at, `expected a column that has an order, but "${name}" is jsonb.`);
  if (before.some((term) => term.name === name)) throw reader.fault(at, `column "${name}" is there twice.`);
  if (before.length === maxTerms) throw reader.fault(at, `there are more than ${maxTerms} columns.`);
  reader.next();
  return { name, descending: reader.acceptWord("asc", "desc") === "desc" };
}

/** `amount desc,id asc`: equal texts are equal orders. */
export const orderText = (order: Order) =>
  order.map(({ name, descending }) => `${name} ${descending ? "desc" : "asc"}`).join();

/** The list after `order by`. Says where nulls go only if there can be some, because most indexes do not fit then. */
export const orderSql = (order: Order, isNullable: (name: string) => boolean) =>
  order
    .map(({ name, descending }) => {
      const column = columnSql(name);
      if (!descending) return column;
      return isNullable(name) ? `${column} desc nulls last` : `${column} desc`;
    })
    .join(", ");
