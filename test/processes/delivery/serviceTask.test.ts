import { describe, expect, test } from "bun:test";
import { parseServiceTask } from "../../../src/processes/delivery/serviceTask.ts";
import { configOf, type Properties } from "./runs.ts";

const url = "https://core.example/loans";

function faultsOf(properties: Properties, topic = "api-call"): readonly string[] {
  const parsed = parseServiceTask(topic, properties);
  return "faults" in parsed ? parsed.faults : [];
}

test("an API call with every property", () => {
  const properties = {
    method: "post",
    url: "https://core.example/loans/${id}",
    "header.X-Source": "form ${name}",
    "query.branch": "${branch}",
    body: '{"card":"${card}","amount":${amount}}',
    content_type: "application/json; charset=UTF-8",
    result_variable: "core.answer",
    redirect_failures_to_error_boundary: "true",
    timeout_seconds: "2.5",
  };
  expect(configOf(properties)).toEqual({
    kind: "api-call",
    method: "POST",
    url: properties.url,
    headers: { "X-Source": "form ${name}" },
    query: { branch: "${branch}" },
    body: properties.body,
    contentType: "application/json; charset=UTF-8",
    resultVariable: "core.answer",
    redirectFailures: true,
    timeoutSeconds: 2.5,
  });
});

test("the defaults: JSON, 30 seconds, the switch off, no result variable, empty parameters", () => {
  const common = { resultVariable: undefined, redirectFailures: false, timeoutSeconds: 30 };
  expect(configOf({ method: "GET", url })).toMatchObject({ contentType: "application/json", ...common });
  expect(configOf({ addon: "score" }, "addon")).toEqual({
    kind: "addon",
    addon: "score",
    parameters: "{}",
    ...common,
  });
});

test("an empty body counts as no body, also for GET", () => {
  expect(configOf({ method: "GET", url, body: "" })).toMatchObject({ body: undefined });
});

describe("a fault is a sentence that names the property", () => {
  test.each<[Properties, string]>([
    [{}, '"method" has to be one of GET, HEAD, POST, PUT, PATCH, DELETE.'],
    [{ method: "FETCH" }, '"method" has to be one of GET, HEAD, POST, PUT, PATCH, DELETE.'],
    [{ url: "" }, 'An API call needs a "url".'],
    [{ url: "ftp://core/${a}" }, '"url" has to begin with http://, https:// or a placeholder.'],
    [{ url: "https://core\\x" }, '"url": The URL contains a backslash or a control character.'],
    [{ url: "/loans" }, '"url" has to begin with http://, https:// or a placeholder.'],
    [{ Url: url }, 'The property "Url" is unknown for the topic "api-call".'],
    [{ addon: "score" }, 'The property "addon" is unknown for the topic "api-call".'],
    [{ method: "GET", body: "{}" }, "A GET request cannot have a body. Use POST, PUT or PATCH."],
    [{ method: "delete", body: "{}" }, "A DELETE request cannot have a body. Use POST, PUT or PATCH."],
    [{ body: '{"a":${a}' }, '"body": The template is not valid JSON.'],
    [{ body: "<a>${a}", content_type: "text/xml" }, '"body": '],
    [
      { body: "${a", content_type: "text/plain" },
      '"body": The "${" at character 1 does not begin a placeholder',
    ],
    [{ content_type: "json" }, '"content_type": It is not a content type.'],
    [{ content_type: "text/plain;" }, '"content_type": It is not a content type.'],
    [{ content_type: "text/plain\r\nX: y" }, '"content_type": The header "Content-Type" holds a line break'],
    [{ content_type: "text/plain; charset=latin1" }, '"content_type": Waybill sends bodies only in UTF-8.'],
    [
      { content_type: "multipart/form-data; boundary=x" },
      '"content_type": A template cannot make a body of type multipart/form-data,',
    ],
    [
      { content_type: "application/x-ndjson" },
      '"content_type": A template cannot make a body of type application/x-ndjson,',
    ],
    [{ "header.": "x" }, '"header.": The header "" is not a header\'s name.'],
    [{ "header.Host": "x" }, '"header.Host": The header "Host" is set by the connection'],
    [{ "header.content-type": "x" }, 'The header "content-type" is set by the property "content_type".'],
    [{ "header.Idempotency-Key": "x" }, 'The header "Idempotency-Key" is set by Waybill.'],
    [{ "header.A": "1", "header.a": "2" }, 'The header "a" is there twice.'],
    [{ "header.A": "1\n2" }, '"header.A": The header "A" holds a line break or another control character.'],
    [{ "header.A": "${}" }, '"header.A": The "${" at character 1 does not begin a placeholder'],
    [{ "query.": "x" }, 'A query parameter needs a name after "query.".'],
    [{ "query.a": "${a b}" }, '"query.a": The "${" at character 1 does not begin a placeholder'],
    [
      { result_variable: "${a}" },
      '"result_variable" has to be a name with only letters, digits and _ - . $ in it.',
    ],
    [
      { redirect_failures_to_error_boundary: "yes" },
      '"redirect_failures_to_error_boundary" has to be true or false.',
    ],
    ...["0", "-1", "601", "1e2", " ", "soon", "Infinity", "0x10"].map((seconds): [Properties, string] => [
      { timeout_seconds: seconds },
      '"timeout_seconds" has to be a number of seconds above 0 and up to 600.',
    ]),
  ])("%j", (properties, sentence) => {
    const given: Properties = sentence.startsWith('"method"') ? { url } : { url, method: "POST" };
    const faults = faultsOf({ ...given, ...properties });
    expect(faults).toEqual([expect.stringContaining(sentence)]);
  });

  test("an empty property is as one that is absent, but for the parameters of a query", () => {
    const topics = {
      "api-call": { method: "POST", url },
      addon: { addon: "score" },
    };
    const both = { result_variable: "", redirect_failures_to_error_boundary: "", timeout_seconds: "" };
    const more = {
      "api-call": { body: "", content_type: "", "header.Authorization": "", ...both },
      addon: { parameters: "", ...both },
    };
    for (const topic of ["api-call", "addon"] as const)
      expect(configOf({ ...topics[topic], ...more[topic] }, topic)).toEqual(configOf(topics[topic], topic));
    expect(configOf({ ...topics["api-call"], "query.flag": "" })).toMatchObject({ query: { flag: "" } });
  });

  test("an addon needs a key, and parameters that are JSON", () => {
    expect(faultsOf({ parameters: "${card}" }, "addon")).toEqual([
      'A task with the topic "addon" needs the property "addon" with the key of the addon.',
    ]);
    expect(faultsOf({ addon: "score", parameters: "{card}" }, "addon")).toEqual([
      expect.stringContaining('"parameters": The template is not valid JSON.'),
    ]);
    expect(faultsOf({ addon: "score", "header.A": "x" }, "addon")).toEqual([
      'The property "header.A" is unknown for the topic "addon".',
    ]);
  });

  test.each(["", "API-CALL", "constructor", "__proto__"])("the topic %j is unknown", (topic) => {
    expect(faultsOf({}, topic)).toEqual([`The topic "${topic}" is unknown. Use "api-call" or "addon".`]);
  });

  test("all faults are reported at once", () => {
    expect(faultsOf({ method: "GO", timeout_seconds: "x", "header.Host": "x", colour: "red" })).toHaveLength(
      5,
    );
  });
});
