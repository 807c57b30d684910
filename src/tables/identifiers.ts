/** What a tenant's names may not be. */

/** PostgreSQL's own columns, which every table has and no table may define. */
export const systemColumns: ReadonlySet<string> = new Set([
  "tableoid",
  "xmin",
  "cmin",
  "xmax",
  "cmax",
  "ctid",
]);
