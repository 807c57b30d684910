/** A tenant's secrets. They are sealed when they are set, and opened when a service task runs. Nobody can read them. */
import type { Queryable, Sql } from "../../infrastructure/database/connect.ts";
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { CannotOpen, type Sealing } from "../../infrastructure/sealing.ts";
import { findAllSealed, findSealed, replaceSealed } from "./queries.ts";

export const mostSecrets = 100;

/** Binds a sealed value to its row: it cannot be opened under another tenant or name. */
export const contextOf = (tenantId: number, name: string) => `secret\n${tenantId}\n${name}`;

/** The keys that seal secrets. Throws `not_configured` if there are none. */
export function requireSealing({ sealing }: Infrastructure): Sealing {
  if (sealing) return sealing;
  throw new Problem("not_configured", {
    message: "This server is not configured for secrets. An operator can set SECRETS_KEY.",
  });
}

export interface OpenedSecrets {
  /** By name. */
  readonly values: Readonly<Record<string, string>>;
  /** Names of the secrets that no configured key opens. */
  readonly unreadable: readonly string[];
}

/** The secrets with these names. Leaves out names that the tenant has no secret for. */
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

/**
 * Seals every secret of an older key with the first key, so that the older key can be removed from the configuration.
 * Returns how many rows it changed.
 */
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
