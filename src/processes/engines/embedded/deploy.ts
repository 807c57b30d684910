/** Stores a model as the next version of its process. */
import postgres from "postgres";
import { Problem } from "../../../infrastructure/problem.ts";
import { WorkTimeout, workIn } from "../../../infrastructure/workers/workers.ts";
import { recordSuccess } from "../../../tenants/audit.ts";
import { lockTenant } from "../../../tenants/queries.ts";
import { transactionTableName } from "../../../tenants/transactionTable.ts";
import type { Deployed, NewDeployment } from "../../engine.ts";
import { auditOf } from "./audit.ts";
import { insertDefinition, isDeployed } from "./definitionQueries.ts";
import type { EngineContext } from "./engineContext.ts";
import { createTransactionTable } from "./transactions.ts";

const limitMs = 10_000;
const validateDeployment = workIn<typeof import("./deployWork.ts")>()(
  new URL("./deployWork.ts", import.meta.url),
  "validateDeployment",
  limitMs,
);

export async function deploy(context: EngineContext, deployment: NewDeployment): Promise<Deployed> {
  const { sql, log } = context;
  const { tenant, by } = deployment;
  const deployedBy = by.actor;
  const { bpmn, forms: files } = deployment;
  const validated = await context.workers
    .run(validateDeployment, { bpmn, forms: files }, String(tenant.id))
    .catch(refuseEndless);
  if (validated.kind !== "model") throw new Problem(validated.kind, { errors: validated.errors });
  const { processKey, name, warnings, forms } = validated;
  const version = await sql
    .begin(async (tx) => {
      await lockTenant(tx, tenant.id);
      if (!(await isDeployed(tx, { tenantId: tenant.id, processKey })))
        await createTransactionTable(tx, tenant.id, processKey);
      const made = await insertDefinition(tx, {
        tenantId: tenant.id,
        processKey,
        name,
        bpmn,
        forms,
        deployedBy,
      });
      await recordSuccess(tx, {
        ...auditOf(tenant, by),
        action: "deploy_process",
        statement: `deploy process ${processKey}, version ${made}`,
        affectedRows: null,
      });
      return made;
    })
    .catch((error: unknown) => {
      throw isDuplicateTable(error) ? keyInUse(processKey) : error;
    });
  log.info({ tenant_id: tenant.id, process_key: processKey, version, actor: deployedBy }, "Process deployed");
  return { processKey, version, name, warnings };
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
