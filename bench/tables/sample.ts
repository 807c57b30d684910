/** The table that is measured: a column of each type, and rows for it that look like business data. */

export const columns = [
  { name: "label", type: "text" },
  { name: "quantity", type: "integer" },
  { name: "reference", type: "bigint" },
  { name: "price", type: "numeric" },
  { name: "active", type: "boolean" },
  { name: "due", type: "date" },
  { name: "seen_at", type: "timestamp" },
  { name: "details", type: "jsonb" },
] as const;

/** `quantity` has this many different values, evenly spread: a filter on one finds every hundredth row. */
export const quantities = 100;

export function sampleRow(index: number) {
  return {
    label: `Order ${index} of the north-west branch`,
    quantity: index % quantities,
    reference: String(9_000_000_000_000_000n + BigInt(index)),
    price: `${index}.95`,
    active: index % 2 === 0,
    due: `2026-09-${String(1 + (index % 30)).padStart(2, "0")}`,
    seen_at: "2026-09-04T08:15:30.123456Z",
    details: { channel: "branch", tags: ["new", "loan"], score: index % 7 },
  };
}

/** The same rows made by the database, for tables too large to fill through the API. */
export const sampleRowsSql = (table: string, count: number) => `
  insert into ${table} (label, quantity, reference, price, active, due, seen_at, details)
  select 'Order ' || i || ' of the north-west branch', i % ${quantities}, 9000000000000000 + i, (i || '.95')::numeric,
    i % 2 = 0, date '2026-09-01' + i % 30, '2026-09-04T08:15:30.123456Z',
    jsonb_build_object('channel', 'branch', 'tags', jsonb_build_array('new', 'loan'), 'score', i % 7)
  from generate_series(1, ${count}) i`;
