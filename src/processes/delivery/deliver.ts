/**
 * One service task carried out (reference 4 and 7, design 9): its files become signed URLs, its placeholders values, and
 * the request goes out once. Knows no engine.
 */

import { issueDownloadUrls } from "../../files/attachments/issue.ts";
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
import type { ServiceTaskConfig } from "./serviceTask.ts";

export interface ServiceTaskRun {
  readonly tenantId: number;
  readonly processInstanceId: string;
  readonly serviceTaskId: string;
  readonly activityId: string;
  /** From 1. */
  readonly attempt: number;
  readonly config: ServiceTaskConfig;
  /** Those that the placeholders name, or more of them. Waits until there is room in memory. */
  loadVariables(): Promise<LoadedVariables>;
}

export interface LoadedVariables {
  /** An old File with its content in base64. */
  readonly variables: TypedValues;
  /** To be called once the request is written, which frees the room that the values take. */
  readonly written: () => void;
  /** To be called once the request has its answer, or is given up. */
  readonly ended: () => void;
}

export interface Permission {
  /** Awaited just before the request goes out: what it throws passes through, and nothing is sent. */
  readonly sending: () => Promise<void>;
  /** Asked in the tick in which the request is written. Where it says no, nothing is sent: `CallHeldBack`. */
  readonly mayGoOut?: () => boolean;
}

export type Outcome =
  | { readonly kind: "completed"; readonly variables: TypedValues }
  /** The integration's own refusal: HTTP 400 and above; the beginning of what it said, without download tokens. */
  | { readonly kind: "rejected"; readonly status: number; readonly body: string };

/** What is kept of a refusal. */
const rejectionCharacters = 64 * 1024;

/** Throws `DeliveryFailure`; nothing was sent unless it says so. */
export async function deliver(
  run: ServiceTaskRun,
  permission: Permission,
  deps: Infrastructure,
): Promise<Outcome> {
  const { request, conceal, ended } = await requestOf(run, deps);
  try {
    const answer = await deps.outboundFetch({
      ...request,
      ...permission,
      headers: { ...request.headers, "Idempotency-Key": idempotencyKey(run) },
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

/** Cuts out of a text that somebody else wrote what only the receiver may know. */
type Conceal = (text: string) => Promise<string>;

async function concealed(failure: DeliveryFailure, conceal: Conceal): Promise<DeliveryFailure> {
  const { code, message, requestSent } = failure;
  const told = await conceal(message);
  // Its cause may hold what the message held.
  return told === message ? failure : new DeliveryFailure(code, told, { requestSent });
}

/** A refusal may repeat the request, tokens and all. The cut may go through a character of two halves. */
const beginningOf = async (body: string, conceal: Conceal) =>
  (await conceal(body)).slice(0, rejectionCharacters).toWellFormed();

/** The same for every attempt but for its number, so that a receiver can tell a second attempt of one task. */
function idempotencyKey({ processInstanceId, activityId, attempt }: ServiceTaskRun): string {
  return `${processInstanceId}:${encodeURIComponent(activityId)}:${attempt}`;
}

interface Ready {
  readonly request: Request;
  readonly conceal: Conceal;
  readonly ended: () => void;
}

/** The values are in this function's hands alone, so that they do not wait for the answer with it. */
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
  throw new DeliveryFailure(
    "addon_not_found",
    `There is no addon "${key}". An administrator can register it.`,
  );
}

/** Written once before any URL is issued: none is wasted on what turns out not to fit. */
async function writeRequest(material: Material, run: ServiceTaskRun, deps: Infrastructure): Promise<Request> {
  const trial = await write(material, run, deps);
  if (trial.occurrences.length === 0) return trial.request;
  const urls = await issueFor(trial.occurrences, run, deps);
  return (await write({ ...material, urls }, run, deps)).request;
}

/** Small requests are written here. Large ones would hold up every other request, so another thread writes them. */
async function write(
  material: Material,
  { tenantId }: ServiceTaskRun,
  deps: Infrastructure,
): Promise<WrittenRequest> {
  if (weightOf(material) <= inlineCharacters) return writtenRequest(material);
  const result = await deps.workers.run(writeInThread, material, String(tenantId)).catch(tooSlow);
  // Copies of 25 MB are garbage that Bun would leave lying for long.
  Bun.gc(false);
  if ("failure" in result) throw new DeliveryFailure(result.failure.code, result.failure.message);
  return result;
}

/** Characters of templates and values that are written in about a millisecond, or 20 where they are XML. */
const inlineCharacters = 128 * 1024;

function tooSlow(cause: unknown): never {
  if (!(cause instanceof WorkTimeout)) throw cause;
  const message = `The values take more than ${writeLimitMs / 1000} s to write into the request.`;
  throw new DeliveryFailure("value_does_not_fit", message, { cause });
}

/** All in one statement. A failure is told by the placeholders it is about. */
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
  const message = `No download URL could be issued for ${names}, so nothing was sent. ${reasonOf(cause)}`;
  return new DeliveryFailure("url_issuance_failed", message, { cause });
}

function reasonOf(cause: unknown): string {
  const code = cause instanceof Problem ? cause.code : undefined;
  if (code === "not_configured")
    return "The instance is not configured to issue them: PUBLIC_BASE_URL and DOWNLOAD_TOKEN_SECRET.";
  if (code === "not_committed") return "The attachment is not committed to this process instance.";
  return "The attachment service could not be reached.";
}

/**
 * The answer as the result variable: JSON as such, anything else as its text, nothing as Null. It may repeat the request
 * as well: whoever reads variables or reports could use a token before the receiver does.
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
