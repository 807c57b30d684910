/** Templates and values of the largest size that a deployment or an instance can bring. */
import { expect, test } from "bun:test";
import { renderPlaceholders } from "../../../src/processes/delivery/placeholders.ts";
import { parseServiceTask } from "../../../src/processes/delivery/serviceTask.ts";
import type { TypedValues } from "../../../src/processes/variables/variable.ts";
import { failureOf } from "./failures.ts";

const parse = (properties: Readonly<Record<string, string>>) =>
  parseServiceTask("api-call", { method: "POST", url: "https://bank.example/", ...properties });

const faultsOf = (properties: Readonly<Record<string, string>>) => {
  const parsed = parse(properties);
  return "faults" in parsed ? parsed.faults : [];
};

const nested = (levels: number) => `${"<a>".repeat(levels)}\${v}${"</a>".repeat(levels)}`;
const xml = { content_type: "application/xml" };

test("a template has at most 100 placeholders", () => {
  for (const place of ["query.q", "header.X", "body"]) {
    const json = (count: number) => `"${"${v}".repeat(count)}"`;
    expect(faultsOf({ [place]: json(100) })).toEqual([]);
    expect(faultsOf({ [place]: json(101) })).toEqual([
      `"${place}": The template has 101 placeholders. It can have at most 100.`,
    ]);
  }
});

test("a URL and a header have at most 8,192 characters as templates", () => {
  expect(faultsOf({ url: `https://bank.example/${"a".repeat(8_000)}` })).toEqual([]);
  expect(faultsOf({ url: `https://bank.example/${"a".repeat(8_192)}` })).toEqual([
    '"url" has more than 8192 characters.',
  ]);
  expect(faultsOf({ "header.X": "a".repeat(8_192) })).toEqual(['"header.X" has more than 8192 characters.']);
  expect(faultsOf({ "query.q": "a".repeat(8_192) })).toEqual(['"query.q" has more than 8192 characters.']);
});

test("a service task has at most 200 properties", () => {
  const headers = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`header.X${index}`, "a"]));
  expect(faultsOf(headers(198))).toEqual([]);
  expect(faultsOf(headers(199))).toEqual(["A service task has at most 200 properties. This one has 201."]);
});

test("XML has at most 128 levels of elements", () => {
  expect(faultsOf({ ...xml, body: nested(128) })).toEqual([]);
  expect(faultsOf({ ...xml, body: nested(129) })).toEqual([
    '"body": The elements of the XML are nested deeper than 128 levels.',
  ]);
});

test.each([
  ["placeholders in a URL", { url: `https://bank.example/${"${a}".repeat(400_000)}` }],
  ["placeholders in a body", { body: `"${"${a}".repeat(400_000)}"` }],
  ["nested elements", { ...xml, body: nested(250_000) }],
  ["nested objects with many keys", { body: wideBelow(3_000, 150_000) }],
  ["properties", Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`header.X${n}`, "a"]))],
  ["percent signs", { url: `https://bank.example/${"%".repeat(2_000_000)}\${a}` }],
  ["parameters of a content type", { content_type: `application/json${";a=b".repeat(500_000)}!` }],
  ["attributes", { ...xml, body: `<a ${many(150_000, (n) => `a${n}=""`)}>\${v}</a>` }],
  ["namespaces", { ...xml, body: `<a ${many(40_000, (n) => `xmlns:a${n}="u${n}" a${n}:x=""`)}>\${v}</a>` }],
])(
  "a model of 2 MB that is all %s is validated in linear time",
  (_what, properties: Record<string, string>) => {
    const started = performance.now();
    parse(properties);
    // Between 0.1 and 1.5 s where nothing else runs; what was quadratic took from 10 s to many minutes.
    expect(performance.now() - started).toBeLessThan(8_000);
  },
);

function many(count: number, piece: (n: number) => string): string {
  return Array.from({ length: count }, (_, n) => piece(n)).join(" ");
}

function wideBelow(levels: number, keys: number): string {
  const wide = Array.from({ length: keys }, (_, n) => `"k${n}":1`).join(",");
  return `${'{"a":'.repeat(levels)}{${wide}}${"}".repeat(levels)}`;
}

const text = (value: string): TypedValues => ({ v: { type: "String", value } });

test("values that make a URL too long are refused, before they are encoded", async () => {
  const render = (source: string, place: "url" | "query", value: string) =>
    failureOf(() => renderPlaceholders(source, { variables: text(value) }, { place }));
  const large = "é".repeat(30_000_000);
  for (const place of ["url", "query"] as const)
    expect(await render(place === "url" ? "https://bank.example/${v}" : "${v}", place, large)).toMatchObject({
      code: "value_does_not_fit",
      message: "The value of ${v} has more than 8192 characters, the maximum of a URL.",
    });
  const failure = await render("https://bank.example/${v}/${v}", "url", "x".repeat(5_000));
  expect(failure).toMatchObject({
    code: "value_does_not_fit",
    message: "The URL has 10022 characters with its values. It can have at most 8192.",
  });
});
