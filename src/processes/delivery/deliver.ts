/**
 * Carries out one service task: files become signed URLs, placeholders become values, and the request is sent once.
 * Does not depend on an engine. See docs/decisions/service-tasks.md.
 */
import { cannotIssue, issueDownloadUrls } from "../../files/attachments/issue.ts";
import type { Infrastructure } from "../../infrastructure/infrastructure.ts";
import { isJson } from "../../infrastructure/json.ts";
import { type OutboundAnswer, wholeBodyOf } from "../../infrastructure/outbound/answer.ts";
import { DeliveryFailure } from "../../infrastructure/outbound/failure.ts";
import { Problem } from "../../infrastructure/problem.ts";
import { WorkTimeout } from "../../infrastructure/workers/workers.ts";
import { findAddon } from "../addons.ts";
import type { TypedValue, TypedValues } from "../variables/variable.ts";
import { conceal } from "./conceal.ts";
import type { FileOccurrence } from "./placeholders.ts";
import { type Material, type Request, type WrittenRequest, weightOf, writtenRequest } from "./request.ts";
import { writeInThread, writeLimitMs } from "./requestWork.ts";
import { hiddenHostOf, secretNamesIn, secretsFor } from "./secrets.ts";
import { sentRequest } from "./sentRequest.ts";
import type { ServiceTaskConfig } from "./serviceTask.ts";

export interface ServiceTaskRun {
  readonly tenantId: number;
  readonly processInstanceId: string;
  readonly serviceTaskId: string;
  readonly activityId: string;
  /**
   * Tells this task from others of the instance in its Idempotency-Key. Absent: the activity's id, if no two of an
   * activity's tasks can have the same attempt.
   */
  readonly requestUnit?: string;
  /** From 1. */
  readonly attempt: number;
  readonly config: ServiceTaskConfig;
  /** The variables that the placeholders name, or more. Waits until there is room in memory. */
  loadVariables(): Promise<LoadedVariables>;
  /** Other instances to which one of these attachments may be bound, such as the one that called this one. */
  relatedInstances?(attachmentIds: readonly string[]): Promise<readonly string[]>;
}

export interface LoadedVariables {
  /** A File has its content in base64. */
  readonly variables: TypedValues;
  /** Call it when the request is written: frees the memory of the values. */
  readonly written: () => void;
  /** Call it when the request has its answer or has failed: frees the memory of the request. */
  readonly ended: () => void;
}

export interface Permission {
  /** Awaited just before the request is sent. If it throws, nothing is sent, and the error is thrown on. */
  readonly sending: () => Promise<void>;
  /** Asked in the tick in which the request is written. If it returns false, nothing is sent: `CallHeldBack`. */
  readonly mayGoOut?: () => boolean;
}

export type Outcome =
  | { readonly kind: "completed"; readonly variables: TypedValues }
  /** The integration refused with HTTP 400 or above. `body` is the beginning of its answer, without download tokens. */
  | { readonly kind: "rejected"; readonly status: number; readonly body: string };

/** Characters of a refusal that are kept. */
const rejectionCharacters = 64 * 1024;

/** Throws `DeliveryFailure`. Its `requestSent` says whether something was sent. */
export async function deliver(
  run: ServiceTaskRun,
  permission: Permission,
  deps: Infrastructure,
): Promise<Outcome> {
  const { request, conceal, ended } = await requestOf(run, deps);
  try {
    const answer = await deps.outboundFetch({
      ...sentRequest(request, run),
      ...permission,
      timeoutMs: run.config.timeoutSeconds * 1000,
    });
    if (answer.status >= 400)
      return { kind: "rejected", status: answer.status, body: await beginningOf(answer.body, conceal) };
    return { kind: "completed", variables: await resultOf(answer, run.config.resultVariable, conceal) };
  } catch (error) {
    throw error instanceof DeliveryFailure ? await concealed(error, conceal) : error;
  } finally {
    ended();
  }
}

/** Replaces what only the receiver may know in a text that somebody else wrote. */
type Conceal = (text: string) => Promise<string>;

async function concealed(failure: DeliveryFailure, conceal: Conceal): Promise<DeliveryFailure> {
  const { code, message, requestSent } = failure;
  const shown = await conceal(message);
  // The cause is left out, because it may contain the same secrets.
  return shown === message ? failure : new DeliveryFailure(code, shown, { requestSent });
}

/** A refusal may repeat the request with its tokens. The cut may divide a surrogate pair. */
const beginningOf = async (body: string, conceal: Conceal) =>
  (await conceal(body)).slice(0, rejectionCharacters).toWellFormed();

interface Ready {
  readonly request: Request;
  readonly conceal: Conceal;
  readonly ended: () => void;
}

/** Only this function refers to the values, so that they are not in memory while the answer is awaited. */
async function requestOf(run: ServiceTaskRun, deps: Infrastructure): Promise<Ready> {
  const { config, tenantId } = run;
  const addonUrl = config.kind === "addon" ? await urlOf(config.addon, tenantId, deps) : undefined;
  const secrets = await secretsFor(secretNamesIn(config), tenantId, deps);
  const { variables, written, ended } = await run.loadVariables();
  try {
    const request = await writeRequest({ config, addonUrl, variables, secrets }, run, deps);
    const known = { secrets, hiddenHost: hiddenHostOf(config, request.url) };
    return { request, conceal: (text) => conceal(text, known, { tenantId, deps }), ended };
  } catch (error) {
    ended();
    throw error;
  } finally {
    written();
  }
}

async function urlOf(key: string, tenantId: number, { sql }: Infrastructure): Promise<string> {
  const addon = await findAddon(sql, tenantId, key);
  if (addon) return addon.url;
  throw addonNotFound(key);
}

export const addonNotFound = (key: string) =>
  new DeliveryFailure(
    "addon_not_found",
    `There is no addon with the key "${key}". An administrator can register it.`,
  );

/** Writes once before URLs are issued, so that no URL is used up for a request that cannot be written. */
async function writeRequest(material: Material, run: ServiceTaskRun, deps: Infrastructure): Promise<Request> {
  const trial = await write(material, run, deps);
  if (trial.occurrences.length === 0) return trial.request;
  const urls = await issueFor(trial.occurrences, run, deps);
  return (await write({ ...material, urls }, run, deps)).request;
}

/** Writes a small request here. A large one would block all other requests, so another thread writes it. */
async function write(
  material: Material,
  { tenantId }: ServiceTaskRun,
  deps: Infrastructure,
): Promise<WrittenRequest> {
  if (weightOf(material) <= inlineCharacters) return writtenRequest(material);
  const result = await deps.workers.run(writeInThread, material, String(tenantId)).catch(tooSlow);
  // Copies of 25 MB are garbage that Bun would collect much later.
  Bun.gc(false);
  if ("failure" in result) throw new DeliveryFailure(result.failure.code, result.failure.message);
  return result;
}

/** Characters of templates and values. Writing so many takes about a millisecond, or 20 for XML. */
const inlineCharacters = 128 * 1024;

function tooSlow(cause: unknown): never {
  if (!(cause instanceof WorkTimeout)) throw cause;
  const message = `Writing the values into the request took more than ${writeLimitMs / 1000} seconds.`;
  throw new DeliveryFailure("value_does_not_fit", message, { cause });
}

/** Issues all URLs in one statement. A failure names its placeholders. */
async function issueFor(
  occurrences: readonly FileOccurrence[],
  run: ServiceTaskRun,
  deps: Infrastructure,
): Promise<string[]> {
  const { tenantId, processInstanceId, serviceTaskId } = run;
  const attachmentIds = occurrences.map(({ attachmentId }) => attachmentId);
  try {
    const issued = await issueDownloadUrls(deps, {
      tenantId,
      processInstanceId,
      serviceTaskId,
      attachmentIds,
      relatedInstances: await run.relatedInstances?.(attachmentIds),
    });
    return issued.map(({ url }) => url);
  } catch (cause) {
    throw issuanceFailed(occurrences, cause);
  }
}

function issuanceFailed(occurrences: readonly FileOccurrence[], cause: unknown): DeliveryFailure {
  const notCommitted =
    cause instanceof Problem ? (cause.members.not_committed as string[] | undefined) : undefined;
  const unfit = occurrences.filter(({ attachmentId }) => notCommitted?.includes(attachmentId) ?? true);
  const names = [...new Set(unfit.map(({ name }) => `\${${name}}`))].join(", ");
  const message = `No download URL could be issued for ${names}. Nothing was sent. ${reasonOf(cause)}`;
  return new DeliveryFailure("url_issuance_failed", message, { cause });
}

/** The failure of a server that cannot issue URLs at all. */
export const urlsNotConfigured = (occurrences: readonly FileOccurrence[]) =>
  issuanceFailed(occurrences, cannotIssue());

function reasonOf(cause: unknown): string {
  const code = cause instanceof Problem ? cause.code : undefined;
  if (code === "not_configured")
    return "The server needs PUBLIC_BASE_URL and DOWNLOAD_TOKEN_SECRET for download URLs. An operator can set them.";
  if (code === "not_committed") return "The attachment is not committed to this process instance.";
  return "The attachment service is not available.";
}

/**
 * The answer as the result variable: valid JSON as Json, any other text as String, an empty body as Null. Tokens are
 * removed, because the answer may repeat the request, and a reader of the variable could use a token before the
 * receiver does.
 */
async function resultOf(
  answer: OutboundAnswer,
  resultVariable: string | undefined,
  conceal: Conceal,
): Promise<TypedValues> {
  if (resultVariable === undefined) return {};
  const body = await conceal(wholeBodyOf(answer));
  return { [resultVariable]: resultVariableOf(body, answer.headers["content-type"] ?? "") };
}

function resultVariableOf(body: string, contentType: string): TypedValue {
  if (body === "") return { type: "Null", value: null };
  if (/^\s*[\w.-]+\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType) && isJson(body))
    return { type: "Json", value: body };
  return { type: "String", value: body };
}
