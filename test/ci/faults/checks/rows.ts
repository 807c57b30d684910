/** Rules about rows: every acknowledged row is there once, as it was last written, and once in the audit trail. */
import type postgres from "postgres";
import { type Ledger, ledgerTable, rowsPath } from "../clients/ledger.ts";
import { type Note, notesTable } from "../clients/notes.ts";
import type { Entry } from "../history.ts";
import type { Trial } from "../trial.ts";
import { type Check, check, groupEqual } from "./check.ts";

export interface RowFacts {
  readonly ledger: Ledger;
  readonly notes: readonly Note[];
  readonly entries: readonly Entry[];
}

export async function checkRows(trial: Trial, sql: postgres.Sql, facts: RowFacts): Promise<Check[]> {
  const { ledger, notes, entries } = facts;
  const present = new Map<string, number>();
  const states = new Map<string, number[]>();
  for (const tenant of trial.tenants) {
    for (const { entry } of await readAll<{ entry: string }>(trial, tenant, ledgerTable))
      present.set(entry, (present.get(entry) ?? 0) + 1);
    for (const { name, state } of await readAll<{ name: string; state: number }>(trial, tenant, notesTable))
      states.set(name, [...(states.get(name) ?? []), state]);
  }
  return Promise.all([
    check("no acknowledged row is lost or doubled, and no refused row is there", () =>
      misplacedRows(ledger, present),
    ),
    check("an acknowledged row can be read immediately", () => ledger.misread),
    check("a changed row is in the last acknowledged state", () => wrongNotes(notes, states)),
    check("every acknowledged and every refused write is once in the audit trail", () =>
      misrecorded(sql, entries),
    ),
    check("the audit trail has one record for each insert in the table", () =>
      unexplained(sql, { ledger, present, tenants: trial.tenants }),
    ),
  ]);
}

async function readAll<Row>(trial: Trial, tenant: number, table: string): Promise<Row[]> {
  const token = await trial.token({ tenant, user: "auditor", role: "admin_sop" });
  const rows: Row[] = [];
  for (let page = 0; ; page++) {
    const to = `GET ${rowsPath(tenant, table)}?limit=500&page=${page}`;
    const answer = await trial.send({ operation: "listRows", tenant, token, to });
    if (answer.outcome !== "acknowledged") throw new Error(`page ${page} was answered ${answer.status}`);
    const { data } = answer.json<{ data: { rows: Row[] } }>();
    rows.push(...data.rows);
    if (data.rows.length < 500) return rows;
  }
}

/** A batch is there completely or not at all. If its answer was lost, both are right. */
export function misplacedRows(
  { batches }: Pick<Ledger, "batches">,
  present: ReadonlyMap<string, number>,
): string[] {
  const known = new Set(batches.flatMap(({ entries }) => entries));
  const wrong = batches.flatMap(({ entries, outcome }) => {
    const counts = entries.map((entry) => present.get(entry) ?? 0);
    const right = (count: number) => counts.every((other) => other === count);
    if ((outcome !== "refused" && right(1)) || (outcome !== "acknowledged" && right(0))) return [];
    return [`${outcome}: ${entries.join(" ")} are there ${counts.join(" ")} times`];
  });
  const foreign = [...present.keys()].filter((entry) => !known.has(entry));
  return [...wrong, ...foreign.map((entry) => `${entry} was never written`)];
}

export function wrongNotes(notes: readonly Note[], states: ReadonlyMap<string, number[]>): string[] {
  return notes.flatMap(({ name, possible }) => {
    const found = states.get(name) ?? [];
    const state = found.length === 0 ? "absent" : found[0];
    if (found.length <= 1 && state !== undefined && possible.includes(state)) return [];
    return [`${name} is ${found.join(" and ") || "absent"}, and was last ${possible.join(" or ")}`];
  });
}

const audited = new Set(["createTable", "insertRows", "updateRows", "deleteRows"]);

/** The audit records of these tenants. */
async function trailsOf(sql: postgres.Sql, tenants: readonly number[]) {
  const trails = await Promise.all(
    tenants.map(
      (tenant) => sql<{ id: string; outcome: string; action: string; table_name: string | null }[]>`
        select request_id::text as id, outcome, action, table_name from ${sql(`tenant_${tenant}`)}._audit`,
    ),
  );
  return trails.flat();
}

async function misrecorded(sql: postgres.Sql, entries: readonly Entry[]): Promise<string[]> {
  const tenants = await sql<{ id: number }[]>`select id::float8 as id from waybill.tenants`;
  const trails = await trailsOf(
    sql,
    tenants.map(({ id }) => id),
  );
  const records = Map.groupBy(trails, ({ id }) => id);
  return groupEqual(
    entries
      .filter(
        ({ operation, by, outcome }) => audited.has(operation) && by === "waybill" && outcome !== "unknown",
      )
      .flatMap(({ operation, outcome, requestId, code }) => {
        const found = (records.get(requestId) ?? []).map((record) => record.outcome).join(" ");
        const wanted = outcome === "acknowledged" ? "success" : "failure";
        return found === wanted ? [] : [`${operation} ${outcome} ${code}: recorded as "${found}"`];
      }),
  );
}

interface Explanation {
  readonly ledger: Ledger;
  readonly present: ReadonlyMap<string, number>;
  readonly tenants: readonly number[];
}

/** Includes inserts whose answers were lost. */
async function unexplained(sql: postgres.Sql, { ledger, present, tenants }: Explanation): Promise<string[]> {
  const batches = ledger.batches.filter(({ entries }) => present.has(entries[0] ?? "")).length;
  const recorded = (await trailsOf(sql, tenants)).filter(
    ({ table_name, action, outcome }) =>
      table_name === ledgerTable && action === "insert" && outcome === "success",
  ).length;
  return recorded === batches ? [] : [`${batches} inserts are there, and ${recorded} are recorded`];
}
