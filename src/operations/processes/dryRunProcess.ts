import type { NewDryRun } from "../../generated/schemas.ts";
import type { Handler } from "../../handler.ts";
import { type Fault, Problem } from "../../infrastructure/problem.ts";
import { largestDeployment } from "../../processes/definitions.ts";
import { dryRun } from "../../processes/delivery/dryRun.ts";
import { parseVariables, sampleValues } from "../../processes/variables/parse.ts";

/** Deploys, sends and stores nothing. */
export const dryRunProcess: Handler<"dryRunProcess"> = async ({ body, faults, caller }, deps) => {
  const { tenant } = caller;
  const variables = sampleValues(parseVariables(body, { faults }));
  const { bpmn, forms } = textsOf(body as NewDryRun);
  const report = await deps.engine.validate({ tenant, bpmn, forms });
  const { tasks, warnings } = await dryRun({ tenantId: tenant.id, bpmn, variables }, deps);
  return {
    status: 200,
    body: {
      faults: report.faults.map(({ detail }) => detail),
      warnings: [...report.warnings, ...warnings],
      service_tasks: tasks,
    },
  };
};

/** With the limits of a deployment. */
function textsOf({ bpmn, forms: schemas }: NewDryRun) {
  const forms = schemas?.map((schema, index) => ({
    fileName: `forms/${index}`,
    text: JSON.stringify(schema),
  }));
  const errors: Fault[] = [];
  const check = (text: string, pointer: string, maxBytes: number) => {
    if (Buffer.byteLength(text) > maxBytes)
      errors.push({ pointer, detail: `The text has more than ${maxBytes} bytes.` });
  };
  check(bpmn, "/bpmn", largestDeployment.bpmn);
  for (const [index, { text }] of (forms ?? []).entries())
    check(text, `/forms/${index}`, largestDeployment.form);
  if (errors.length > 0) throw new Problem("invalid_body", { errors });
  return { bpmn, forms };
}
