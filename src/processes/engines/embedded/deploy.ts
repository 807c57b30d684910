/** Stores a model as the next version of its process. */
import postgres from "postgres";
import { Problem } from "../../../infrastructure/problem.ts";
import { WorkTimeout, workIn } from "../../../infrastructure/workers/workers.ts";
import { recordSuccess } from "../../../tenants/audit.ts";
import { lockTenant } from "../../../tenants/queries.ts";
import { transactionTableName } from "../../../tenants/transactionTable.ts";
import { auditOf } from "../../audit.ts";
import type { Deployed, ModelReport, ModelToValidate, NewDeployment } from "../../engine.ts";
import { insertDefinition, isDeployed } from "./definitionQueries.ts";
import type { ValidModel } from "./deployWork.ts";
import type { EngineContext } from "./engineContext.ts";
import { createTransactionTable } from "./transactions.ts";

const limitMs = 10_000;
const validateDeployment = workIn<typeof import("./deployWork.ts")>()(
  new URL("./deployWork.ts", import.meta.url),
  "validateDeployment",
  limitMs,
);

const report = workIn<typeof import("./deployWork.ts")>()(
  new URL("./deployWork.ts", import.meta.url),
  "reportOn",
  limitMs,
);

export const validate = (
  { workers }: EngineContext,
  { tenant, bpmn, forms }: ModelToValidate,
): Promise<ModelReport> =>
  workers.run(report, { bpmn, ...(forms ? { forms } : {}) }, String(tenant.id)).catch(refuseEndless);

export async function deploy(context: EngineContext, deployment: NewDeployment): Promise<Deployed> {
  const { tenant, bpmn, forms, by } = deployment;
  const validated = await context.workers
    .run(validateDeployment, { bpmn, forms }, String(tenant.id))
    .catch(refuseEndless);
  if (validated.kind !== "model") throw new Problem(validated.kind, { errors: validated.errors });
  const { processKey, name, warnings } = validated;
  const version = await storeVersion(context, deployment, validated);
  context.log.info(
    { tenant_id: tenant.id, process_key: processKey, version, actor: by.actor },
    "Process deployed",
  );
  return { processKey, version, name, warnings };
}

/** Stores the next version of the process and returns its number. The first version creates the transaction table. */
async function storeVersion(
  { sql }: EngineContext,
  { tenant, bpmn, by }: NewDeployment,
  { processKey, name, forms }: ValidModel,
): Promise<number> {
  const process = { tenantId: tenant.id, processKey };
  try {
    return await sql.begin(async (tx) => {
      await lockTenant(tx, tenant.id);
      if (!(await isDeployed(tx, process))) await createTransactionTable(tx, tenant.id, processKey);
      const version = await insertDefinition(tx, { ...process, name, bpmn, forms, deployedBy: by.actor });
      await recordSuccess(tx, {
        ...auditOf(tenant, by),
        action: "deploy_process",
        statement: `deploy process ${processKey}, version ${version}`,
        affectedRows: null,
      });
      return version;
    });
  } catch (error) {
    throw isDuplicateTable(error) ? keyInUse(processKey) : error;
  }
}

function refuseEndless(cause: unknown): never {
  if (!(cause instanceof WorkTimeout)) throw cause;
  const message = `The model and its forms take more than ${limitMs / 1000} seconds to read. Make them smaller.`;
  throw new Problem("invalid_bpmn", { message, cause });
}

const isDuplicateTable = (error: unknown) =>
  error instanceof postgres.PostgresError && error.code === "42P07";

const keyInUse = (key: string) =>
  new Problem("process_key_in_use", {
    message:
      `The process needs the table "${transactionTableName(key)}", but the tenant has another table of this name. ` +
      "Choose another process key.",
  });
