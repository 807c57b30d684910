// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are written like this
import { expect, test } from "bun:test";
import {
  bodyFormatOf,
  fileOccurrences,
  type Place,
  renderPlaceholders,
} from "../../../src/processes/delivery/placeholders.ts";
import { withQuery } from "../../../src/processes/delivery/requestUrl.ts";
import type { TypedValues } from "../../../src/processes/variables/variable.ts";
import { failureOf } from "./failures.ts";
import { attachment, text, texts } from "./variables.ts";

const first = "0b5c3c5e-8a52-4d5e-9d5a-2f7f5d1c9a10";
const second = "7d1d2c9e-1c1b-4f6b-8f0e-0a4a3c2b1d00";
const files: TypedValues = {
  a: attachment(first),
  b: attachment(second),
  old: { type: "File", value: "JVBERi0=" },
};

const render = (place: Place, source: string, variables: TypedValues, urls?: readonly string[]) =>
  renderPlaceholders(source, { variables }, urls === undefined ? { place } : { place, urls });
const refusal = (place: Place, source: string, variables: TypedValues, urls?: readonly string[]) =>
  failureOf(() => render(place, source, variables, urls));

test("each occurrence of an attachment takes the next URL, in the order of the text", () => {
  const source = '{"x":"${b}","y":[${a},"${b}"],"z":"${old}"}';
  const occurrences = [
    { name: "b", attachmentId: second },
    { name: "a", attachmentId: first },
    { name: "b", attachmentId: second },
  ];
  expect(fileOccurrences(source, { variables: files })).toEqual(occurrences);
  const urls = ["https://h/1", "https://h/2", "https://h/3"];
  expect(render("json", source, files, urls)).toBe(
    '{"x":"https://h/1","y":["https://h/2","https://h/3"],"z":"JVBERi0="}',
  );
});

test("a URL is escaped where its body needs it", () => {
  const urls = ["https://h/?a=1&token=t"];
  expect(render("xml", "<a>${a}</a>", files, urls)).toBe("<a>https://h/?a=1&#38;token=t</a>");
  expect(render("form", "file=${a}", files, urls)).toBe("file=https%3A%2F%2Fh%2F%3Fa%3D1%26token%3Dt");
  expect(render("text", "file: ${a}", files, urls)).toBe("file: https://h/?a=1&token=t");
});

test("attachment metadata in a Json variable is an attachment too", () => {
  const variables: TypedValues = { a: { type: "Json", value: { attachment_id: first, file_name: "a.pdf" } } };
  expect(fileOccurrences("${a}", { variables })).toEqual([{ name: "a", attachmentId: first }]);
  expect(render("json", "[${a}]", variables, ["https://h/1"])).toBe('["https://h/1"]');
});

test("elsewhere an attachment is its unchanged metadata", () => {
  const metadata = files.a?.value as string;
  expect(render("header", "${a}", files)).toBe(metadata);
  expect(decodeURIComponent(render("query", "${a}", files))).toBe(metadata);
  expect(new URL(render("url", "https://h/?f=${a}", files)).searchParams.get("f")).toBe(metadata);
});

test("a File can only be in a body, and a File without content nowhere", async () => {
  for (const place of ["url", "query", "header"] as const)
    expect(await refusal(place, "https://h/?f=${old}", files)).toMatchObject({
      code: "value_does_not_fit",
      message: "${old} is a file. Files can only be in a body or in the parameters of an addon.",
    });
  const empty: TypedValues = { old: { type: "File", value: null } };
  expect((await refusal("json", '"${old}"', empty, [])).code).toBe("value_does_not_fit");
});

test("an unknown name is a failure that names it, also a name that objects inherit", async () => {
  for (const name of ["missing", "constructor", "__proto__", "toString", "a.b"]) {
    const failure = await refusal("json", `{"x":"\${${name}}"}`, texts({ a: "1" }));
    expect(failure).toMatchObject({ code: "unknown_placeholder" });
    expect(failure.message).toContain(`\${${name}}`);
    expect((await failureOf(() => fileOccurrences(`\${${name}}`, { variables: {} }))).code).toBe(
      "unknown_placeholder",
    );
  }
});

test("a value is never read as a template", () => {
  const variables = texts({ a: "${b}", b: "${a}", c: "$", d: "{a}" });
  expect(render("text", "${a} ${b} ${c}${d}", variables)).toBe("${b} ${a} ${a}");
});

test("$${name} is a dollar sign and a value; a lone $ and { stay as they are", () => {
  expect(render("text", "$${a}$ {a} $a {{a}} $", texts({ a: "5" }))).toBe("$5$ {a} $a {{a}} $");
});

test("names may have letters of any script, digits and _ - . $", () => {
  expect(render("text", "${hồ_sơ.1-a$}", texts({ "hồ_sơ.1-a$": "x" }))).toBe("x");
});

test.each(["${", "${}", "${a", "${a b}", "${ a }", "${a${a}}", "${{a}}", '${a"}', "x${a}${", "${a\n}"])(
  "%j does not begin a placeholder, and is refused with its place",
  async (source) => {
    const failure = await refusal("text", source, texts({ a: "1" }));
    expect(failure.code).toBe("invalid_template");
    expect(failure.message).toMatch(/at character \d+ /);
  },
);

test("JSON: each type is written as itself outside of strings, and as its text inside", () => {
  const variables: TypedValues = {
    string: text('a"\\\n\ud83c\udf5c'),
    integer: { type: "Integer", value: 7 },
    long: { type: "Long", value: "9007199254740993" },
    double: { type: "Double", value: JSON.rawJSON("1.10") },
    boolean: { type: "Boolean", value: false },
    date: { type: "Date", value: "2026-09-04T08:15:30.000+0700" },
    json: { type: "Json", value: '{"big":12345678901234567890}' },
    object: { type: "Json", value: { a: [1, null] } },
    nothing: { type: "Null", value: null },
    typedNothing: { type: "String", value: null },
  };
  const outside = Object.keys(variables)
    .map((name) => `\${${name}}`)
    .join(",");
  expect(render("json", `[${outside}]`, variables)).toBe(
    '["a\\"\\\\\\n🍜",7,9007199254740993,1.10,false,"2026-09-04T08:15:30.000+0700",{"big":12345678901234567890},{"a":[1,null]},null,null]',
  );
  expect(render("json", '"${string}|${long}|${double}|${boolean}|${object}|${nothing}|"', variables)).toBe(
    '"a\\"\\\\\\n🍜|9007199254740993|1.10|false|{\\"a\\":[1,null]}||"',
  );
});

test.each([
  ["Integer", "7; drop"],
  ["Integer", "007"],
  ["Long", true],
  ["Double", Number.NaN],
  ["Boolean", "true"],
  ["String", 5],
  ["Date", 5],
  ["Json", "{"],
])("a %s with the value %p is refused", async (type, value) => {
  const variables = { a: { type, value } } as TypedValues;
  for (const place of ["json", "text"] as const)
    expect(await refusal(place, "${a}", variables)).toMatchObject({ code: "value_does_not_fit" });
});

test.each([
  ["half an escape", '"\\${a}"'],
  ["half of a code point", '"\\u00${a}"'],
  ["a digit", "[1${a}]"],
  ["a sign", "[-${a}]"],
  ["another value", "[${a}${a}]"],
  ["a bare key", "{${a}:1}"],
  ["an open string", '{"x":"${a}}'],
])("JSON: a placeholder next to %s is refused", async (_, source) => {
  expect((await refusal("json", source, texts({ a: "41" }))).code).toBe("invalid_template");
});

test("JSON: a value cannot take the place of another key", async () => {
  const source = '{"amount":1,"${key}":2,"list":[{"${key}":1}]}';
  expect(render("json", source, texts({ key: 'x"' }))).toBe('{"amount":1,"x\\"":2,"list":[{"x\\"":1}]}');
  const failure = await refusal("json", source, texts({ key: "amount" }));
  expect(failure).toMatchObject({
    code: "value_does_not_fit",
    message: "With the values of ${key}, one JSON object would have the same key twice.",
  });
});

test("XML: in text, in attributes of either quote and in CDATA a value stays text", () => {
  const variables = texts({ a: `]]><b x="1" y='2'>&amp;\r\n\t` });
  const escaped = "&#93;&#93;&#62;&#60;b x=&#34;1&#34; y=&#39;2&#39;&#62;&#38;amp;&#13;&#10;&#9;";
  expect(render("xml", `<r a="\${a}" b='\${a}'>\${a}<![CDATA[x]]\${a}>]]></r>`, variables)).toBe(
    `<r a="${escaped}" b='${escaped}'>${escaped}<![CDATA[x]]]]>${escaped}<![CDATA[>]]></r>`,
  );
});

test.each([
  ["an element's name", "<${a}/>"],
  ["an attribute's name", '<r ${a}="1"/>'],
  ["an attribute without quotes", "<r x=${a}/>"],
  ["a comment", "<r><!-- ${a} --></r>"],
  ["an instruction", "<r><?p ${a}?></r>"],
  ["a document type", '<!DOCTYPE r [<!ENTITY e "${a}">]><r/>'],
  ["a reference", "<r>&${a};</r>"],
  ["a character reference", "<r>&#${a};</r>"],
  ["a namespace", '<r xmlns:p="${a}"/>'],
  ["the declaration", '<?xml version="${a}"?><r/>'],
  ["the outside of the root", "<r/>${a}"],
  ["the middle of what would close a CDATA section", "<r>]]${a}></r>"],
  ["a document that is not closed", "<r>${a}"],
])("XML: a placeholder in %s is refused", async (_, source) => {
  expect((await refusal("xml", source, texts({ a: "1" }))).code).toBe("invalid_template");
});

test("XML: a value and the template after it cannot close a section together", () => {
  expect(render("xml", "<r>${a}]>]${a}></r>", texts({ a: "]" }))).toBe("<r>&#93;]>]&#93;></r>");
});

test("XML and percent-encoding refuse what they cannot write", async () => {
  for (const value of ["\0", "\u0001", "\ufffe"])
    expect((await refusal("xml", "<r>${a}</r>", texts({ a: value }))).code).toBe("value_does_not_fit");
  for (const place of ["xml", "form", "query", "header", "url"] as const) {
    const source = { xml: "<r>${a}</r>", form: "${a}", query: "${a}", header: "${a}", url: "https://h/${a}" }[
      place
    ];
    expect((await refusal(place, source, texts({ a: "\ud800" }))).code).toBe("value_does_not_fit");
  }
});

test("form: a value cannot leave its name or value", async () => {
  const variables = texts({ a: "1&b=2;%41 +é" });
  const body = new URLSearchParams(render("form", "a=${a}&${a}=x", variables));
  expect([...body]).toEqual([
    ["a", "1&b=2;%41 +é"],
    ["1&b=2;%41 +é", "x"],
  ]);
  expect((await refusal("form", "a=%${a}", variables)).code).toBe("invalid_template");
  expect((await refusal("form", "a=%4${a}", variables)).code).toBe("invalid_template");
});

test("URL: a value is one segment, one parameter or a piece of the fragment", () => {
  const variables = texts({ a: "x/../?y=1&z#é\\" });
  const encoded = "x%2F..%2F%3Fy%3D1%26z%23%C3%A9%5C";
  expect(render("url", "https://h/${a}/v?q=${a}#${a}", variables)).toBe(
    `https://h/${encoded}/v?q=${encoded}#${encoded}`,
  );
});

test.each([
  ["https://h/users/${a}", ""],
  ["https://h/users/${a}", "."],
  ["https://h/users/${a}/x", ".."],
  ["https://h/users/.${a}/x", "."],
  ["https://h/users/${a}%2e/x", "."],
])(
  "URL: %j is refused where the placeholder is %j, for it would address something else",
  async (source, value) => {
    expect((await refusal("url", source, texts({ a: value }))).code).toBe("value_does_not_fit");
  },
);

test("URL: a host and a port accept only valid parts", async () => {
  expect(render("url", "https://${a}.api.example:${p}/", texts({ a: "eu-1.x", p: "8443" }))).toBe(
    "https://eu-1.x.api.example:8443/",
  );
  for (const value of ["", "evil.example/", "evil.example#", "evil@h", "h:80", "é"])
    expect((await refusal("url", "https://${a}.api.example/", texts({ a: value }))).code).toBe(
      "value_does_not_fit",
    );
  for (const value of ["", "80/x", "8o"])
    expect((await refusal("url", "https://h:${a}/", texts({ a: value }))).code).toBe("value_does_not_fit");
});

test("URL: a placeholder at the start is a base URL, and without more text a whole URL", async () => {
  expect(render("url", "${a}/x/${b}", texts({ a: "https://h/base", b: "1" }))).toBe("https://h/base/x/1");
  expect(render("url", "${a}", texts({ a: "https://h/x?y=%20#z" }))).toBe("https://h/x?y=%20#z");
  for (const value of ["h", "ftp://h", "https://u:p@h", "https://h?x", "https://h\\x", "https://h/ x"])
    expect((await refusal("url", "${a}/x", texts({ a: value }))).code).toBe("value_does_not_fit");
  expect((await refusal("url", "${a}.evil.example/", texts({ a: "https://h" }))).code).toBe(
    "invalid_template",
  );
});

test.each(["${a}://h/", "ht${a}://h/", "/x/${a}", "https://u@${a}/", "https://[${a}]/", "https://h\\${a}"])(
  "URL: the placeholder of %j is refused because of its place",
  async (source) => {
    const failure = await refusal("url", source, texts({ a: "1" }));
    expect(["invalid_template", "value_does_not_fit", "invalid_url"]).toContain(failure.code);
  },
);

test("query: text and value are encoded once and follow the URL's own parameters", () => {
  const value = render("query", "a b&${a}", texts({ a: "c=d+%20" }));
  expect(value).toBe("a%20b%26c%3Dd%2B%2520");
  expect(withQuery("https://h/x#f", { q: value })).toBe(`https://h/x?q=${value}#f`);
  expect(withQuery("https://h/x?y=%20", { "q&": value, r: "1" })).toBe(`https://h/x?y=%20&q%26=${value}&r=1`);
  expect(withQuery("https://h/x?", { q: "1" })).toBe("https://h/x?q=1");
  expect(withQuery("https://h/x", {})).toBe("https://h/x");
});

test.each(["\r", "\n", "\r\nX: y", "\0", "\u007f"])(
  "header: a value with %j is refused by its name",
  async (value) => {
    const failure = await refusal("header", "Bearer ${a}", texts({ a: `x${value}` }));
    expect(failure.code).toBe("value_does_not_fit");
    expect(failure.message).toContain("${a}");
  },
);

test("the content type decides how a body is written", async () => {
  expect(bodyFormatOf()).toBe("json");
  expect(bodyFormatOf("Application/JSON; charset=utf-8")).toBe("json");
  expect(bodyFormatOf("application/problem+json")).toBe("json");
  expect(bodyFormatOf("text/xml;charset=utf-8")).toBe("xml");
  expect(bodyFormatOf("application/soap+xml")).toBe("xml");
  expect(bodyFormatOf("application/x-www-form-urlencoded")).toBe("form");
  expect(bodyFormatOf("text/plain")).toBe("text");
  expect(bodyFormatOf("application/xhtml+xml")).toBe("xml");
  expect(bodyFormatOf("APPLICATION/octet-stream;a=b")).toBe("text");
});

test.each([
  ...["multipart/form-data; boundary=x", "multipart/mixed", "application/x-ndjson", "application/jsonl"],
  ...["application/json-seq", "application/geo+json-seq", "application/json5", "application/graphql"],
  ...["text/html", "text/csv", "text/javascript", "text/markdown", "text/x-json", "application/yaml"],
  ...["application/sql", "application/x-www-form-urlencoded-x", "application/vnd.bank", "text/xml-dtd", ""],
])("a body of type %s, in which a value could leave its place, is refused by its name", async (type) => {
  const failure = await failureOf(() => bodyFormatOf(type));
  expect(failure.code).toBe("invalid_template");
  expect(failure.message).toContain(`a body of type ${type.split(";")[0]}, because`);
  expect(failure.message).toContain("application/json, ");
});

test("a number of URLs other than the number of occurrences throws", () => {
  expect(() => render("text", "${a}${a}", files, ["https://h/1"])).toThrow(RangeError);
  expect(() => render("text", "${a}", files, ["https://h/1", "https://h/2"])).toThrow(RangeError);
});

test("a large value in many places is refused before it fills the memory", async () => {
  const large = texts({ v: "x".repeat(10 * 1024 ** 2) });
  expect(render("text", "${v}${v}", large)).toHaveLength(20 * 1024 ** 2);
  expect(await refusal("json", `{"v":"${"${v}".repeat(90)}"}`, large)).toMatchObject({
    code: "value_does_not_fit",
    message: "The values have more than 33554432 characters in total.",
  });
});
