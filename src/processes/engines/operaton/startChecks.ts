/** Checks that the engine can do what Waybill needs. Each fault is one line that says what to change. */
import Type from "typebox";
import { ConfigError } from "../../../infrastructure/config.ts";
import { camundaNamespace } from "../../bpmn/xml.ts";
import { idShape, nullable, shapeOf, text, textOrNull } from "./answerShape.ts";
import { engineTime } from "./engineTime.ts";
import type { OperatonContext } from "./operatonContext.ts";
import { at, type EngineRest } from "./rest.ts";
import { EngineError, isAway } from "./restErrors.ts";

const updatesShape = shapeOf(Type.Array(Type.Unknown()));
const deploymentShape = shapeOf(
  Type.Object({ id: text, deployedProcessDefinitions: nullable(Type.Record(text, Type.Unknown())) }),
);
const leftOverShape = shapeOf(Type.Array(Type.Object({ id: text, tenantId: textOrNull })));

/** The oldest versions whose REST interface has what this driver asks. */
const oldest = { operaton: [1, 0], camunda: [7, 22] } as const;

/** Throws `ConfigError`, and `EngineError` or `EngineUnreachable` for an engine that is away. */
export async function checkEngine({ rest, config }: Pick<OperatonContext, "rest" | "config">): Promise<void> {
  const url = config.engine?.url ?? "";
  requireVersion(await versionOf(rest, url));
  await removeLeftOver(rest);
  await tryOut(rest);
}

export const versionShape = shapeOf(Type.Object({ version: text }));

async function versionOf(rest: EngineRest, url: string): Promise<string> {
  const answer = await rest.call({ path: "/version" }, versionShape).catch((error) => {
    if (isAway(error)) throw error;
    if (isForbidden(error)) throw wrongAccount();
    if (error instanceof EngineError) return undefined;
    throw error;
  });
  if (answer) return answer.version;
  throw new ConfigError(
    `ENGINE_URL is ${JSON.stringify(url)}, where no engine answers; it must be the REST interface of Operaton or ` +
      "Camunda 7, such as http://engine:8080/engine-rest",
  );
}

/** Versions of Camunda 7 begin with 7, those of Operaton with 1 and 2. */
export function requireVersion(version: string): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const least = major >= oldest.camunda[0] ? oldest.camunda : oldest.operaton;
  const isKnown = major === 7 || (major >= 1 && major < 7);
  if (isKnown && (major > least[0] || minor >= least[1])) return;
  throw new ConfigError(
    `ENGINE_URL names an engine of version ${version.slice(0, 40)}; it must be Operaton from ` +
      `${oldest.operaton.join(".")} on, or Camunda 7 from ${oldest.camunda.join(".")} on`,
  );
}

const isForbidden = (error: unknown) =>
  error instanceof EngineError && (error.status === 401 || error.status === 403);

const wrongAccount = () =>
  new ConfigError(
    "ENGINE_URL names an engine that refuses Waybill's credentials; set ENGINE_USERNAME and ENGINE_PASSWORD, or " +
      "ENGINE_BEARER_TOKEN, of an account that may deploy processes and do everything with them in each tenant",
  );

const checkName = "waybill-check";
/** No tenant of Waybill should have this slug. */
const checkTenant = "waybill:check";

/** Starts a process with a variable, looks at its history and removes everything of it. */
async function tryOut(rest: EngineRest): Promise<void> {
  const deployment = await deployCheck(rest);
  try {
    const processInstanceId = await startCheck(rest, deployment.definitionId);
    const query = { processInstanceId, variableUpdates: true, maxResults: 1 };
    const updates = await rest.call({ path: "/history/detail", query }, updatesShape);
    if (updates.length === 0)
      throw new ConfigError(
        "ENGINE_URL names an engine whose history level is lower than full; set its history-level to full",
      );
  } finally {
    await remove(rest, deployment.id).catch(() => {});
  }
}

async function deployCheck(
  rest: EngineRest,
): Promise<{ readonly id: string; readonly definitionId: string }> {
  const form = new FormData();
  form.set("deployment-name", checkName);
  form.set("tenant-id", checkTenant);
  form.set("file", new Blob([checkModel(`waybill_check_${crypto.randomUUID()}`)]), "check.bpmn");
  const { id, deployedProcessDefinitions: definitions } = await rest
    .call({ method: "POST", path: "/deployment/create", form }, deploymentShape)
    .catch(refuseForbidden);
  return { id, definitionId: Object.keys(definitions ?? {})[0] ?? "" };
}

const checkModel = (key: string) => `<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:c="${camundaNamespace}" targetNamespace="waybill">
  <process id="${key}" isExecutable="true" c:historyTimeToLive="P1D">
    <startEvent id="start" />
    <sequenceFlow id="flow" sourceRef="start" targetRef="end" />
    <endEvent id="end" />
  </process>
</definitions>`;

async function startCheck(rest: EngineRest, definitionId: string): Promise<string> {
  const path = at`/process-definition/${definitionId}/start`;
  const body = { variables: { check: { type: "Json", value: "{}" } } };
  try {
    return (await rest.call({ method: "POST", path, body }, idShape)).id;
  } catch (error) {
    if (!(error instanceof EngineError && /value type 'Json'/i.test(error.message)))
      return refuseForbidden(error);
    throw new ConfigError(
      "ENGINE_URL names an engine without variables of type Json; add its plugin Spin with the JSON data format " +
        "(operaton-spin-dataformat-json-jackson, or camunda-spin-dataformat-json-jackson)",
      { cause: error },
    );
  }
}

function refuseForbidden(error: unknown): never {
  throw isForbidden(error) ? wrongAccount() : error;
}

const remove = (rest: EngineRest, deploymentId: string) =>
  rest.call({
    method: "DELETE",
    path: at`/deployment/${deploymentId}`,
    query: { cascade: true, skipCustomListeners: true, skipIoMappings: true },
  });

/** Of checks whose process was killed. Another process may be checking now, so recent ones stay. */
const leftOverMs = 10 * 60_000;

async function removeLeftOver(rest: EngineRest): Promise<void> {
  const before = engineTime(new Date(Date.now() - leftOverMs));
  const query = { name: checkName, tenantIdIn: checkTenant, before, maxResults: 50 };
  const old = await rest.call({ path: "/deployment", query }, leftOverShape).catch(refuseForbidden);
  for (const { id, tenantId } of old) if (tenantId === checkTenant) await remove(rest, id).catch(() => {});
}
