/**
 * Plans and makes a change of a table.
 *
 * The change, its registry entry and its audit record are one transaction under the tenant's lock. Whether rows allow
 * the change is PostgreSQL's decision. Only if it refuses are the rows searched that are in the way.
 */
import postgres from "postgres";
import type { AlterationFailure, AlterationPlan, TableRecord } from "../../generated/schemas.ts";
import type { Tx } from "../../infrastructure/database/connect.ts";
import { utcText } from "../../infrastructure/database/timestamps.ts";
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import type { JsonText } from "../../infrastructure/jsonText.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { recordSuccess } from "../../tenants/audit.ts";
import type { Once } from "../../tenants/idempotency/once.ts";
import { lockTenant } from "../../tenants/queries.ts";
import { findRecord } from "../queries.ts";
import type { StepOf } from "./alteration.ts";
import { changeTransaction, lockTable, namedParts, newName, type Run } from "./changeTransaction.ts";
import { deleteDropped, hiddenColumnName, insertDropped, tooManyDropped } from "./dropped.ts";
import { dependentFailures, rowFailures } from "./failures.ts";
import { isNameInUse } from "./nameInUse.ts";
import { type Findings, isInBackground, needsConfirmation, planOf } from "./plan.ts";
import { countLost, definitionTag, type Prepared, prepare, type Target } from "./prepare.ts";
import { renameReferences, saveEntry } from "./registry.ts";
import { combined, type Place, statementsOf } from "./statements.ts";
import { addTask, purgeSoon } from "./tasks.ts";

type Deps = Pick<Infrastructure, "sql" | "config">;

export interface ChangeRequest extends Target {
  readonly confirmed: boolean;
  /** Whether dropped columns go for good. */
  readonly purge: boolean;
  readonly actor: string;
  readonly requestId: string;
  /** For a request with an Idempotency-Key. */
  readonly once: Once<Changed> | undefined;
}

export interface Changed {
  readonly plan: AlterationPlan;
  readonly table: JsonText<TableRecord> | TableRecord;
  readonly tag: string;
}

/** What a change would do. Changes nothing. Throws as `alterTable` does, except for what the plan tells. */
export async function planAlteration({ sql, config }: Deps, request: ChangeRequest): Promise<Changed> {
  return await sql
    .begin("read only", async (tx) => {
      const prepared = await prepare(tx, request);
      const { entry, facts, change, after } = prepared;
      const failures = dependentFailures(change, facts);
      if (failures.length === 0) failures.push(...(await rowFailures(tx, placeOf(request), change)));
      const findings = {
        ...(await findingsOf(tx, request, { prepared, undoDays: undoDays(config, request) })),
      };
      const plan = planOf(change, facts, { ...findings, failures });
      const version = entry.version + (change.steps.length > 0 ? 1 : 0);
      const record = await findRecord(tx, request.tenant.schema, entry.name);
      const table = { ...JSON.parse(record?.jsonText ?? "{}"), ...recordOf(after), version };
      return { plan, table: { jsonText: JSON.stringify(table) }, tag: definitionTag(entry) };
    })
    .catch(refuseRace);
}

const placeOf = ({ tenant, table }: Target) => ({ schema: tenant.schema, table });

const recordOf = ({ name, description, columns, indexes }: Prepared["after"]) => ({
  table_name: name,
  description,
  columns,
  indexes,
});

const undoDays = ({ tablesUndoDays }: Infrastructure["config"], { purge }: ChangeRequest) =>
  purge ? 0 : tablesUndoDays;

async function findingsOf(
  tx: Tx,
  { tenant }: ChangeRequest,
  { prepared, undoDays }: { readonly prepared: Prepared; readonly undoDays: number },
): Promise<Omit<Findings, "failures">> {
  const lost = await countLost(tx, tenant, prepared);
  if (undoDays === 0 || lost.size === 0) return { lost, restorableUntil: undefined };
  const [row] = await tx.unsafe<{ until: string }[]>(
    `select ${utcText("(now() + $1::text::float8 * interval '1 day')")} as until`,
    [String(undoDays)],
  );
  return { lost, restorableUntil: row?.until };
}

/** Throws `confirmation_required`, and `change_impossible` with the rows that are in the way. */
export async function alterTable(deps: Deps, request: ChangeRequest): Promise<Changed> {
  try {
    return await changeTransaction(deps.sql, (tx, run) => change(tx, run, { deps, request }), request.once);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw impossible(await explain(deps, request, error), error);
  }
}

async function change(
  tx: Tx,
  run: Run,
  { deps, request }: { readonly deps: Deps; readonly request: ChangeRequest },
): Promise<Changed> {
  const { tenant, actor, requestId, table } = request;
  await lockTenant(tx, tenant.id);
  const prepared = await prepare(tx, request);
  const { entry, facts, change, after } = prepared;
  const failures = dependentFailures(change, facts);
  if (failures.length > 0) throw impossible(failures);
  if (!request.confirmed && needsConfirmation(change, facts)) throw notConfirmed();
  const days = undoDays(deps.config, request);
  const findings = await findingsOf(tx, request, { prepared, undoDays: days });
  const plan = planOf(change, facts, { ...findings, failures: [] });
  if (plan.waits === "everybody") await lockTable(tx, tenant.schema, entry.name);
  const statement = await execute(tx, prepared, { request, run, undoDays: days });
  const saved =
    change.steps.length > 0 ? await saveEntry(tx, tenant.schema, { ...after, id: entry.id }) : undefined;
  const current = saved ?? (await findRecord(tx, tenant.schema, after.name));
  const record = { action: "alter_table", table, statement, affectedRows: null } as const;
  await recordSuccess(tx, { ...record, tenantId: tenant.id, actor, requestId });
  const version = entry.version + (saved ? 1 : 0);
  return { plan, table: current ?? { jsonText: "" }, tag: definitionTag({ id: entry.id, version }) };
}

interface Execution {
  readonly request: ChangeRequest;
  readonly run: Run;
  readonly undoDays: number;
}

/** Runs the statements of all steps. Returns them for the audit trail. */
async function execute(tx: Tx, prepared: Prepared, execution: Execution): Promise<string> {
  const { entry, facts, change, after } = prepared;
  const { tenant, actor } = execution.request;
  const place = await placeOfChange(tx, prepared, execution);
  const steps = change.steps.flatMap((step) => statementsOf(step, place));
  const statements = combined(steps, place);
  if (after.name !== entry.name) statements.push(...namedParts(tenant.schema, entry.id, facts));
  for (const statement of statements) await execution.run(statement);
  if (after.name !== entry.name)
    await renameReferences(tx, tenant.schema, { from: entry.name, to: after.name, id: entry.id });
  for (const step of change.steps)
    if (step.kind === "restore_column") await deleteDropped(tx, tenant.schema, { listId: step.hidden.id });
  if (change.steps.some((step) => isLater(step, prepared)))
    await addTask(tx, { tenantId: tenant.id, kind: "finish", tableId: entry.id, actor });
  return statements.join("; ") || `-- nothing but the description of ${entry.name}`;
}

const isLater = ({ kind }: { readonly kind: string }, { facts }: Prepared) =>
  isInBackground(facts) && (kind === "add_index" || kind === "add_reference");

/** Lists the dropped columns first, because their hidden names come from the list. */
async function placeOfChange(tx: Tx, prepared: Prepared, { request, undoDays }: Execution): Promise<Place> {
  const { entry, facts, change } = prepared;
  const { tenant, actor } = request;
  const dropped = change.steps.filter((step): step is StepOf<"drop_column"> => step.kind === "drop_column");
  const hidden = new Map<string, string>();
  for (const { column, indexes } of undoDays > 0 ? dropped : []) {
    const definition = { column, indexes };
    const common = { kind: "column", tableId: entry.id, by: actor, undoDays } as const;
    const { id } = await insertDropped(tx, tenant.schema, { ...common, name: column.name, definition });
    await addTask(tx, {
      tenantId: tenant.id,
      kind: "purge",
      tableId: entry.id,
      actor,
      undoDays,
      droppedId: id,
    });
    hidden.set(column.name, hiddenColumnName(id));
  }
  if (hidden.size > 0) await purgeSoon(tx, tenant.id, await tooManyDropped(tx, tenant.schema));
  return {
    schema: tenant.schema,
    table: entry.name,
    indexes: facts.indexes,
    references: facts.references,
    purge: undoDays === 0,
    newName,
    hiddenName: (column) => hidden.get(column) ?? "",
    isLater: (step) => isLater(step, prepared),
  };
}

/** Refusals by PostgreSQL that come from the rows or from what depends on the table. */
const refusals = /^(22...|23...|2BP01|54000|54001|54011|0A000)$/;

const isRefusal = (error: unknown): error is postgres.PostgresError =>
  error instanceof postgres.PostgresError && refusals.test(error.code) && !isNameInUse(error);

async function explain(deps: Deps, request: ChangeRequest, error: postgres.PostgresError) {
  const { plan } = await planAlteration(deps, request);
  if (plan.failures.length > 0) return plan.failures;
  return [{ pointer: "", what: reasonOf(error.code), rows: 0, row_ids: [] }];
}

/** For what the plan does not find, such as rows that were changed in the meantime. */
function reasonOf(code: string): string {
  if (code.startsWith("54")) return "A row would be too large for PostgreSQL.";
  if (/^2[23]/.test(code)) return "The rows do not allow this change.";
  return "Something else depends on the table as it is.";
}

const impossible = (failures: readonly AlterationFailure[], cause?: unknown) =>
  new Problem("change_impossible", {
    errors: failures.map(({ pointer, what }) => ({ pointer, detail: what })),
    members: { failures },
    cause,
  });

const notConfirmed = () =>
  new Problem("confirmation_required", {
    message:
      "This change drops columns or writes more than 100,000 rows again. To see what it does, add $dry_run=true. " +
      "To confirm, add confirm=true. Nothing was changed.",
  });

/** The plan does not lock the table, so the table can change while it is read. */
function refuseRace(error: unknown): never {
  const gone = ["42P01", "42703", "42883", "XX000"];
  if (!(error instanceof postgres.PostgresError) || !gone.includes(error.code)) throw error;
  throw new Problem("busy", { message: "The table is being changed. Try again.", cause: error });
}
