/**
 * What the service tasks of a model would send with sample variables. Sends, issues and stores nothing, opens no secret
 * and asks no name server. The requests are written as for a real attempt.
 */
import { downloadPath } from "../../files/attachments/issue.ts";
import type { DryRunTask } from "../../generated/schemas.ts";
import { maxPageBytes } from "../../infrastructure/database/boundedList.ts";
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import type { JsonText } from "../../infrastructure/jsonText.ts";
import type { DeliveryFailure } from "../../infrastructure/outbound/failure.ts";
import { refusalWithoutLookup } from "../../infrastructure/outbound/policy.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { WorkTimeout, workIn } from "../../infrastructure/workers/workers.ts";
import { findSecrets } from "../../tenants/secrets/queries.ts";
import { findAddonUrls } from "../addons.ts";
import type { TypedValues } from "../variables/variable.ts";
import { addonNotFound, urlsNotConfigured } from "./deliver.ts";
import type { DryRequest, TriedTask, Writable } from "./dryRunWork.ts";
import type { Failed } from "./requestWork.ts";
import { noSecretsKey, secretNamesIn, secretsNotFound } from "./secrets.ts";

export interface DryRun {
  readonly tenantId: number;
  readonly bpmn: string;
  /** A File has its content in base64. */
  readonly variables: TypedValues;
}

export interface DryRunResult {
  readonly tasks: JsonText<DryRunTask[]>;
  readonly warnings: readonly string[];
}

const limitMs = 10_000;
const work = workIn<typeof import("./dryRunWork.ts")>();
const file = new URL("./dryRunWork.ts", import.meta.url);
const readInThread = work(file, "readTasks", limitMs);
const writeInThread = work(file, "writeRequests", limitMs);

/** Throws `answer_too_large`, also if writing the requests takes too long. */
export async function dryRun(run: DryRun, deps: Infrastructure): Promise<DryRunResult> {
  const { tenantId, bpmn, variables } = run;
  const group = String(tenantId);
  const { tasks, count } = await deps.workers.run(readInThread, bpmn, group).catch(tooSlow);
  const known = await registered(tasks, tenantId, deps);
  const ready = tasks.map((task) => prepare(task, known));
  const requests = await deps.workers
    .run(
      writeInThread,
      {
        tasks: ready.filter((entry) => "config" in entry),
        variables,
        downloads: `${deps.config.publicBaseUrl ?? ""}${downloadPath("{attachment_id}")}`,
        mostCharacters: maxPageBytes,
      },
      group,
    )
    .catch(tooSlow);
  if (requests === "too_large") throw requestsTooLarge(`are larger than ${maxPageBytes} bytes together`);
  const next = requests.values();
  const shown = tasks.map((task, index) => {
    const entry = ready[index] as Writable | Failed;
    return shownTask(task, "config" in entry ? (next.next().value as DryRequest | Failed) : entry, deps);
  });
  return { tasks: { jsonText: `[${shown.join(",")}]` }, warnings: leftOut(tasks.length, count) };
}

const leftOut = (shown: number, count: number) =>
  count > shown ? [`The model has ${count} service tasks. Only the first ${shown} are shown.`] : [];

function tooSlow(cause: unknown): never {
  if (!(cause instanceof WorkTimeout)) throw cause;
  throw requestsTooLarge(`take more than ${limitMs / 1000} seconds to write`, cause);
}

const requestsTooLarge = (why: string, cause?: unknown) =>
  new Problem("answer_too_large", {
    message: `The requests of the service tasks ${why}. Send smaller variables.`,
    cause,
  });

/** What the tenant has that service tasks name. */
interface Registered {
  /** By key. */
  readonly addons: ReadonlyMap<string, string>;
  readonly secrets: ReadonlySet<string>;
  readonly canOpen: boolean;
}

async function registered(
  tasks: readonly TriedTask[],
  tenantId: number,
  { sql, sealing }: Infrastructure,
): Promise<Registered> {
  const keys = tasks.flatMap(({ config }) => (config?.kind === "addon" ? [config.addon] : []));
  const [addons, secrets] = await Promise.all([
    findAddonUrls(sql, tenantId, [...new Set(keys)]),
    findSecrets(sql, tenantId),
  ]);
  return { addons, secrets: new Set(secrets.map(({ name }) => name)), canOpen: sealing !== undefined };
}

/** The task, if its request can be written. In the order of a real attempt: addon, secrets, variables. */
function prepare({ activityId, config, faults }: TriedTask, known: Registered): Writable | Failed {
  if (!config || faults.length > 0) return failed("invalid_template", faults.join(" "));
  const addonUrl = config.kind === "addon" ? known.addons.get(config.addon) : undefined;
  if (config.kind === "addon" && addonUrl === undefined) return failureOf(addonNotFound(config.addon));
  const names = secretNamesIn(config);
  if (names.length > 0 && !known.canOpen) return failureOf(noSecretsKey(names));
  const missing = names.filter((name) => !known.secrets.has(name));
  if (missing.length > 0) return failureOf(secretsNotFound(missing));
  return { activityId, config, addonUrl };
}

const failed = (code: Failed["failure"]["code"], message: string): Failed => ({ failure: { code, message } });
const failureOf = ({ code, message }: DeliveryFailure) => failed(code, message);

/** As JSON. A request that the outbound policy refuses is shown with the reason. */
function shownTask(
  { activityId, line, topic }: TriedTask,
  written: DryRequest | Failed,
  deps: Infrastructure,
): string {
  const failure = "failure" in written ? written.failure : refusalOf(written, deps);
  const head = JSON.stringify({ activity_id: activityId, line, topic }).slice(0, -1);
  const why = failure ? JSON.stringify({ type: failure.code, message: failure.message }) : "null";
  return `${head},"request":${"json" in written ? written.json : "null"},"failure":${why}}`;
}

function refusalOf({ url, occurrences }: DryRequest, { config }: Infrastructure) {
  const { publicBaseUrl, downloadTokenSecret, outboundAllow: allow } = config;
  if (occurrences.length > 0 && (publicBaseUrl === undefined || downloadTokenSecret === undefined))
    return urlsNotConfigured(occurrences);
  return refusalWithoutLookup(url, { allow });
}
