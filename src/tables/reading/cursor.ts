/**
 * A cursor: the place after one row of a list, for `$after`. It holds what it was made for (table, order and filters)
 * and the row's values in that order, as text. It works in every process, and also if the row is gone. It is not
 * secret: its values are those of a row that the caller has read, and they are checked like any other input.
 */
import { createHash } from "node:crypto";
import { Problem } from "../../infrastructure/problem.ts";
import type { Definition } from "../definition.ts";
import { typeOf } from "../statement.ts";
import { type Order, orderText } from "./order.ts";

/** What a cursor is made for. The filters are texts of the request. */
export interface CursorScope {
  readonly definition: Definition;
  readonly order: Order;
  readonly filter: string | undefined;
  readonly equals: Readonly<Record<string, string>>;
}

/** The values of the row after which the page begins, in the order's terms, as text that PostgreSQL casts. */
export type Keys = readonly (string | null)[];

/** Characters. A URL has room for it beside the longest filter that a cursor of this length allows. */
export const maxCursorLength = 8_192;
const checksumBytes = 8;

/** `keys` is JSON. Throws `invalid_parameter` if they are too long; null means that PostgreSQL found them so. */
export function encodeCursor(scope: CursorScope, keys: string | null): string {
  const { definition, order } = scope;
  const content = `[${definition.id},${JSON.stringify(orderText(order))},"${digestOf(scope)}",${keys}]`;
  const bytes = Buffer.from(content);
  const cursor = Buffer.concat([checksum(bytes), bytes]).toString("base64url");
  if (keys === null || cursor.length > maxCursorLength) throw keysTooLong(order);
  return cursor;
}

/** Throws `invalid_parameter` if the cursor is damaged, or was made for something else. */
export function decodeCursor(cursor: string, scope: CursorScope): Keys {
  const [table, order, digest, keys] = contentOf(cursor);
  const { definition } = scope;
  if (table !== definition.id) throw refused("It was made for another table.");
  if (order !== orderText(scope.order)) throw refused(`It was made for $orderby=${order}.`);
  if (digest !== digestOf(scope)) throw refused("It was made for other filters.");
  if (!areKeys(keys, scope)) throw damaged();
  return keys.map((key, at) =>
    key === null ? null : typeAt(scope, at).toText(typeAt(scope, at).fromFilter(key)),
  );
}

function contentOf(cursor: string): readonly unknown[] {
  const all = Buffer.from(cursor, "base64url");
  const bytes = all.subarray(checksumBytes);
  if (!checksum(bytes).equals(all.subarray(0, checksumBytes)) || all.toString("base64url") !== cursor)
    throw damaged();
  try {
    const content: unknown = JSON.parse(bytes.toString());
    return Array.isArray(content) ? content : [];
  } catch {
    throw damaged();
  }
}

/** A table that was altered may have another type or no nulls now. */
function areKeys(keys: unknown, scope: CursorScope): keys is Keys {
  const { definition, order } = scope;
  if (!Array.isArray(keys) || keys.length !== order.length) return false;
  return order.every(({ name }, at) => {
    const key: unknown = keys[at];
    if (key === null) return definition.nullable.has(name);
    return typeof key === "string" && typeAt(scope, at).accepts(typeAt(scope, at).fromFilter(key));
  });
}

const typeAt = ({ definition, order }: CursorScope, at: number) =>
  typeOf(definition, order[at]?.name ?? "id");

function digestOf({ filter, equals }: CursorScope): string {
  const names = Object.keys(equals).sort();
  const text = JSON.stringify([filter ?? null, names.map((name) => [name, equals[name]])]);
  return createHash("sha256").update(text).digest("base64url").slice(0, 22);
}

const checksum = (bytes: Uint8Array) =>
  createHash("sha256").update(bytes).digest().subarray(0, checksumBytes);

const refused = (detail: string, pointer = "/query/$after") =>
  new Problem("invalid_parameter", { errors: [{ pointer, detail }] });

const damaged = () => refused("It is not a cursor of this list. Take it from data.next.");

function keysTooLong(order: Order) {
  const columns = order.map(({ name }) => `"${name}"`).join(", ");
  const detail = `A value of ${columns} is too long for a cursor. Order by another column.`;
  return refused(detail, "/query/$orderby");
}
