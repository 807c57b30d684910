/** A change of rows as one statement with its audit record. */
import { quoteLiteral } from "../infrastructure/database/identifiers.ts";
import { auditTable } from "../tenants/audit.ts";
import type { Definition } from "./definition.ts";
import { fromRegistry, type Parameters, type Statement } from "./statement.ts";
import type { Answering } from "./writing/answering.ts";

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
  /** What the result tells of the rows. Absent: only how many they are. */
  readonly answering?: Answering | undefined;
  /** Whether a change of no row is none: then it has no record, and the result says that it affected 0 rows. */
  readonly needsRow?: boolean | undefined;
  /** CTEs that the change reads, each with a comma at its end. */
  readonly sources?: string;
  /** A scalar subquery on `changed`, a text that is added to `statement`. */
  readonly note?: string;
}

/** Shorter than for DDL: every waiting request holds a connection, and many may wait for the same rows. */
const rowLockTimeout = "2s";

/**
 * The change and its audit record as one statement: both happen, or neither. `registered` is one row if the registry
 * still has the definition. The change reads it before it locks a row. This sets the lock timeout without another round
 * trip. The result is one row `{ affected }` with what `answering` adds, or none if the definition is gone.
 */
export function audited(change: string, options: Audited): Statement {
  const { definition, parameters, answering, needsRow, sources = "" } = options;
  const before = `
    with registered as materialized (
      select set_config('lock_timeout', '${rowLockTimeout}', true)
      ${fromRegistry(definition)}
    ),${sources}
    changed as (${change}
      returning ${answering?.returning ?? "1"}
    )`;
  const text =
    answering || needsRow
      ? `${before},
    recorded as (${recordSql(options)}
      returning affected_rows
    )${answering?.ctes ?? ""}
    select coalesce(affected_rows, 0)::text as affected${answering ? `, ${answering.columns}` : ""}
    from ${needsRow ? "registered left join recorded on true" : "recorded"}`
      : `${before}${recordSql(options)}
    returning affected_rows::text as affected`;
  return { text, parameters: parameters.values };
}

function recordSql({
  definition,
  parameters,
  authorship,
  action,
  statement,
  note,
  needsRow,
}: Audited): string {
  const described = parameters.add(statement.slice(0, 10_000));
  return `
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
      ${note === undefined ? described : `${described} || ${note}`},
      (select count(*) from changed),
      'success',
      ${parameters.add(authorship.requestId, "uuid")}
    from registered${needsRow ? "\n    where exists (select 1 from changed)" : ""}`;
}
