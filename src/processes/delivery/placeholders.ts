/**
 * Placeholders become values (reference 4; design 9): a pure function of a template, the variables and the place where
 * the text will stand. The template is read once, by its author's text alone, so no value is ever read as a template,
 * and each value is written so that it cannot leave the place of its placeholder. What cannot be written there is a
 * failure, and nothing is sent.
 */
import { DeliveryFailure } from "../../infrastructure/outbound/failure.ts";
import { attachmentIdOf } from "../variables/attachmentMetadata.ts";
import { secretPrefix, type TypedValue, type TypedValues } from "../variables/variable.ts";
import { type Fill, textOf } from "./fill.ts";
import { renderForm } from "./formBody.ts";
import { renderHeader } from "./headers.ts";
import { renderJson } from "./jsonBody.ts";
import { renderQueryValue, renderUrl } from "./requestUrl.ts";
import { assemble, parseTemplate, type Template } from "./template.ts";
import { renderXml } from "./xmlBody.ts";

export type BodyFormat = "json" | "xml" | "form" | "text";

/** `query` is the value of one query parameter, `header` that of one header. */
export type Place = BodyFormat | "url" | "query" | "header";

export interface Values {
  readonly variables: TypedValues;
  /** Values of the tenant's secrets by name, for `${secret.NAME}`. */
  readonly secrets?: Readonly<Record<string, string>>;
}

/** A place in a placeholder's text where an attachment's URL goes. */
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

/**
 * The attachments in a body or an addon's parameters, one entry for each occurrence, in the order in which
 * `renderPlaceholders` takes their URLs. Throws `unknown_placeholder` and `invalid_template`.
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
   * For the body of POST, PUT and PATCH and for an addon's parameters: the URLs of `fileOccurrences`, in their order.
   * Absent: file variables are written as they are, which for an old File is refused.
   */
  readonly urls?: readonly string[];
}

/**
 * The text with every placeholder replaced; `query` and `url` percent-encoded, the rest as it will stand. Throws
 * `unknown_placeholder`, `invalid_template` and `value_does_not_fit`, each naming the placeholder.
 */
export function renderPlaceholders(source: string, values: Values, options: RenderOptions): string {
  const template = parseTemplate(source);
  const fills = fillsOf(template, values);
  return renderers[options.place](template, withFiles(fills, options.urls));
}

/**
 * How a body of this content type is written; without one it is JSON. Throws `invalid_template` for every type of which
 * it is not known how a value stays in its place: the lines of x-ndjson, the cells of CSV, the scripts of HTML.
 */
export function bodyFormatOf(contentType = "application/json"): BodyFormat {
  const type = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (/^(application|text)\/json$|\+json$/.test(type)) return "json";
  if (/^(application|text)\/xml$|\+xml$/.test(type)) return "xml";
  if (type === "application/x-www-form-urlencoded") return "form";
  if (type === "text/plain" || type === "application/octet-stream") return "text";
  throw new DeliveryFailure(
    "invalid_template",
    `A body of type ${type.slice(0, 100)} cannot be made of a template: a value could leave its place in it. What can be sent is application/json, application/xml, types that end in +json or +xml, application/x-www-form-urlencoded, text/plain and application/octet-stream.`,
  );
}

/**
 * Of all values in one text, in characters: a value may be large, and stand in many places. Every value that one request
 * can bring fits.
 */
export const longest = 32 * 1024 ** 2;

function fillsOf({ names }: Template, { variables, secrets = {} }: Values): Fill[] {
  const fills = names.map((name) => {
    if (name.startsWith(secretPrefix)) return secretFill(name, secrets);
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (variable !== undefined) return { name, variable };
    throw new DeliveryFailure(
      "unknown_placeholder",
      `There is no variable for the placeholder \${${name}}. Give the instance one and run the task again.`,
    );
  });
  const lengths = fills.map(({ variable: { value } }) => (typeof value === "string" ? value.length : 0));
  if (lengths.reduce((sum, length) => sum + length, 0) <= longest) return fills;
  throw new DeliveryFailure("value_does_not_fit", `The values have more than ${longest} characters in all.`);
}

/** No variable's, whatever variables are called. */
function secretFill(name: string, secrets: Readonly<Record<string, string>>): Fill {
  const key = name.slice(secretPrefix.length);
  const value = Object.hasOwn(secrets, key) ? secrets[key] : undefined;
  if (value !== undefined) return { name, variable: { type: "String", value } };
  throw new DeliveryFailure("secret_not_found", `There is no secret for \${${name}}.`);
}

/** A secret is a text, whatever it looks like. */
const attachmentOf = ({ name, variable: { type, value } }: Fill) =>
  (type === "String" || type === "Json") && !name.startsWith(secretPrefix)
    ? attachmentIdOf(value)
    : undefined;

/** Each attachment as the next URL and each old File as its base64, both ordinary text from here on. */
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
    : "is a file, which can stand in a body or in an addon's parameters alone";
  throw new DeliveryFailure("value_does_not_fit", `\${${name}} ${why}.`);
}

/**
 * Judges a template before there are values: what is malformed, or holds a placeholder where none can stand, fails for
 * every value. Throws `invalid_template` and `invalid_url`.
 */
export function checkTemplate(source: string, place: Place): void {
  const template = parseTemplate(source);
  const fills = template.names.map((name) => ({ name, variable: stand }));
  try {
    renderers[place](template, fills);
  } catch (error) {
    if (error instanceof DeliveryFailure && error.code !== "value_does_not_fit") throw error;
  }
}

/** Fits nearly everywhere; where it does not, another value may. */
const stand: TypedValue = { type: "Integer", value: 1 };
