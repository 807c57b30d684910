/** A change of rows and its audit record in one statement. statement.ts has the rules. */
import { quoteLiteral } from "../infrastructure/database/identifiers.ts";
import { auditTable } from "../tenants/audit.ts";
import type { Definition } from "./definition.ts";
import { fromRegistry, type Parameters, type Statement } from "./statement.ts";

/** Who writes, for the audit record that commits with the change. */
export interface Authorship {
  readonly actor: string;
  readonly requestId: string;
}

interface Audited {
  readonly definition: Definition;
  readonly parameters: Parameters;
  readonly authorship: Authorship;
  readonly action: "insert" | "update" | "delete";
  /** For readers of the audit trail: values are inlined and cut, and nobody runs it. */
  readonly statement: string;
}

/** Shorter than for DDL: every waiting request holds a connection, and many may wait for the same rows. */
const rowLockTimeout = "2s";

/**
 * The change and its audit record as one statement: both happen, or neither. `registered` is one row if the registry
 * still has the definition. The change reads it before it locks a row. This sets the lock timeout without another round
 * trip.
 */
export function audited(
  change: string,
  { definition, parameters, authorship, action, statement }: Audited,
): Statement {
  const text = `
    with registered as materialized (
      select set_config('lock_timeout', '${rowLockTimeout}', true)
      ${fromRegistry(definition)}
    ),
    changed as (${change}
      returning 1
    )
    insert into ${auditTable(definition.tenant.schema)} (
      actor,
      action,
      table_name,
      statement,
      affected_rows,
      outcome,
      request_id
    )
    select
      ${parameters.add(authorship.actor)},
      ${quoteLiteral(action)},
      ${parameters.add(definition.name)},
      ${parameters.add(statement.slice(0, 10_000))},
      (select count(*) from changed),
      'success',
      ${parameters.add(authorship.requestId, "uuid")}
    from registered
    returning affected_rows::text as affected`;
  return { text, parameters: parameters.values };
}
