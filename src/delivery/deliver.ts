/**
 * One service task carried out (reference 4 and 7, design 9): its files become signed URLs, its placeholders values, and
 * the request goes out once. Knows no engine.
 */
import { findAddon } from "../addons/queries.ts";
import type { Deps } from "../deps.ts";
import { withoutTokens } from "../formFiles/downloadTokens.ts";
import { issueDownloadUrls } from "../formFiles/issue.ts";
import { type OutboundAnswer, wholeBodyOf } from "../outbound/answer.ts";
import { DeliveryFailure } from "../outbound/failure.ts";
import type { OutboundCall } from "../outbound/fetch.ts";
import { Problem } from "../problem.ts";
import {
  type BodyFormat,
  bodyFormatOf,
  type FileOccurrence,
  fileOccurrences,
  renderPlaceholders,
} from "./placeholders.ts";
import { withQuery } from "./requestUrl.ts";
import type { AddonCall, ApiCall, ServiceTaskConfig } from "./serviceTask.ts";
import { jsonOf, type Variable, type Variables } from "./variable.ts";

export interface ServiceTaskRun {
  readonly tenantId: number;
  readonly processInstanceId: string;
  readonly serviceTaskId: string;
  readonly activityId: string;
  /** From 1. */
  readonly attempt: number;
  readonly config: ServiceTaskConfig;
  /** An old File with its content in base64. */
  readonly variables: Variables;
}

export type Outcome =
  | { readonly kind: "completed"; readonly variables: Variables }
  /** The integration's own refusal: HTTP 400 and above; the beginning of what it said, without download tokens. */
  | { readonly kind: "rejected"; readonly status: number; readonly body: string };

/** What is kept of a refusal. */
const rejectionCharacters = 64 * 1024;

/**
 * `sending` is awaited just before the request goes out: what it throws passes through, and nothing is sent. Throws
 * `DeliveryFailure`; nothing was sent unless it says so.
 */
export async function deliver(
  run: ServiceTaskRun,
  { sending }: { readonly sending: () => Promise<void> },
  deps: Deps,
): Promise<Outcome> {
  const call = await (run.config.kind === "addon"
    ? addonCall(run, run.config, deps)
    : apiCall(run, run.config, deps));
  const answer = await deps.outboundFetch({
    ...call,
    sending,
    headers: { ...call.headers, "Idempotency-Key": idempotencyKey(run) },
    timeoutMs: run.config.timeoutSeconds * 1000,
  });
  if (answer.status >= 400)
    return { kind: "rejected", status: answer.status, body: beginningOf(answer.body) };
  return { kind: "completed", variables: resultOf(answer, run.config.resultVariable) };
}

/** A refusal may repeat the request, tokens and all. The cut may go through a character of two halves. */
const beginningOf = (body: string) => withoutTokens(body).slice(0, rejectionCharacters).toWellFormed();

/** The same for every attempt but for its number, so that a receiver can tell a second attempt of one task. */
function idempotencyKey({ processInstanceId, activityId, attempt }: ServiceTaskRun): string {
  return `${processInstanceId}:${encodeURIComponent(activityId)}:${attempt}`;
}

type Call = Omit<OutboundCall, "timeoutMs" | "sending">;

async function apiCall(run: ServiceTaskRun, config: ApiCall, deps: Deps): Promise<Call> {
  const { variables } = run;
  const { method, body: source, contentType } = config;
  const render = (source: string, place: "url" | "query" | "header") =>
    renderPlaceholders(source, variables, { place });
  const query = mapped(config.query, (source) => render(source, "query"));
  const url = withQuery(render(config.url, "url"), query);
  const headers = mapped(config.headers, (source) => render(source, "header"));
  if (source === undefined) return { method, url, headers };
  const body = await withUrls({ source, place: bodyFormatOf(contentType) }, run, deps);
  return { method, url, headers: { ...headers, "Content-Type": contentType }, body };
}

async function addonCall(run: ServiceTaskRun, config: AddonCall, deps: Deps): Promise<Call> {
  const addon = await findAddon(deps.sql, run.tenantId, config.addon);
  if (!addon)
    throw new DeliveryFailure(
      "addon_not_found",
      `There is no addon "${config.addon}". An administrator can register it.`,
    );
  const variables = Object.entries(run.variables).map(
    ([name, variable]) => `${JSON.stringify(name)}:${plainJson(name, variable)}`,
  );
  const parameters = await withUrls({ source: config.parameters, place: "json" }, run, deps);
  const body = `{"parameters":${parameters},"variables":{${variables.join(",")}}}`;
  return { method: "POST", url: addon.url, headers: { "Content-Type": "application/json" }, body };
}

/** As it is: a file is its metadata's text. An old File has no metadata, and its bytes belong into parameters. */
function plainJson(name: string, variable: Variable): string {
  return variable.type === "File" ? "null" : jsonOf({ name, variable });
}

/** Written once before any URL is issued: none is wasted on what turns out not to fit. */
async function withUrls(
  { source, place }: { readonly source: string; readonly place: BodyFormat },
  run: ServiceTaskRun,
  deps: Deps,
): Promise<string> {
  const { variables } = run;
  const occurrences = fileOccurrences(source, variables);
  const standIns = occurrences.map((_, index) => `https://x/${index}`);
  const trial = renderPlaceholders(source, variables, { place, urls: standIns });
  if (occurrences.length === 0) return trial;
  const urls = await issueFor(occurrences, run, deps);
  return renderPlaceholders(source, variables, { place, urls });
}

/** All in one statement. A failure is told by the placeholders it is about. */
async function issueFor(
  occurrences: readonly FileOccurrence[],
  run: ServiceTaskRun,
  deps: Deps,
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
function resultOf(answer: OutboundAnswer, resultVariable: string | undefined): Variables {
  if (resultVariable === undefined) return {};
  const body = withoutTokens(wholeBodyOf(answer));
  return { [resultVariable]: resultVariableOf(body, answer.headers["content-type"] ?? "") };
}

function resultVariableOf(body: string, contentType: string): Variable {
  if (body === "") return { type: "Null", value: null };
  if (/^\s*[\w.-]+\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType) && isJson(body))
    return { type: "Json", value: body };
  return { type: "String", value: body };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const mapped = (entries: Readonly<Record<string, string>>, render: (source: string) => string) =>
  Object.fromEntries(Object.entries(entries).map(([name, source]) => [name, render(source)]));
