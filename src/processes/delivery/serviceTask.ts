/**
 * Reads the `camunda:properties` of a service task: an API call or a call of an addon. Validates all that can be
 * validated without values, so that a model with a mistake is refused when it is deployed. See docs/service-tasks.md.
 */
import { wireHeaders } from "../../infrastructure/outbound/headers.ts";
import { secretPrefix } from "../variables/variable.ts";
import { type BodyFormat, bodyFormatOf, checkTemplate, type Place } from "./placeholders.ts";
import { longestUrl } from "./requestUrl.ts";
import { namesIn } from "./template.ts";

interface Common {
  /** The variable that takes the answer. */
  readonly resultVariable: string | undefined;
  /** Whether a refusal by the integration becomes a BPMN error. */
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
  /** The key of the addon. */
  readonly addon: string;
  /** JSON. */
  readonly parameters: string;
}

export type ServiceTaskConfig = ApiCall | AddonCall;

/** The names in the body or the parameters, where attachments become URLs. */
export const namesSent = (config: ServiceTaskConfig): string[] =>
  namesIn((config.kind === "addon" ? config.parameters : config.body) ?? "");

/** All templates of the call. */
export const sourcesOf = ({ url, headers, query, body = "" }: ApiCall): string[] => [
  url,
  ...Object.values(headers),
  ...Object.values(query),
  body,
];

/** The names in all templates of the call, each once. */
export const namesUsed = (config: ApiCall): string[] => [...new Set(sourcesOf(config).flatMap(namesIn))];

export type Method = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
type Properties = Readonly<Record<string, string>>;

/** Properties of one service task. */
const mostProperties = 200;
/** Characters of the name and the value of a property. The body and the parameters may be longer. */
const longestSetting = longestUrl;
const longSettings: readonly string[] = ["body", "parameters"];

/** Methods with a body. Only in bodies attachments become URLs. */
const bodyMethods: readonly Method[] = ["POST", "PUT", "PATCH"];
const methods: readonly Method[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
const common = ["result_variable", "redirect_failures_to_error_boundary", "timeout_seconds"];
const propertiesOfTopic: ReadonlyMap<string, readonly string[]> = new Map([
  ["api-call", ["method", "url", "body", "content_type", ...common]],
  ["addon", ["addon", "parameters", ...common]],
]);

/** Headers that a property cannot set, and the reason. */
const reservedHeaders: ReadonlyMap<string, string> = new Map([
  ["content-type", 'is set by the property "content_type"'],
  ["idempotency-key", "is set by Waybill"],
]);

/** Returns every fault as a sentence for the modeler. */
export function parseServiceTask(
  topic: string,
  properties: Properties,
): { readonly config: ServiceTaskConfig } | { readonly faults: string[] } {
  const known = propertiesOfTopic.get(topic);
  if (!known) return { faults: [`The topic "${topic}" is unknown. Use "api-call" or "addon".`] };
  const oversized = oversizeFaults(properties);
  if (oversized.length > 0) return { faults: oversized };
  const faults = Object.keys(properties)
    .filter((name) => !known.includes(name) && !(topic === "api-call" && /^(header|query)\./.test(name)))
    .map((name) => `The property "${name}" is unknown for the topic "${topic}".`);
  const given = withoutEmpty(properties);
  const settings = commonOf(given, faults);
  const config = topic === "addon" ? addonOf(given, settings, faults) : apiCallOf(given, settings, faults);
  return faults.length > 0 ? { faults } : { config };
}

/** An element template writes an empty property for each field that is left empty. A query parameter may be empty. */
const withoutEmpty = (properties: Properties): Properties =>
  Object.fromEntries(
    Object.entries(properties).filter(([name, value]) => value !== "" || name.startsWith("query.")),
  );

function oversizeFaults(properties: Properties): string[] {
  const names = Object.keys(properties);
  if (names.length > mostProperties)
    return [`A service task has at most ${mostProperties} properties. This one has ${names.length}.`];
  return names
    .filter((name) => !longSettings.includes(name) && lengthOf(properties, name) > longestSetting)
    .map((name) => `"${name.slice(0, 100)}" has more than ${longestSetting} characters.`);
}

const lengthOf = (properties: Properties, name: string) => name.length + (properties[name]?.length ?? 0);

function commonOf(properties: Properties, faults: string[]): Common {
  const redirect = properties.redirect_failures_to_error_boundary ?? "false";
  if (redirect !== "true" && redirect !== "false")
    faults.push('"redirect_failures_to_error_boundary" has to be true or false.');
  const timeout = properties.timeout_seconds ?? "30";
  const timeoutSeconds = /^\d+(\.\d+)?$/.test(timeout) ? Number(timeout) : Number.NaN;
  if (!(timeoutSeconds > 0 && timeoutSeconds <= 600))
    faults.push('"timeout_seconds" has to be a number of seconds above 0 and up to 600.');
  const resultVariable = properties.result_variable;
  if (resultVariable !== undefined && !/^[\p{L}\p{M}\p{N}_$.-]{1,255}$/u.test(resultVariable))
    faults.push('"result_variable" has to be a name with only letters, digits and _ - . $ in it.');
  if (resultVariable?.startsWith(secretPrefix))
    faults.push(`"result_variable" cannot begin with "${secretPrefix}", which is for the names of secrets.`);
  return { resultVariable, redirectFailures: redirect === "true", timeoutSeconds };
}

function apiCallOf(properties: Properties, settings: Common, faults: string[]): ApiCall {
  const method = methodOf(properties.method, faults);
  const { url = "", content_type: contentType = "application/json" } = properties;
  const { body } = properties;
  const headers = prefixed(properties, "header.");
  const query = prefixed(properties, "query.");
  if (url === "") faults.push('An API call needs a "url".');
  else if (!/^(https?:\/\/|\$\{)/i.test(url))
    faults.push('"url" has to begin with http://, https:// or a placeholder.');
  else checkSource("url", { source: url, place: "url" }, faults);
  for (const [name, source] of Object.entries(query))
    if (name === "") faults.push('A query parameter needs a name after "query.".');
    else checkSource(`query.${name}`, { source, place: "query" }, faults);
  checkHeaders(headers, faults);
  if (body !== undefined && !bodyMethods.includes(method))
    faults.push(`A ${method} request cannot have a body. Use POST, PUT or PATCH.`);
  const format = formatOf(contentType, faults);
  if (body !== undefined && format) checkSource("body", { source: body, place: format }, faults);
  return { ...settings, kind: "api-call", method, url, headers, query, body, contentType };
}

function addonOf(properties: Properties, settings: Common, faults: string[]): AddonCall {
  const { addon = "", parameters = "{}" } = properties;
  if (addon === "")
    faults.push('A task with the topic "addon" needs the property "addon" with the key of the addon.');
  checkSource("parameters", { source: parameters, place: "json" }, faults);
  return { ...settings, kind: "addon", addon, parameters };
}

function methodOf(given: string | undefined, faults: string[]): Method {
  const method = methods.find((name) => name === given?.toUpperCase());
  if (method === undefined) faults.push(`"method" has to be one of ${methods.join(", ")}.`);
  return method ?? "GET";
}

function formatOf(contentType: string, faults: string[]): BodyFormat | undefined {
  return collectFault(faults, "content_type", () => {
    wireHeaders({ "Content-Type": contentType });
    if (!/^[\w.+-]+\/[\w.+-]+(\s*;\s*[\w-]+=("[^"\\]*"|[\w.+-]+))*$/.test(contentType))
      throw new Error("It is not a content type.");
    if (/;\s*charset=(?!"?utf-8"?\s*(;|$))/i.test(contentType))
      throw new Error("Waybill sends bodies only in UTF-8.");
    return bodyFormatOf(contentType);
  });
}

function checkHeaders(headers: Properties, faults: string[]): void {
  const seen = new Set<string>();
  for (const [name, source] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    const why = reservedHeaders.get(lower) ?? (seen.has(lower) ? "is there twice" : undefined);
    seen.add(lower);
    if (why !== undefined) faults.push(`The header "${name}" ${why}.`);
    else
      collectFault(faults, `header.${name}`, () => {
        wireHeaders({ [name]: source });
        checkTemplate(source, "header");
      });
  }
}

function checkSource(
  name: string,
  { source, place }: { readonly source: string; readonly place: Place },
  faults: string[],
): void {
  collectFault(faults, name, () => checkTemplate(source, place));
}

function collectFault<T>(faults: string[], name: string, check: () => T): T | undefined {
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
