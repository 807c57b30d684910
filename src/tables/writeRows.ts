/** What inserting, updating and deleting rows share: judge everything, then one round trip that also audits. */
import postgres from "postgres";
import type { Infrastructure } from "../infrastructure/infrastructure.ts";
import { type Fault, Problem } from "../infrastructure/problem.ts";
import type { Caller } from "../tenants/caller.ts";
import type { Definition } from "./definition.ts";
import { stale, withDefinition } from "./definitionCache.ts";
import { countedChange } from "./messages.ts";
import { runWrite } from "./queries.ts";
import type { Authorship, Statement } from "./statements.ts";
import { refuse, type ValueFault } from "./values.ts";

interface WriteRequest {
  readonly params: { readonly table: string };
  readonly caller: Caller;
  readonly requestId: string;
  /** What the contract's schema found. */
  readonly faults: readonly Fault[];
}

interface Write {
  readonly participle: "inserted" | "updated" | "deleted";
  /** What only the table's definition can tell. */
  readonly faults: (definition: Definition) => ValueFault[];
  /** Asked for only when there are no faults. */
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
  const message = countedChange(affected, write.participle);
  return { success: true, message, data: { affected_rows: affected } } as const;
}

/** What PostgreSQL refuses of values that were judged fit one by one. */
function refuseData(error: unknown): never {
  if (!(error instanceof postgres.PostgresError)) throw error;
  // program_limit_exceeded: the row does not fit a page.
  if (error.code === "54000") throw new Problem("row_too_large", { cause: error });
  // Class 22 is data exceptions, class 23 integrity constraints: such as one that the platform added to the table.
  if (/^2[23]/.test(error.code))
    throw new Problem("invalid_value", {
      message: "The database refused a value. Nothing was changed.",
      cause: error,
    });
  throw error;
}
