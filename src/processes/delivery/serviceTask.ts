/**
 * What a service task is told by its `camunda:properties` (design 9): an API call or an addon. Whatever can be judged
 * without values is judged here, so that a model with a mistake is refused when it is deployed.
 */
import { wireHeaders } from "../../infrastructure/outbound/headers.ts";
import { secretPrefix } from "../variables/variable.ts";
import { type BodyFormat, bodyFormatOf, checkTemplate, type Place } from "./placeholders.ts";
import { longestUrl } from "./requestUrl.ts";
import { namesIn } from "./template.ts";

interface Common {
  /** The variable that takes the answer. */
  readonly resultVariable: string | undefined;
  /** The switch that turns the integration's refusals into a BPMN error. */
  readonly redirectFailures: boolean;
  readonly timeoutSeconds: number;
}

export interface ApiCall extends Common {
  readonly kind: "api-call";
  readonly method: Method;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly contentType: string;
}

export interface AddonCall extends Common {
  readonly kind: "addon";
  /** Its key. */
  readonly addon: string;
  /** JSON. */
  readonly parameters: string;
}

export type ServiceTaskConfig = ApiCall | AddonCall;

/** The variables that the body, or the parameters, take: where files go out as such. */
export const namesSent = (config: ServiceTaskConfig): string[] =>
  namesIn((config.kind === "addon" ? config.parameters : config.body) ?? "");

/** Every variable that a placeholder of the call names, each once. */
export function namesUsed(config: ApiCall): string[] {
  const { url, headers, query, body = "" } = config;
  const sources = [url, ...Object.values(headers), ...Object.values(query), body];
  return [...new Set(sources.flatMap(namesIn))];
}

export type Method = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
type Properties = Readonly<Record<string, string>>;

/** Of one service task. */
const mostProperties = 200;
/** Characters of each property but the body and the parameters. */
const longestSetting = longestUrl;
const longSettings: readonly string[] = ["body", "parameters"];

/** Of these alone a body is sent, and files become URLs in it (reference 4). */
const bodyMethods: readonly Method[] = ["POST", "PUT", "PATCH"];
const methods: readonly Method[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
const common = ["result_variable", "redirect_failures_to_error_boundary", "timeout_seconds"];
const own: ReadonlyMap<string, readonly string[]> = new Map([
  ["api-call", ["method", "url", "body", "content_type", ...common]],
  ["addon", ["addon", "parameters", ...common]],
]);

/** Headers with a source of their own. */
const ownHeaders: ReadonlyMap<string, string> = new Map([
  ["content-type", 'comes from "content_type"'],
  ["idempotency-key", "is set by Waybill"],
]);

/** Every fault in a sentence for whoever drew the model. */
export function parseServiceTask(
  topic: string,
  properties: Properties,
): { readonly config: ServiceTaskConfig } | { readonly faults: string[] } {
  const known = own.get(topic);
  if (!known) return { faults: [`The topic "${topic}" is not one of api-call and addon.`] };
  const names = Object.keys(properties);
  if (names.length > mostProperties)
    return {
      faults: [`A service task has at most ${mostProperties} properties. This one has ${names.length}.`],
    };
  const long = names.filter(
    (name) => !longSettings.includes(name) && lengthOf(properties, name) > longestSetting,
  );
  if (long.length > 0)
    return {
      faults: long.map((name) => `"${name.slice(0, 100)}" has more than ${longestSetting} characters.`),
    };
  const faults: string[] = [];
  for (const name of names)
    if (!known.includes(name) && !(topic === "api-call" && /^(header|query)\./.test(name)))
      faults.push(`The property "${name}" is not known here.`);
  const settings = commonOf(properties, faults);
  const config =
    topic === "addon" ? addonOf(properties, settings, faults) : apiCallOf(properties, settings, faults);
  return faults.length > 0 ? { faults } : { config };
}

const lengthOf = (properties: Properties, name: string) => name.length + (properties[name]?.length ?? 0);

function commonOf(properties: Properties, faults: string[]): Common {
  const redirect = properties.redirect_failures_to_error_boundary ?? "false";
  if (redirect !== "true" && redirect !== "false")
    faults.push('"redirect_failures_to_error_boundary" is true or false.');
  const timeout = properties.timeout_seconds ?? "30";
  const timeoutSeconds = /^\d+(\.\d+)?$/.test(timeout) ? Number(timeout) : Number.NaN;
  if (!(timeoutSeconds > 0 && timeoutSeconds <= 600))
    faults.push('"timeout_seconds" is a number of seconds above 0 and up to 600.');
  const resultVariable = properties.result_variable || undefined;
  if (resultVariable !== undefined && !/^[\p{L}\p{M}\p{N}_$.-]{1,255}$/u.test(resultVariable))
    faults.push('"result_variable" is a name of letters, digits and _ - . $ alone.');
  if (resultVariable?.startsWith(secretPrefix))
    faults.push(`"result_variable" begins with "${secretPrefix}", which names secrets and no variables.`);
  return { resultVariable, redirectFailures: redirect === "true", timeoutSeconds };
}

function apiCallOf(properties: Properties, settings: Common, faults: string[]): ApiCall {
  const method = methodOf(properties.method, faults);
  const { url = "", content_type: contentType = "application/json" } = properties;
  const body = properties.body || undefined;
  const headers = prefixed(properties, "header.");
  const query = prefixed(properties, "query.");
  if (url === "") faults.push('An API call needs a "url".');
  else if (!/^(https?:\/\/|\$\{)/i.test(url))
    faults.push('"url" begins with http:// or https://, or with a placeholder.');
  else judge("url", { source: url, place: "url" }, faults);
  for (const [name, source] of Object.entries(query))
    if (name === "") faults.push('A query parameter needs a name behind "query.".');
    else judge(`query.${name}`, { source, place: "query" }, faults);
  judgeHeaders(headers, faults);
  if (body !== undefined && !bodyMethods.includes(method))
    faults.push(`A ${method} request has no body; files go out with POST, PUT or PATCH.`);
  const format = formatOf(contentType, faults);
  if (body !== undefined && format) judge("body", { source: body, place: format }, faults);
  return { ...settings, kind: "api-call", method, url, headers, query, body, contentType };
}

function addonOf(properties: Properties, settings: Common, faults: string[]): AddonCall {
  const { addon = "", parameters = "{}" } = properties;
  if (addon === "") faults.push('An addon task needs the key of its "addon".');
  judge("parameters", { source: parameters, place: "json" }, faults);
  return { ...settings, kind: "addon", addon, parameters };
}

function methodOf(given: string | undefined, faults: string[]): Method {
  const method = methods.find((name) => name === given?.toUpperCase());
  if (method === undefined) faults.push(`"method" is one of ${methods.join(", ")}.`);
  return method ?? "GET";
}

function formatOf(contentType: string, faults: string[]): BodyFormat | undefined {
  return tell(faults, "content_type", () => {
    wireHeaders({ "Content-Type": contentType });
    if (!/^[\w.+-]+\/[\w.+-]+(\s*;\s*[\w-]+=("[^"\\]*"|[\w.+-]+))*$/.test(contentType))
      throw new Error("It is not a content type.");
    if (/;\s*charset=(?!"?utf-8"?\s*(;|$))/i.test(contentType))
      throw new Error("Bodies go out in UTF-8 alone.");
    return bodyFormatOf(contentType);
  });
}

function judgeHeaders(headers: Properties, faults: string[]): void {
  const seen = new Set<string>();
  for (const [name, source] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    const why = ownHeaders.get(lower) ?? (seen.has(lower) ? "stands twice" : undefined);
    seen.add(lower);
    if (why !== undefined) faults.push(`The header "${name}" ${why}.`);
    else
      tell(faults, `header.${name}`, () => {
        wireHeaders({ [name]: source });
        checkTemplate(source, "header");
      });
  }
}

function judge(
  name: string,
  { source, place }: { readonly source: string; readonly place: Place },
  faults: string[],
): void {
  tell(faults, name, () => checkTemplate(source, place));
}

function tell<T>(faults: string[], name: string, check: () => T): T | undefined {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    faults.push(`"${name}": ${error.message}`);
    return undefined;
  }
}

function prefixed(properties: Properties, prefix: string): Record<string, string> {
  const found = Object.entries(properties).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(found.map(([name, value]) => [name.slice(prefix.length), value]));
}
