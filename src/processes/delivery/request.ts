/** A service task and its values → the request. Pure, so that another thread can do it. */
import { DeliveryFailure } from "../../infrastructure/outbound/failure.ts";
import type { TypedValue } from "../variables/variable.ts";
import { jsonOf } from "./fill.ts";
import {
  bodyFormatOf,
  type FileOccurrence,
  fileOccurrences,
  longest,
  type Place,
  renderPlaceholders,
  type Values,
} from "./placeholders.ts";
import { withQuery } from "./requestUrl.ts";
import { type AddonCall, type ApiCall, type ServiceTaskConfig, sourcesOf } from "./serviceTask.ts";
import { namesIn } from "./template.ts";

export interface Material extends Values {
  readonly config: ServiceTaskConfig;
  /** The URL of the addon. */
  readonly addonUrl: string | undefined;
  /** One for each occurrence of an attachment. Absent before they are issued: stand-ins then take their places. */
  readonly urls?: readonly string[];
}

export interface Request {
  readonly method: ApiCall["method"];
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface WrittenRequest {
  readonly request: Request;
  /** The placeholders that become URLs of attachments. */
  readonly occurrences: readonly FileOccurrence[];
}

/** Throws `DeliveryFailure`. */
export function writtenRequest(material: Material): WrittenRequest {
  const { config } = material;
  return config.kind === "addon" ? addonRequest(config, material) : apiRequest(config, material);
}

/** About the number of characters that writing the request processes. */
export function weightOf({ config, variables }: Material): number {
  const lengthOf = (name: string) => textLength(Object.hasOwn(variables, name) ? variables[name] : undefined);
  if (config.kind === "api-call") {
    const sources = sourcesOf(config);
    return sum(sources.flatMap((source) => [source.length, ...namesIn(source).map(lengthOf)]));
  }
  const { parameters } = config;
  return sum([
    parameters.length,
    ...namesIn(parameters).map(lengthOf),
    ...Object.keys(variables).map(lengthOf),
  ]);
}

const textLength = (variable: TypedValue | undefined) =>
  typeof variable?.value === "string" ? variable.value.length : 0;

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

function apiRequest(config: ApiCall, material: Material): WrittenRequest {
  const { method, body: source, contentType } = config;
  const render = (source: string, place: "url" | "query" | "header") =>
    renderPlaceholders(source, material, { place });
  const query = mapped(config.query, (source) => render(source, "query"));
  const url = withQuery(render(config.url, "url"), query);
  const headers = mapped(config.headers, (source) => render(source, "header"));
  if (source === undefined) return { request: { method, url, headers }, occurrences: [] };
  const { text: body, occurrences } = withUrls(source, bodyFormatOf(contentType), material);
  return {
    request: { method, url, headers: { ...headers, "Content-Type": contentType }, body },
    occurrences,
  };
}

function addonRequest(config: AddonCall, material: Material): WrittenRequest {
  const { addonUrl: url = "", variables } = material;
  const { text: parameters, occurrences } = withUrls(config.parameters, "json", material);
  if (sum(Object.values(variables).map(textLength)) > longest)
    throw new DeliveryFailure(
      "value_does_not_fit",
      `The variables of the instance have more than ${longest} characters in total. An addon receives all of them.`,
    );
  const written = Object.entries(variables).map(
    ([name, variable]) => `${JSON.stringify(name)}:${plainJson(name, variable)}`,
  );
  const body = `{"parameters":${parameters},"variables":{${written.join(",")}}}`;
  return {
    request: { method: "POST", url, headers: { "Content-Type": "application/json" }, body },
    occurrences,
  };
}

/** The value as it is: an attachment is the text of its metadata. A File is null, and its bytes go into parameters. */
function plainJson(name: string, variable: TypedValue): string {
  return variable.type === "File" ? "null" : jsonOf({ name, variable });
}

function withUrls(source: string, place: Place, material: Material) {
  const occurrences = fileOccurrences(source, material);
  const { urls = occurrences.map((_, index) => `https://x/${index}`) } = material;
  return { text: renderPlaceholders(source, material, { place, urls }), occurrences };
}

const mapped = (entries: Readonly<Record<string, string>>, render: (source: string) => string) =>
  Object.fromEntries(Object.entries(entries).map(([name, source]) => [name, render(source)]));
