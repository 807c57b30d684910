/**
 * Deploys a model to the engine. Waybill validates its own service tasks and the forms; the engine judges the rest, and
 * its message is passed on.
 */

import Type from "typebox";
import { pluralize } from "../../../infrastructure/pluralize.ts";
import { type Fault, maxFaults, Problem } from "../../../infrastructure/problem.ts";
import { WorkTimeout, workIn } from "../../../infrastructure/workers/workers.ts";
import { recordSuccess } from "../../../tenants/audit.ts";
import { auditOf } from "../../audit.ts";
import type { Deployed, ModelReport, ModelToValidate, NewDeployment } from "../../engine.ts";
import { nullable, shapeOf, text } from "./answerShape.ts";
import { sourcePrefix } from "./definitions.ts";
import type { ReadyModel } from "./deployWork.ts";
import { EngineDefinition } from "./models.ts";
import type { OperatonContext } from "./operatonContext.ts";
import { historyDays } from "./readModel.ts";
import { EngineError, isJudgement } from "./restErrors.ts";

const limitMs = 10_000;
const readDeployment = workIn<typeof import("./deployWork.ts")>()(
  new URL("./deployWork.ts", import.meta.url),
  "readDeployment",
  limitMs,
);

const report = workIn<typeof import("./deployWork.ts")>()(
  new URL("./deployWork.ts", import.meta.url),
  "reportOn",
  limitMs,
);

export const validate = (
  { workers }: OperatonContext,
  { tenant, bpmn, forms }: ModelToValidate,
): Promise<ModelReport> =>
  workers.run(report, { bpmn, ...(forms ? { forms } : {}) }, String(tenant.id)).catch(refuseEndless);

export async function deploy(context: OperatonContext, deployment: NewDeployment): Promise<Deployed> {
  const { tenant, bpmn, forms, by } = deployment;
  requireDeployments(context, tenant.slug);
  requireTenantId(tenant.slug);
  const read = await context.workers
    .run(readDeployment, { bpmn, forms }, String(tenant.id))
    .catch(refuseEndless);
  if (read.kind !== "model") throw new Problem(read.kind, { errors: read.errors });
  const { definition, warnings } = await create(context, deployment, read);
  const { key, version } = definition;
  await recordSuccess(context.sql, {
    ...auditOf(tenant, by),
    action: "deploy_process",
    statement: `deploy process ${key}, version ${version}`,
    affectedRows: null,
  });
  context.log.info({ tenant_id: tenant.id, process_key: key, version, actor: by.actor }, "Process deployed");
  return {
    processKey: key,
    version,
    name: definition.name || key,
    warnings: [...read.warnings, ...warnings],
  };
}

/** Whoever deploys a model runs code at the engine, which tenants may share. See docs/security.md. */
function requireDeployments({ config }: OperatonContext, slug: string): void {
  if (config.engineDeployments) return;
  throw new Problem("deployments_disabled", {
    message:
      "No models are deployed through this server. Ask the operator of the process engine to deploy the model there, " +
      `with the tenant id ${JSON.stringify(slug)}. A dry run shows beforehand what is wrong with it.`,
  });
}

/** Characters of the engine's column for tenant ids. Its queries separate them by commas. */
const longestTenantId = 64;

function requireTenantId(slug: string): void {
  if (slug.length <= longestTenantId && !slug.includes(",")) return;
  throw new Problem("not_supported_by_engine", {
    message:
      "The slug of the workspace is its tenant id at the engine, where it has at most " +
      `${longestTenantId} characters and no comma.`,
  });
}

interface Created {
  readonly definition: EngineDefinition;
  readonly warnings: readonly string[];
}

async function create(
  context: OperatonContext,
  deployment: NewDeployment,
  model: ReadyModel,
): Promise<Created> {
  const { bpmnWithHistory } = model;
  try {
    return { definition: await post(context, deployment, model), warnings: [] };
  } catch (error) {
    if (bpmnWithHistory === undefined || !wantsHistoryTime(error)) throw refusal(error);
    const given = { ...deployment, bpmn: bpmnWithHistory };
    const definition = await post(context, given, model).catch((again) => {
      throw refusal(again);
    });
    const warning =
      `The model does not say how long the engine keeps ended instances. It keeps them for ` +
      `${pluralize(historyDays, "day")}: set historyTimeToLive to change that.`;
    return { definition, warnings: [warning] };
  }
}

const wantsHistoryTime = (error: unknown) =>
  isJudgement(error) && /ENGINE-12018|history ?time ?to ?live/i.test(error.message);

const deployedShape = shapeOf(
  Type.Object({ deployedProcessDefinitions: nullable(Type.Record(text, EngineDefinition)) }),
);

/** Characters of a deployment's source. */
const longestSource = 255;

async function post(
  { rest }: OperatonContext,
  { tenant, bpmn, by }: NewDeployment,
  { process, forms }: ReadyModel,
): Promise<EngineDefinition> {
  const form = new FormData();
  form.set("deployment-name", process.name.slice(0, longestSource));
  form.set("deployment-source", `${sourcePrefix}${by.actor}`.slice(0, longestSource));
  form.set("tenant-id", tenant.slug);
  const files = [{ name: `${process.key}.bpmn`, text: bpmn }, ...forms];
  for (const [index, { name, text }] of files.entries()) form.set(`file-${index}`, new Blob([text]), name);
  const call = { method: "POST", path: "/deployment/create", form } as const;
  const { deployedProcessDefinitions: deployed } = await rest.call(call, deployedShape);
  const definition = Object.values(deployed ?? {}).find(({ key }) => key === process.key);
  if (definition?.tenantId === tenant.slug) return definition;
  throw new Error("the engine did not deploy the process for its tenant");
}

/** What the engine says about a model is a fault of the model. Each of its complaints begins with an asterisk. */
function refusal(error: unknown): unknown {
  if (!isJudgement(error)) return error;
  const { type, message, status } = error;
  if (type !== "ParseException" && !/ENGINE-090\d\d/.test(message)) return error;
  const complaints = message.split(/\n\* /).slice(1);
  const errors = (complaints.length > 0 ? complaints : [message]).slice(0, maxFaults).map(faultOf);
  return new Problem("invalid_bpmn", { errors, cause: new EngineError({ type, message, status }) });
}

/** `… | resource p.bpmn | line 5 | column 248` → `Line 5: …` */
function faultOf(complaint: string): Fault {
  const line = /\| line (\d+)/.exec(complaint)?.[1];
  const text = complaint.replace(/ \| resource .*$/s, "").trim();
  return { pointer: "/bpmn", detail: line === undefined ? text : `Line ${line}: ${text}` };
}

function refuseEndless(cause: unknown): never {
  if (!(cause instanceof WorkTimeout)) throw cause;
  const message = `The model and its forms take more than ${limitMs / 1000} seconds to read. Make them smaller.`;
  throw new Problem("invalid_bpmn", { message, cause });
}
