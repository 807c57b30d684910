/**
 * Placeholders in a URL and in its query parameters.
 *
 * In path, query and fragment a value is percent-encoded whole, so it stays one segment or one parameter. A value that
 * empties a segment, or makes `.` or `..` of it, would address another resource and is refused. In the host a value may
 * be letters, digits, dots and hyphens; as the port, digits. A placeholder at the very start is a base URL, written as it
 * is: whoever writes such a template leaves the choice of host to the variable, within the outbound policy.
 */

import { DeliveryFailure } from "../../infrastructure/outbound/failure.ts";
import { cannotStand, doesNotFit, percentEncoded, refuseOpenEscapes, wellFormedTextOf } from "./encoding.ts";
import type { Fill } from "./fill.ts";
import { assemble, type Template } from "./template.ts";

type UrlPlace = "base" | "host" | "port" | "path" | "rest";

/** Characters of a URL, as a template and with its values. Most servers take fewer. */
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

/** The value of one parameter, as it stands behind `name=`. */
export function renderQueryValue(template: Template, fills: readonly Fill[]): string {
  refuseLongTemplate(template);
  refuseLongValues(fills);
  const { texts, names } = template;
  const encoded = { texts: texts.map((text) => encodeURIComponent(text.toWellFormed())), names };
  return assemble(encoded, fills.map(percentEncoded));
}

/** The URL with more parameters; the values are those of `query` placeholders, encoded already. */
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
    throw new DeliveryFailure("invalid_template", `A URL has at most ${longestUrl} characters.`);
}

/** Before they are encoded: a value may have millions of characters. */
function refuseLongValues(fills: readonly Fill[]): void {
  const long = fills.find(
    ({ variable: { value } }) => typeof value === "string" && value.length > longestUrl,
  );
  if (long) throw doesNotFit(long.name, `is longer than ${longestUrl} characters, the most that a URL has`);
}

function refuseLongUrl({ length }: string): void {
  if (length > longestUrl)
    throw new DeliveryFailure(
      "value_does_not_fit",
      `The URL has ${length} characters with its values filled in. It takes at most ${longestUrl}.`,
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

/** A URL parser reads a backslash as a slash and drops line breaks and tabs. */
function refuseOddTemplate(template: Template): void {
  refuseOpenEscapes(template);
  if (template.texts.some((text) => /[\\\u0000-\u001f\u007f]/.test(text)))
    throw new DeliveryFailure("invalid_template", "The URL holds a backslash or a control character.");
}

/**
 * By what stands before each: the text, with a stand-in for every earlier placeholder. Behind the host, only the text
 * since the last placeholder is looked at.
 */
function placesOf({ texts, names }: Template): UrlPlace[] {
  let before = "";
  let last: UrlPlace | undefined;
  return names.map((name, index) => {
    const text = texts[index] ?? "";
    before += text;
    if (last === "path" || last === "rest") last = last === "rest" || /[?#]/.test(text) ? "rest" : "path";
    else last = placeBehind(before);
    if (last === undefined) throw cannotStand(name, "in this part of a URL");
    if (last === "base") before = "http://x/";
    else before = last === "path" || last === "rest" ? "" : before + standIns[last];
    return last;
  });
}

function placeBehind(before: string): UrlPlace | undefined {
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
  const alone = texts.length === 2 && texts[1] === "";
  if (!alone && !/^[/?#]/.test(texts[1] ?? "")) throw cannotStand(fill.name, "as the start of a host name");
  const url = /^https?:\/\/[^\\\s\u0000-\u001f]*$/i.test(text) ? URL.parse(text) : null;
  const plain = url !== null && url.username + url.password === "" && (alone || !/[?#]/.test(text));
  if (plain) return text;
  throw doesNotFit(
    fill.name,
    "is not the beginning of a URL: http:// or https://, a host and perhaps a path",
  );
}

function matching(fill: Fill, pattern: RegExp, why: string): string {
  const text = wellFormedTextOf(fill);
  if (pattern.test(text)) return text;
  throw doesNotFit(fill.name, why);
}

/** Both must be read to as many segments, and none that the template fills may be empty. */
function refuseOtherPath(url: string, { skeleton, name }: { skeleton: string; name: string }): void {
  const [segments, expected] = [segmentsOf(url), segmentsOf(skeleton)];
  const same = (segment: string, index: number) => segment === "" || segments[index] !== "";
  if (segments.length === expected.length && expected.every(same)) return;
  throw doesNotFit(
    name,
    "changes the URL's path: it is empty, or one or two dots, where a segment should be",
  );
}

function segmentsOf(url: string): string[] {
  const parsed = URL.parse(url);
  if (parsed) return parsed.pathname.split("/");
  throw new DeliveryFailure(
    "invalid_url",
    "The URL of the service task, with its values filled in, is not a URL.",
  );
}
