/**
 * Placeholders in a URL and in its query parameters.
 *
 * In path, query and fragment, the whole value is percent-encoded, so it stays one segment or one parameter. A value
 * that makes a segment empty, `.` or `..` would address another resource and is refused. In the host a value has
 * letters, digits, dots and hyphens; a port has digits. A placeholder at the very start is a base URL and written as it
 * is. With such a template, the variable chooses the host within the outbound policy.
 */
import { DeliveryFailure } from "../../infrastructure/outbound/failure.ts";
import { doesNotFit, misplaced, percentEncoded, refuseOpenEscapes, wellFormedTextOf } from "./encoding.ts";
import type { Fill } from "./fill.ts";
import { assemble, type Template } from "./template.ts";

type UrlPlace = "base" | "host" | "port" | "path" | "rest";

/** Characters of a URL, as a template and with its values. Most servers accept fewer. */
export const longestUrl = 8_192;

/** Throws `invalid_template`, `invalid_url` and `value_does_not_fit`. */
export function renderUrl(template: Template, fills: readonly Fill[]): string {
  refuseLongTemplate(template);
  refuseLongValues(fills);
  refuseOddTemplate(template);
  const places = placesOf(template);
  const written = fills.map((fill, index) => writers[places[index] as UrlPlace](fill, template));
  const plain = places.map((place, index) => (place === "base" ? (written[index] ?? "") : standIns[place]));
  const url = assemble(template, written);
  refuseLongUrl(url);
  refuseOtherPath(url, {
    skeleton: assemble(template, plain),
    name: template.names[places.indexOf("path")] ?? "",
  });
  return url;
}

/** The value of one parameter: the text after `name=`. */
export function renderQueryValue(template: Template, fills: readonly Fill[]): string {
  refuseLongTemplate(template);
  refuseLongValues(fills);
  const { texts, names } = template;
  const encoded = { texts: texts.map((text) => encodeURIComponent(text.toWellFormed())), names };
  return assemble(encoded, fills.map(percentEncoded));
}

/** The URL with further parameters. Their values are already encoded, by `renderQueryValue`. */
export function withQuery(url: string, values: Readonly<Record<string, string>>): string {
  const [, address = "", fragment = ""] = /^([^#]*)(.*)$/s.exec(url) ?? [];
  const pairs = Object.entries(values).map(
    ([name, value]) => `${encodeURIComponent(name.toWellFormed())}=${value}`,
  );
  if (pairs.length === 0) return url;
  const separator = !address.includes("?") ? "?" : /[?&]$/.test(address) ? "" : "&";
  const whole = `${address}${separator}${pairs.join("&")}${fragment}`;
  refuseLongUrl(whole);
  return whole;
}

function refuseLongTemplate({ texts }: Template): void {
  if (texts.reduce((sum, { length }) => sum + length, 0) > longestUrl)
    throw new DeliveryFailure("invalid_template", `The URL has more than ${longestUrl} characters.`);
}

/** Checks before the values are encoded: a value may have millions of characters. */
function refuseLongValues(fills: readonly Fill[]): void {
  const long = fills.find(
    ({ variable: { value } }) => typeof value === "string" && value.length > longestUrl,
  );
  if (long) throw doesNotFit(long.name, `has more than ${longestUrl} characters, the maximum of a URL`);
}

function refuseLongUrl({ length }: string): void {
  if (length > longestUrl)
    throw new DeliveryFailure(
      "value_does_not_fit",
      `The URL has ${length} characters with its values. It can have at most ${longestUrl}.`,
    );
}

/** The placeholders that decide which host is called. */
export const hostNamesIn = (template: Template): string[] => {
  const places = placesOf(template);
  return template.names.filter((_, index) => /^(base|host|port)$/.test(places[index] ?? ""));
};

const standIns: Readonly<Record<UrlPlace, string>> = { base: "", host: "x", port: "1", path: "x", rest: "x" };

const writers: Readonly<Record<UrlPlace, (fill: Fill, template: Template) => string>> = {
  base: baseUrl,
  host: (fill) => matching(fill, /^[a-z0-9.-]+$/i, "is not a host name"),
  port: (fill) => matching(fill, /^\d{1,5}$/, "is not a port"),
  path: percentEncoded,
  rest: percentEncoded,
};

/** A URL parser reads a backslash as a slash, and removes line breaks and tabs. */
function refuseOddTemplate(template: Template): void {
  refuseOpenEscapes(template);
  if (template.texts.some((text) => /[\\\u0000-\u001f\u007f]/.test(text)))
    throw new DeliveryFailure("invalid_template", "The URL contains a backslash or a control character.");
}

/**
 * The place of each placeholder, found from the text before it with stand-ins for earlier placeholders. After the host,
 * only the text since the last placeholder matters.
 */
function placesOf({ texts, names }: Template): UrlPlace[] {
  let before = "";
  let last: UrlPlace | undefined;
  return names.map((name, index) => {
    const text = texts[index] ?? "";
    before += text;
    if (last === "path" || last === "rest") last = last === "rest" || /[?#]/.test(text) ? "rest" : "path";
    else last = placeAfter(before);
    if (last === undefined) throw misplaced(name, "in this part of a URL");
    if (last === "base") before = "http://x/";
    else before = last === "path" || last === "rest" ? "" : before + standIns[last];
    return last;
  });
}

function placeAfter(before: string): UrlPlace | undefined {
  if (before === "") return "base";
  if (!/^https?:\/\//i.test(before)) return undefined;
  const address = before.replace(/^https?:\/\//i, "");
  if (/[?#]/.test(address)) return "rest";
  if (address.includes("/")) return "path";
  if (/^[^@:[\]]*$/.test(address)) return "host";
  return /^[^@:[\]]+:\d*$/.test(address) ? "port" : undefined;
}

function baseUrl(fill: Fill, { texts }: Template): string {
  const text = wellFormedTextOf(fill);
  const isWhole = texts.length === 2 && texts[1] === "";
  if (!isWhole && !/^[/?#]/.test(texts[1] ?? "")) throw misplaced(fill.name, "as the start of a host name");
  const url = /^https?:\/\/[^\\\s\u0000-\u001f]*$/i.test(text) ? URL.parse(text) : null;
  const plain = url !== null && url.username + url.password === "" && (isWhole || !/[?#]/.test(text));
  if (plain) return text;
  throw doesNotFit(
    fill.name,
    "is not the beginning of a URL: http:// or https://, a host and optionally a path",
  );
}

function matching(fill: Fill, pattern: RegExp, why: string): string {
  const text = wellFormedTextOf(fill);
  if (pattern.test(text)) return text;
  throw doesNotFit(fill.name, why);
}

/** A URL parser must find the same number of segments in both, and no segment that only the values make empty. */
function refuseOtherPath(url: string, { skeleton, name }: { skeleton: string; name: string }): void {
  const [segments, expected] = [segmentsOf(url), segmentsOf(skeleton)];
  const same = (segment: string, index: number) => segment === "" || segments[index] !== "";
  if (segments.length === expected.length && expected.every(same)) return;
  throw doesNotFit(name, 'is empty, "." or "..", so it would change the path of the URL');
}

function segmentsOf(url: string): string[] {
  const parsed = URL.parse(url);
  if (parsed) return parsed.pathname.split("/");
  throw new DeliveryFailure(
    "invalid_url",
    "After the values were inserted, the URL of the service task is not valid.",
  );
}
