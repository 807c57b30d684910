/** A tenant's secrets: sealed when they are set, opened when a service task runs, shown to nobody. */
import type { Queryable, Sql } from "../../infrastructure/database/connect.ts";
import { CannotOpen, type Sealing } from "../../infrastructure/sealing.ts";
import { findAllSealed, findSealed, replaceSealed } from "./queries.ts";

export const mostSecrets = 100;

/** A row that was moved to another tenant or name does not open. */
export const contextOf = (tenantId: number, name: string) => `secret\n${tenantId}\n${name}`;

export interface OpenedSecrets {
  /** By name. */
  readonly values: Readonly<Record<string, string>>;
  /** Names of those that no configured key opens. */
  readonly unreadable: readonly string[];
}

/** Of these names, those that there are. */
export async function readSecrets(
  sql: Queryable,
  { tenantId, names, sealing }: { tenantId: number; names: readonly string[]; sealing: Sealing },
): Promise<OpenedSecrets> {
  const values: [string, string][] = [];
  const unreadable: string[] = [];
  for (const { name, sealed } of await findSealed(sql, tenantId, names)) {
    const value = opened(sealing, sealed, contextOf(tenantId, name));
    if (value === undefined) unreadable.push(name);
    else values.push([name, value]);
  }
  return { values: Object.fromEntries(values), unreadable };
}

/** Seals what older keys have sealed with the first key, so that they can be taken away. Returns how many rows it changed. */
export async function resealAll(sql: Sql, sealing: Sealing): Promise<number> {
  let count = 0;
  let last = { tenantId: 0, name: "" };
  for (;;) {
    const rows = await findAllSealed(sql, last);
    for (const row of rows) {
      const context = contextOf(row.tenantId, row.name);
      const value = sealing.isOld(row.sealed) ? opened(sealing, row.sealed, context) : undefined;
      if (value === undefined) continue;
      await replaceSealed(sql, row, sealing.seal(value, context));
      count++;
    }
    const end = rows.at(-1);
    if (!end) return count;
    last = end;
  }
}

function opened(sealing: Sealing, sealed: Uint8Array, context: string): string | undefined {
  try {
    return sealing.open(sealed, context);
  } catch (error) {
    if (error instanceof CannotOpen) return undefined;
    throw error;
  }
}
