/** Inserts, updates and deletes rows: checks the whole request, then writes rows and audit record in one round trip. */
import postgres from "postgres";
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import { pluralize } from "../../infrastructure/pluralize.ts";
import { type Fault, Problem } from "../../infrastructure/problem.ts";
import type { Caller } from "../../tenants/caller.ts";
import type { Authorship } from "../audited.ts";
import type { Definition } from "../definition.ts";
import { stale, withDefinition } from "../definitionCache.ts";
import { runWrite } from "../queries.ts";
import type { Statement } from "../statement.ts";
import { refuse, type ValueFault } from "../values.ts";

interface WriteRequest {
  readonly params: { readonly table: string };
  readonly caller: Caller;
  readonly requestId: string;
  /** The faults that the contract's schema found. */
  readonly faults: readonly Fault[];
}

interface Write {
  readonly participle: "inserted" | "updated" | "deleted";
  /** The faults that need the table's definition. */
  readonly faults: (definition: Definition) => ValueFault[];
  /** Called only if there are no faults. */
  readonly statement: (definition: Definition, authorship: Authorship) => Statement;
}

export async function writeRows(request: WriteRequest, { sql, caches }: Infrastructure, write: Write) {
  const { caller, params, requestId } = request;
  const target = { tenant: caller.tenant, table: params.table };
  const affected = await withDefinition({ sql, caches }, target, async (definition) => {
    refuse([...request.faults, ...write.faults(definition)]);
    const statement = write.statement(definition, { actor: caller.subject, requestId });
    const result = await runWrite(sql, statement).catch(refuseData);
    return result ? Number(result.affected) : stale;
  });
  const message = `${pluralize(affected, "row")} ${affected === 1 ? "was" : "were"} ${write.participle}.`;
  return { success: true, message, data: { affected_rows: affected } } as const;
}

/** PostgreSQL can refuse values that are valid one by one. */
function refuseData(error: unknown): never {
  if (!(error instanceof postgres.PostgresError)) throw error;
  // program_limit_exceeded: the row does not fit into a page of PostgreSQL.
  if (error.code === "54000") throw new Problem("row_too_large", { cause: error });
  // Class 22 is data exceptions. Class 23 is constraints, for example one that the platform added to the table.
  if (/^2[23]/.test(error.code))
    throw new Problem("invalid_value", {
      message: "The database refused a value. Nothing was changed.",
      cause: error,
    });
  throw error;
}
