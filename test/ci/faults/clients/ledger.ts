/** Clients that write rows which never change, each with a unique value, and clients that read them. */

import type { Outcome } from "../history.ts";
import { again, pause, type Trial, times } from "../trial.ts";

export interface Batch {
  readonly tenant: number;
  readonly entries: readonly string[];
  readonly outcome: Outcome;
  readonly requestId: string;
}

export interface Ledger {
  readonly batches: readonly Batch[];
  /** Acknowledged rows that a later read did not show exactly once. */
  readonly misread: readonly string[];
  readonly loops: readonly Promise<void>[];
}

export const ledgerTable = "ledger";
export const rowsPath = (tenant: number, table: string) =>
  `/api/v1/report/${tenant}/schema/tables/${table}/rows`;

export function keepLedgers(trial: Trial): Ledger {
  const batches: Batch[] = [];
  const misread: string[] = [];
  const writer = (tenant: number) => async (name: string) => {
    const token = await trial.token({ tenant, user: name, role: "admin_sop" });
    for (let number = 1; trial.going(); number++) {
      batches.push(await write(trial, { tenant, token, prefix: `${name}-${number}` }));
      await pause(80);
    }
  };
  const reader = async (name: string) => {
    await again(trial.going, async () => {
      const batch = batches[Math.floor(Math.random() * batches.length)];
      if (batch?.outcome === "acknowledged") misread.push(...(await read(trial, batch, name)));
      await pause(60);
    });
  };
  const writers = trial.tenants.flatMap((tenant) =>
    times(3, (index) => writer(tenant)(`writer-${tenant}-${index}`)),
  );
  return { batches, misread, loops: [...writers, ...times(3, (index) => reader(`reader-${index}`))] };
}

interface Writing {
  readonly tenant: number;
  readonly token: string;
  readonly prefix: string;
}

async function write(trial: Trial, { tenant, token, prefix }: Writing): Promise<Batch> {
  const entries = times(1 + Math.floor(Math.random() * 5), (index) => `${prefix}-${index}`);
  const { outcome, requestId } = await trial.send({
    operation: "insertRows",
    tenant,
    token,
    to: `POST ${rowsPath(tenant, ledgerTable)}`,
    body: { rows: entries.map((entry, index) => ({ entry, amount: index })) },
  });
  return { tenant, entries, outcome, requestId };
}

async function read(trial: Trial, { tenant, entries }: Batch, user: string): Promise<string[]> {
  const [entry = ""] = entries;
  const token = await trial.token({ tenant, user, role: "admin_sop" });
  const answer = await trial.send({
    operation: "listRows",
    tenant,
    token,
    to: `GET ${rowsPath(tenant, ledgerTable)}?entry=${entry}`,
  });
  if (answer.outcome !== "acknowledged") return [];
  const { total } = answer.json<{ data: { total: number } }>().data;
  return total === 1 ? [] : [`${entry} was there ${total} times`];
}
