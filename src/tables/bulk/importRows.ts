/**
 * Imports a file: one COPY into the table, in one transaction with its audit record. Threads check the rows and write
 * them for COPY. The file is on the disk by then, so no transaction waits for a client.
 */
import postgres from "postgres";
import type { ReceivedFile } from "../../generated/schemas.ts";
import type { Tx } from "../../infrastructure/database/connect.ts";
import type { CopyInto } from "../../infrastructure/database/copy.ts";
import { quoteIdentifier } from "../../infrastructure/database/identifiers.ts";
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import { maxFaults, Problem } from "../../infrastructure/problem.ts";
import { takeTransfer } from "../../infrastructure/transfers.ts";
import { recordSuccess } from "../../tenants/audit.ts";
import { keepingAnswer, type Once } from "../../tenants/idempotency/once.ts";
import type { Authorship } from "../audited.ts";
import type { Definition } from "../definition.ts";
import { stale } from "../definitionCache.ts";
import { fromRegistry, tableSql } from "../statement.ts";
import { refuse } from "../values.ts";
import type { ImportFault, ImportPlan } from "./importPlan.ts";
import { type Places, slicesOf } from "./importSlices.ts";
import type { Slice } from "./importWork.ts";
import { type ImportOptions, planImport } from "./planImport.ts";
import { refusedRow } from "./refusedRow.ts";

export interface ImportRequest {
  readonly file: ReceivedFile & { readonly senderLeft: AbortSignal };
  readonly options: ImportOptions;
  /** Checks everything and writes nothing. */
  readonly dryRun: boolean;
  readonly authorship: Authorship;
  /** The request, if it has a key. Its answer is kept with the rows. */
  readonly once?: Once<number> | undefined;
}

/** How many rows were imported, or would be. `stale` if the registry no longer has the definition. */
export async function importRows(
  deps: Infrastructure,
  definition: Definition,
  request: ImportRequest,
): Promise<number | typeof stale> {
  const { workers, transfers } = deps;
  const { plan, first } = await planImport(workers, definition, request);
  // An empty file of JSON lines names no columns, and has no rows either.
  if (plan.names.length === 0) return 0;
  const group = String(definition.tenant.id);
  const places: Places = [];
  const slices = slicesOf(workers, plan, { first, group, places });
  const leave = await takeTransfer(transfers, definition.tenant.id);
  try {
    return await write(deps, { definition, request, plan, slices });
  } catch (error) {
    if (error instanceof DryRun) return error.rows;
    if (error instanceof Faulty) throw await allFaults(error.faults, slices);
    if (error instanceof postgres.PostgresError)
      throw await refusedRow(error, { definition, plan, workers, group, places });
    throw error;
  } finally {
    leave();
    await slices.return(undefined);
  }
}

/** Rolls the transaction back. */
class DryRun extends Error {
  constructor(readonly rows: number) {
    super("a dry run writes nothing");
  }
}

/** Rolls the transaction back. */
class Faulty extends Error {
  constructor(readonly faults: readonly ImportFault[]) {
    super("the file has faults");
  }
}

interface Writing {
  readonly definition: Definition;
  readonly request: ImportRequest;
  readonly plan: ImportPlan;
  readonly slices: AsyncGenerator<Slice>;
}

/** For the commit and the indexes, after the last row. */
const graceSeconds = 60;

function write({ sql, config }: Infrastructure, writing: Writing): Promise<number | typeof stale> {
  const { definition, request, plan } = writing;
  const limitMs = config.transferTimeoutSeconds * 1000;
  const deadline = performance.now() + limitMs;
  return sql.transfer({ seconds: config.transferTimeoutSeconds + graceSeconds }, async (tx, copies) => {
    if (!(await isCurrent(tx, definition))) return stale;
    return keepingAnswer(tx, request.once, async () => {
      const statement = `copy ${tableSql(definition)} (${targets(plan)}) from stdin`;
      const copy = await copies.into(statement);
      const rows = await copyRows(copy, writing, deadline);
      if (request.dryRun) throw new DryRun(rows);
      await recordSuccess(tx, { ...recordOf(statement, writing), affectedRows: rows });
      return rows;
    });
  });
}

/** Stops a change of the table, but no reader and no writer. */
async function isCurrent(tx: Tx, definition: Definition): Promise<boolean> {
  await tx`select set_config('lock_timeout', '2s', true)`;
  await tx.unsafe(`lock table ${tableSql(definition)} in row exclusive mode`);
  return (await tx.unsafe(`select 1 as current ${fromRegistry(definition)}`)).length > 0;
}

const targets = ({ columns }: ImportPlan) =>
  columns.flatMap((column) => (column ? [quoteIdentifier(column.name)] : [])).join(", ");

function recordOf(statement: string, { definition, request: { file, authorship } }: Writing) {
  const { actor, requestId } = authorship;
  const source = `${file.declaredType}, ${file.size} bytes, sha-256 ${file.sha256}`;
  return {
    tenantId: definition.tenant.id,
    actor,
    action: "import" as const,
    table: definition.name,
    statement: `${statement.slice(0, 9_000)} -- ${source}`,
    requestId,
  };
}

async function copyRows(copy: CopyInto, { slices, request }: Writing, deadline: number): Promise<number> {
  const { senderLeft } = request.file;
  let rows = 0;
  try {
    for (;;) {
      const { done, value: slice } = await slices.next();
      if (done) break;
      if (slice.faults.length > 0) throw new Faulty(slice.faults);
      if (senderLeft.aborted)
        throw new Problem("bad_request", { message: "The sender closed the connection." });
      if (performance.now() > deadline) throw tooLong();
      if (slice.rows.length > 0) await copy.write(slice.rows);
      rows += slice.count;
    }
    await copy.end();
    return rows;
  } catch (error) {
    // An error of the database has ended the statement already.
    if (!(error instanceof postgres.PostgresError)) await copy.cancel();
    throw error;
  }
}

const tooLong = () =>
  new Problem("busy", { message: "The import took too long. Nothing was imported. Send a smaller file." });

/** The first faults of the rest of the file come with those that are known. The transaction has ended before. */
async function allFaults(found: readonly ImportFault[], slices: AsyncGenerator<Slice>): Promise<unknown> {
  const faults = [...found];
  while (faults.length < maxFaults) {
    const { done, value } = await slices.next();
    if (done) break;
    faults.push(...value.faults);
  }
  try {
    return refuse(faults.slice(0, maxFaults));
  } catch (problem) {
    return problem;
  }
}
