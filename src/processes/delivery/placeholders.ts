/**
 * Replaces placeholders by values: a pure function of a template, the variables, and the place that the text is for.
 * The template is parsed before any value is inserted, so a value is never read as a template. Each value is written so
 * that it cannot leave the place of its placeholder. A value that cannot be written there is a failure, and nothing is
 * sent. See docs/decisions/service-tasks.md.
 */
import { DeliveryFailure } from "../../infrastructure/outbound/failure.ts";
import { controlCharacter } from "../../infrastructure/outbound/headers.ts";
import { attachmentIdOf } from "../variables/attachmentMetadata.ts";
import { secretPrefix, type TypedValue, type TypedValues } from "../variables/variable.ts";
import { doesNotFit, percentEncoded, refuseOpenEscapes, wellFormedTextOf } from "./encoding.ts";
import { type Fill, textOf } from "./fill.ts";
import { renderJson } from "./jsonBody.ts";
import { renderQueryValue, renderUrl } from "./requestUrl.ts";
import { assemble, parseTemplate, type Template } from "./template.ts";
import { renderXml } from "./xmlBody.ts";

export type BodyFormat = "json" | "xml" | "form" | "text";

/** `query` and `header` are the value of one query parameter and of one header. */
export type Place = BodyFormat | "url" | "query" | "header";

export interface Values {
  readonly variables: TypedValues;
  /** The values of the tenant's secrets by name, for `${secret.NAME}`. */
  readonly secrets?: Readonly<Record<string, string>>;
}

/** A placeholder that becomes the URL of an attachment. */
export interface FileOccurrence {
  readonly name: string;
  readonly attachmentId: string;
}

const renderers: Readonly<Record<Place, (template: Template, fills: readonly Fill[]) => string>> = {
  json: renderJson,
  xml: renderXml,
  form: renderForm,
  text: (template, fills) => assemble(template, fills.map(textOf)),
  url: renderUrl,
  query: renderQueryValue,
  header: renderHeader,
};

/** Names and values of an `application/x-www-form-urlencoded` body. */
function renderForm(template: Template, fills: readonly Fill[]): string {
  refuseOpenEscapes(template);
  return assemble(template, fills.map(percentEncoded));
}

function renderHeader(template: Template, fills: readonly Fill[]): string {
  return assemble(template, fills.map(singleLine));
}

function singleLine(fill: Fill): string {
  const text = wellFormedTextOf(fill);
  if (!controlCharacter.test(text)) return text;
  throw doesNotFit(
    fill.name,
    "contains a line break or another control character, which a header cannot have",
  );
}

/**
 * The attachments in a body or in an addon's parameters. Each occurrence is one entry, in the order in which
 * `renderPlaceholders` uses their URLs. Throws `unknown_placeholder` and `invalid_template`.
 */
export function fileOccurrences(source: string, values: Values): FileOccurrence[] {
  return fillsOf(parseTemplate(source), values).flatMap((fill) => {
    const attachmentId = attachmentOf(fill);
    return attachmentId === undefined ? [] : [{ name: fill.name, attachmentId }];
  });
}

export interface RenderOptions {
  readonly place: Place;
  /**
   * For the body of POST, PUT and PATCH and for an addon's parameters: the URLs for `fileOccurrences`, in their order.
   * If it is absent, an attachment is written as its metadata, and a variable of type File is refused.
   */
  readonly urls?: readonly string[];
}

/**
 * The text with all placeholders replaced, percent-encoded for `query` and `url`. Throws `unknown_placeholder`,
 * `invalid_template` and `value_does_not_fit`, each with the name of the placeholder.
 */
export function renderPlaceholders(source: string, values: Values, options: RenderOptions): string {
  const template = parseTemplate(source);
  const fills = fillsOf(template, values);
  return renderers[options.place](template, withFiles(fills, options.urls));
}

/**
 * The format of a body of this content type. The default is JSON. Throws `invalid_template` for types in which a value
 * could leave its place, such as the lines of x-ndjson, the cells of CSV and the scripts of HTML.
 */
export function bodyFormatOf(contentType = "application/json"): BodyFormat {
  const type = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (/^(application|text)\/json$|\+json$/.test(type)) return "json";
  if (/^(application|text)\/xml$|\+xml$/.test(type)) return "xml";
  if (type === "application/x-www-form-urlencoded") return "form";
  if (type === "text/plain" || type === "application/octet-stream") return "text";
  throw new DeliveryFailure(
    "invalid_template",
    `A template cannot make a body of type ${type.slice(0, 100)}, because a value could leave its place in it. ` +
      "Use application/json, application/xml, a type that ends in +json or +xml, " +
      "application/x-www-form-urlencoded, text/plain or application/octet-stream.",
  );
}

/**
 * Characters of all values in one text. A value may be large and occur many times. Every value that one request can set
 * is within this limit.
 */
export const longest = 32 * 1024 ** 2;

function fillsOf({ names }: Template, { variables, secrets = {} }: Values): Fill[] {
  const fills = names.map((name) => {
    if (name.startsWith(secretPrefix)) return secretFill(name, secrets);
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (variable !== undefined) return { name, variable };
    throw new DeliveryFailure(
      "unknown_placeholder",
      `The process instance has no variable for the placeholder \${${name}}. Set one and run the task again.`,
    );
  });
  const lengths = fills.map(({ variable: { value } }) => (typeof value === "string" ? value.length : 0));
  if (lengths.reduce((sum, length) => sum + length, 0) <= longest) return fills;
  throw new DeliveryFailure(
    "value_does_not_fit",
    `The values have more than ${longest} characters in total.`,
  );
}

/** Never a variable, even if one has this name. */
function secretFill(name: string, secrets: Readonly<Record<string, string>>): Fill {
  const key = name.slice(secretPrefix.length);
  const value = Object.hasOwn(secrets, key) ? secrets[key] : undefined;
  if (value !== undefined) return { name, variable: { type: "String", value } };
  throw new DeliveryFailure("secret_not_found", `There is no secret for the placeholder \${${name}}.`);
}

/** A secret is a text, even if it looks like the metadata of a file. */
const attachmentOf = ({ name, variable: { type, value } }: Fill) =>
  (type === "String" || type === "Json") && !name.startsWith(secretPrefix)
    ? attachmentIdOf(value)
    : undefined;

/** Each attachment as the next URL, and each File as its content in base64. From here on both are ordinary text. */
function withFiles(fills: readonly Fill[], urls: readonly string[] | undefined): Fill[] {
  const next = urls?.values();
  const filled = fills.map(({ name, variable }): Fill => {
    if (variable.type === "File") return { name, variable: contentOf(name, variable, next !== undefined) };
    if (next === undefined || attachmentOf({ name, variable }) === undefined) return { name, variable };
    const url = next.next().value;
    if (url === undefined) throw new RangeError("There are fewer URLs than occurrences of attachments");
    return { name, variable: { type: "String", value: url } };
  });
  if (next?.next().done === false)
    throw new RangeError("There are more URLs than occurrences of attachments");
  return filled;
}

function contentOf(name: string, { value }: TypedValue, inBody: boolean): TypedValue {
  if (inBody && typeof value === "string") return { type: "String", value };
  const why = inBody
    ? "has no content"
    : "is a file. Files can only be in a body or in the parameters of an addon";
  throw new DeliveryFailure("value_does_not_fit", `\${${name}} ${why}.`);
}

/**
 * Validates a template without values. A malformed template, and a placeholder in the wrong place, fail for every
 * value. Throws `invalid_template` and `invalid_url`.
 */
export function checkTemplate(source: string, place: Place): void {
  const template = parseTemplate(source);
  const fills = template.names.map((name) => ({ name, variable: sample }));
  try {
    renderers[place](template, fills);
  } catch (error) {
    if (error instanceof DeliveryFailure && error.code !== "value_does_not_fit") throw error;
  }
}

/** A value that fits nearly everywhere. Where it does not, another value may. */
const sample: TypedValue = { type: "Integer", value: 1 };
