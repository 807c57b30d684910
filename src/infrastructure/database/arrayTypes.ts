/**
 * The array types that are sent and read, as PostgreSQL writes them. postgres.js would ask each new connection for the
 * types of all arrays, and a connection that is lost in the middle of this rejects a promise that nobody holds.
 */

/** An array of one dimension. */
const arrayType = <T>(oid: number, parseItem: (text: string) => T) => ({
  to: oid,
  from: [oid],
  serialize: (items: readonly unknown[] | string) =>
    typeof items === "string" ? items : `{${items.map(quoteItem).join(",")}}`,
  parse: (text: string): (T | null)[] => {
    const items = text.slice(1, -1).match(/"(?:[^"\\]|\\.)*"|[^,]+/gs) ?? [];
    return items.map((item) => (item === "NULL" ? null : parseItem(unquoteItem(item))));
  },
});

const quoteItem = (item: unknown) =>
  item === null || item === undefined ? "NULL" : `"${String(item).replaceAll(/["\\]/g, "\\$&")}"`;

const unquoteItem = (item: string) =>
  item.startsWith('"') ? item.slice(1, -1).replaceAll(/\\(.)/gs, "$1") : item;

/** By their OIDs in `pg_type`. */
export const arrayTypes = {
  integers: arrayType(1007, Number),
  texts: arrayType(1009, String),
  uuids: arrayType(2951, String),
};
