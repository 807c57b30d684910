/** A model becomes the next version of its process. */

import postgres from "postgres";
import { type Fault, Problem } from "../../problem.ts";
import type { Deployed, NewDeployment } from "../../processEngine.ts";
import { lockTenant } from "../../tenants/queries.ts";
import { transactionTableName } from "../../tenants/transactionTable.ts";
import { type ModelFault, readModel } from "../model/readModel.ts";
import { readForms } from "./forms.ts";
import { findLatest, insertDefinition } from "./queries.ts";
import type { Within } from "./step.ts";
import { createTransactionTable } from "./transactions.ts";

export async function deploy({ sql, log }: Within, deployment: NewDeployment): Promise<Deployed> {
  const { tenant, bpmn, deployedBy } = deployment;
  const read = await readModel(bpmn);
  if ("faults" in read) throw new Problem("invalid_bpmn", { errors: read.faults.map(faultOf) });
  const { processKey, name, warnings } = read.model;
  const forms = readForms(deployment.forms, read.model);
  const version = await sql
    .begin(async (tx) => {
      await lockTenant(tx, tenant.id);
      if (!(await findLatest(tx, tenant.id, processKey)))
        await createTransactionTable(tx, tenant.id, processKey);
      return insertDefinition(tx, { tenantId: tenant.id, processKey, name, bpmn, forms, deployedBy });
    })
    .catch((error: unknown) => {
      throw isDuplicateTable(error) ? keyInUse(processKey) : error;
    });
  log.info(
    { tenant_id: tenant.id, process_key: processKey, version, actor: deployedBy },
    "a process was deployed",
  );
  return { processKey, version, name, warnings };
}

/** `Line 12, "send_to_core": …` */
function faultOf({ line, element, detail }: ModelFault): Fault {
  const place = [
    line === undefined ? [] : `Line ${line}`,
    element === undefined ? [] : `"${element}"`,
  ].flat();
  return { pointer: "/bpmn", detail: place.length === 0 ? detail : `${place.join(", ")}: ${detail}` };
}

const isDuplicateTable = (error: unknown) =>
  error instanceof postgres.PostgresError && error.code === "42P07";

const keyInUse = (key: string) =>
  new Problem("process_key_in_use", {
    message: `The process needs a table "${transactionTableName(key)}", and the tenant has another one of this name.`,
  });
