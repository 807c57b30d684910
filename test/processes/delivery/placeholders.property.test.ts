// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are written like this
/**
 * For any template and any values: what is rendered has the structure that its author wrote, and holds the values
 * exactly. A template that cannot promise that is refused, for its author's sake and before any value is looked at.
 */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { SaxesParser } from "saxes";
import {
  bodyFormatOf,
  type Place,
  renderPlaceholders,
} from "../../../src/processes/delivery/placeholders.ts";
import { unlessFailed } from "./failures.ts";
import { texts } from "./variables.ts";

const runs = { numRuns: 1500 };

/** Values that look like the syntax of everything they could stand in. */
const hostile = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
  fc
    .array(
      fc.constantFrom(
        ..."\"'\\{}[]<>&;:,=?#/%.$ \t\r\n\0-x1é🍜",
        "${a}",
        "${",
        "]]>",
        "<![CDATA[",
        "<!--",
        "-->",
        "&lt;",
        "\\u0022",
        "%22",
        "..",
        "null",
        "\ud800",
        "\u2028",
      ),
      { maxLength: 6 },
    )
    .map((pieces) => pieces.join("")),
);
const values = fc.record({ a: hostile, b: hostile }).map(texts);
const harmless = texts({ a: "v", b: "w" });

/** Any text at all of these pieces, among them placeholders. */
const templateOf = (...pieces: string[]) =>
  fc.array(fc.constantFrom("${a}", "${b}", ...pieces), { maxLength: 14 }).map((parts) => parts.join(""));

function rendered(place: Place, source: string, variables: ReturnType<typeof texts>): string | undefined {
  return unlessFailed(() => renderPlaceholders(source, { variables }, { place }));
}

/** Refused templates and values say nothing of the property: how many of the runs did. */
function expectSome(seen: number): void {
  expect(seen).toBeGreaterThan(20);
}

/** A JSON value with placeholders: its template, and what it is once they are filled in. */
interface Node {
  readonly source: string;
  value(of: Readonly<Record<string, string>>): unknown;
}

const words = fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("${a}", "${b}")), {
  maxLength: 4,
});

const stringNode = words.map((parts): Node => {
  const literal = parts.map((part) => (/^\$\{[ab]\}$/.test(part) ? part : part.replaceAll("${", "")));
  const joined = literal.map((part) =>
    /^\$\{[ab]\}$/.test(part) ? part : JSON.stringify(part).slice(1, -1),
  );
  const value = (of: Readonly<Record<string, string>>) =>
    literal.map((part) => (part === "${a}" ? of.a : part === "${b}" ? of.b : part)).join("");
  return { source: `"${joined.join("")}"`, value };
});

const { json } = fc.letrec<{ json: Node; leaf: Node }>((tie) => ({
  leaf: fc.oneof(
    stringNode,
    fc.constantFrom("a", "b").map((name): Node => ({ source: `\${${name}}`, value: (of) => of[name] })),
    fc
      .constantFrom(0, -1.5, true, null)
      .map((value): Node => ({ source: String(value), value: () => value })),
  ),
  json: fc.oneof(
    { maxDepth: 3 },
    tie("leaf"),
    fc.array(tie("json"), { maxLength: 4 }).map(
      (items): Node => ({
        source: `[${items.map(({ source }) => source).join(" , ")}]`,
        value: (of) => items.map((item) => item.value(of)),
      }),
    ),
    fc.array(tie("json"), { maxLength: 4 }).map(
      (items): Node => ({
        source: `{${items.map(({ source }, index) => `"k${index}":${source}`).join(",")}}`,
        value: (of) => Object.fromEntries(items.map((item, index) => [`k${index}`, item.value(of)])),
      }),
    ),
  ),
}));

test("JSON: every value arrives exactly, in the structure of the template", () => {
  fc.assert(
    fc.property(json, hostile, hostile, (node, a, b) => {
      // A dollar before a brace of the next piece would make a placeholder by chance.
      fc.pre(!/\$(?!\{[ab]\})\{|\$\$\{/.test(node.source));
      const text = renderPlaceholders(node.source, { variables: texts({ a, b }) }, { place: "json" });
      expect(JSON.parse(text)).toEqual(node.value({ a, b }));
    }),
    runs,
  );
});

/** Kinds, without keys and values; sorted, for JavaScript moves keys that are numbers to the front. */
function jsonShape(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(jsonShape);
  if (typeof value !== "object" || value === null) return typeof value;
  const members = Object.values(value).map((member) => JSON.stringify(jsonShape(member)));
  return { members: members.sort() };
}

test("JSON: any text that is accepted stays JSON of the same structure, whatever the values", () => {
  let seen = 0;
  const source = templateOf(
    '"',
    '"',
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\\",
    "\\u00",
    "1",
    "null",
    " ",
    '"k":',
    '"${a}"',
  );
  const whole = fc.oneof(
    source,
    source.map((inner) => `[${inner}]`),
    source.map((inner) => `"${inner}"`),
    source.map((inner) => `{"k":"${inner}","\${b}":1}`),
  );
  fc.assert(
    fc.property(whole, values, (template, filled) => {
      const plain = rendered("json", template, harmless);
      const text = rendered("json", template, filled);
      if (text === undefined || plain === undefined) return;
      seen++;
      expect(jsonShape(JSON.parse(text))).toEqual(jsonShape(JSON.parse(plain)));
    }),
    { numRuns: 4000 },
  );
  expectSome(seen);
});

/** What a parser reports, without text; the text apart. */
function readXml(source: string): { shape: string[]; text: string } {
  const shape: string[] = [];
  let text = "";
  const parser = new SaxesParser({ xmlns: true });
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("text", (chunk) => {
    text += chunk;
  });
  parser.on("cdata", (chunk) => {
    text += chunk;
  });
  parser.on("attribute", ({ name, value }) => {
    shape.push(`@${name}`);
    text += value;
  });
  parser.on("opentag", ({ name }) => shape.push(`<${name}`));
  parser.on("closetag", ({ name }) => shape.push(`>${name}`));
  parser.on("comment", (comment) => shape.push(`!${comment}`));
  parser.on("processinginstruction", ({ target, body }) => shape.push(`?${target} ${body}`));
  parser.write(source).close();
  return { shape, text };
}

test("XML: any document that is accepted stays well-formed, with the same elements and the values exactly", () => {
  let seen = 0;
  const pieces = [
    "]>",
    "<x>",
    "</x>",
    "<y/>",
    '<z k="',
    '"/>',
    "<z k='",
    "'/>",
    "<![CDATA[",
    "]]>",
    "]",
    ">",
    "&amp;",
    "<!-- c -->",
  ];
  const document = templateOf(...pieces, "<w>${a}</w>", '<w k="${b}">t</w>', "<![CDATA[]]${a}]]>", "<?p i?>");
  fc.assert(
    fc.property(document, values, (inner, filled) => {
      const template = `<r>${inner}</r>`;
      const text = rendered("xml", template, filled);
      if (text === undefined) return;
      seen++;
      const plain = readXml(rendered("xml", template, texts({ a: "\u{F0000}", b: "\u{F0001}" })) ?? "");
      const expected = plain.text
        .replaceAll("\u{F0000}", () => String(filled.a?.value))
        .replaceAll("\u{F0001}", () => String(filled.b?.value));
      expect(readXml(text)).toEqual({ shape: plain.shape, text: expected });
    }),
    { numRuns: 6000 },
  );
  expectSome(seen);
});

test("form: every value arrives exactly, under as many names", () => {
  let seen = 0;
  fc.assert(
    fc.property(templateOf("a=", "b=", "&", "=", "x", "%41", "%", "%4", "+"), values, (template, filled) => {
      const text = rendered("form", template, filled);
      if (text === undefined) return;
      seen++;
      const marked = rendered("form", template, texts({ a: "\ue000", b: "\ue001" })) ?? "";
      const fill = (part: string) =>
        part
          .replaceAll("\ue000", () => String(filled.a?.value))
          .replaceAll("\ue001", () => String(filled.b?.value));
      const expected = [...new URLSearchParams(marked)].map((pair) => pair.map(fill));
      // A parser leaves out an empty pair.
      const nonEmpty = (pairs: string[][]) => pairs.filter((pair) => pair.join("") !== "");
      expect(nonEmpty([...new URLSearchParams(text)])).toEqual(nonEmpty(expected));
    }),
    runs,
  );
  expectSome(seen);
});

function urlShape(text: string) {
  const url = new URL(text);
  const { protocol, username, password, pathname, search, hash } = url;
  const segments = pathname.split("/").map((segment) => segment === "");
  return {
    protocol,
    username,
    password,
    segments,
    parameters: search.split("&").length,
    fragment: hash !== "",
  };
}

test("URL: any that is accepted keeps its scheme, host, segments and parameters, whatever the values", () => {
  let seen = 0;
  const rest = templateOf(
    "/",
    "/",
    "?",
    "&",
    "=",
    "#",
    ".",
    "..",
    "x",
    "%2e",
    "%",
    "%2",
    ";",
    ":",
    "@",
    "\\",
    "\t",
  );
  fc.assert(
    fc.property(
      fc.constantFrom("https://h.example/", "http://h.example:81/p/"),
      rest,
      values,
      (base, inner, filled) => {
        const text = rendered("url", base + inner, filled);
        if (text === undefined) return;
        seen++;
        const plain = rendered("url", base + inner, harmless) ?? "";
        // The fragment is never sent, and an empty one is none.
        const fragment = false;
        expect({ ...urlShape(text), fragment }).toEqual({ ...urlShape(plain), fragment });
        expect(new URL(text).host).toBe(new URL(base).host);
      },
    ),
    { numRuns: 4000 },
  );
  expectSome(seen);
});

test("URL: a value in a host or port does not change scheme, path and the rest of the host", () => {
  fc.assert(
    fc.property(
      values,
      fc.constantFrom("${a}.api.example", "api.example:${a}", "x-${a}.example:${b}"),
      (filled, host) => {
        const text = rendered("url", `https://${host}/p?q=1`, filled);
        if (text === undefined) return;
        const url = URL.parse(text);
        if (url === null) return;
        expect(url.href.replace(/^https:\/\/[^/]*/, "")).toBe("/p?q=1");
        expect(url.hostname).toEndWith("example");
        expect(url.username + url.password).toBe("");
      },
    ),
    runs,
  );
});

test("query: text and values arrive exactly as one parameter", () => {
  fc.assert(
    fc.property(templateOf("&", "=", "#", "%41", "+", " ", "x"), values, (template, filled) => {
      const text = rendered("query", template, filled);
      if (text === undefined) return;
      const expected = template.replaceAll(/\$\{([ab])\}/g, (_, name) => String(filled[name]?.value));
      expect([...new URL(`https://h/?q=${text}&r`).searchParams]).toEqual([
        ["q", expected],
        ["r", ""],
      ]);
    }),
    runs,
  );
});

test("header: no value brings a line break or another control character, and none is altered", () => {
  fc.assert(
    fc.property(templateOf("Bearer ", "x", ";"), values, (template, filled) => {
      const text = rendered("header", template, filled);
      if (text === undefined) return;
      expect(text).not.toMatch(/[\0-\x08\x0a-\x1f\x7f]/);
      expect(text).toBe(template.replaceAll(/\$\{([ab])\}/g, (_, name) => String(filled[name]?.value)));
    }),
    runs,
  );
});

test("for any content type, a body has a known structure, is plain text by its type, or is refused", () => {
  const word = fc.constantFrom("application", "text", "json", "xml", "x-ndjson", "html", "csv", "plain", "x");
  const type = fc
    .tuple(word, word, fc.constantFrom("", "+json", "+xml", "+yaml", "-seq", "; a=b", ";charset=utf-8"))
    .map(([kind, name, rest]) => `${kind}/${name}${rest}`);
  const known = new Set<string>();
  const property = fc.property(fc.oneof(type, fc.string()), values, (contentType, filled) => {
    const place = unlessFailed(() => bodyFormatOf(contentType));
    if (place === undefined) return;
    known.add(place);
    if (place === "text") expect(contentType).toMatch(/^(text\/plain|application\/octet-stream)(;|$)/);
    if (place === "json")
      expect(JSON.parse(rendered(place, '["${a}",${b}]', filled) ?? "")).toEqual([
        filled.a?.value,
        filled.b?.value,
      ]);
    const xml = place === "xml" ? rendered(place, '<r k="${a}">${b}</r>', filled) : undefined;
    if (xml !== undefined) expect(readXml(xml).shape).toEqual(["@k", "<r", ">r"]);
  });
  fc.assert(property, { numRuns: 3000 });
  expect([...known].sort()).toEqual(["json", "text", "xml"]);
});

test("text: no value is read as a template, whatever the values hold", () => {
  fc.assert(
    fc.property(templateOf("$", "{", "}", "x"), values, (template, filled) => {
      const text = rendered("text", template, filled);
      if (text === undefined) return;
      expect(text).toBe(template.replaceAll(/\$\{([ab])\}/g, (_, name) => String(filled[name]?.value)));
    }),
    runs,
  );
});
