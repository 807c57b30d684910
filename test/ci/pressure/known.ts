/** Bodies of an operation that are expensive because of their meaning, which no schema shows. */
import { apiCall, end, flow, model, start } from "../../support/bpmn.ts";
import type { Body } from "./json.ts";
import { expensiveModels } from "./models.ts";

const MiB = 1024 ** 2;
const repeated = (item: string, bytes: number) =>
  `${`${item},`.repeat(bytes / (item.length + 1)).slice(0, -1)}`;
const body = (what: string, text: () => string): Body => ({ what, text });

const row = '{"a_text":"some words of a row","a_integer":7,"a_numeric":"12500000.50","a_jsonb":{"a":1.10}}';
const exact = (bytes: number) => `[${repeated("1.10", bytes)}]`;
const variables = (inner: string, key = "loan") => `{"process_key":"${key}","variables":{${inner}}}`;
const many = (count: number, value: string) =>
  Array.from({ length: count }, (_, index) => `"v${index}":{"value":${value}}`).join(",");

/** A thousand service tasks that send the variable `a`. */
const sendingTasks = (properties: Record<string, string>) => {
  const ids = Array.from({ length: 1_000 }, (_, index) => `t${index}`);
  const tasks = ids.map((id) => apiCall(id, { method: "POST", url: "http://example.com/", ...properties }));
  return model("dry", [start(), ...tasks, end(), flow("start", ...ids, "end")].join("\n"));
};
const dryRun = (bpmn: string, a: string) => JSON.stringify({ bpmn, variables: { a: { value: a } } });

export const knownBodies: Readonly<Record<string, readonly Body[]>> = {
  dryRunProcess: [
    ...expensiveModels.map(({ what, bpmn }) => body(what, () => dryRun(bpmn("dry"), "x"))),
    body("1,000 tasks and 16 MiB", () => dryRun(sendingTasks({ body: '"${a}"' }), "x".repeat(16 * MiB))),
    body("1,000 tasks with an answer of 15 MiB", () =>
      dryRun(sendingTasks({ body: '"${a}"' }), "x".repeat(15_000)),
    ),
    body("1,000 tasks of XML", () =>
      dryRun(sendingTasks({ body: "<a>${a}</a>", content_type: "application/xml" }), "<".repeat(16_000)),
    ),
    body("1,000 tasks whose values do not fit", () =>
      dryRun(sendingTasks({ "header.A": "${a}" }), `${"x".repeat(16_000)}\n`),
    ),
  ],
  insertRows: [
    body("10,000 full rows", () => `{"rows":[${Array(10_000).fill(row).join(",")}]}`),
    body(
      "10,000 rows of 3 kB",
      () => `{"rows":[${Array(10_000).fill(`{"a_text":"${"x".repeat(3_000)}"}`)}]}`,
    ),
    body("a jsonb of 4 MiB of 1.10", () => `{"rows":[{"a_jsonb":${exact(4 * MiB)}}]}`),
    body("a jsonb of 15 MiB of 1.10", () => `{"rows":[{"a_jsonb":${exact(15 * MiB)}}]}`),
    body(
      "10,000 numbers of digits",
      () => `{"rows":[${Array(10_000).fill(`{"a_numeric":"${"7".repeat(3_000)}"}`)}]}`,
    ),
    body(
      "dates of 3 kB",
      () => `{"rows":[${Array(10_000).fill(`{"a_timestamp":"${"2024-01-01T".repeat(270)}"}`)}]}`,
    ),
    body("a row of 2,000,000 unknown columns", () => {
      const keys = Array.from({ length: 2_000_000 }, (_, index) => `"c${index}":1`);
      return `{"rows":[{${keys.join(",")}}]}`;
    }),
  ],
  updateRows: [
    body("a jsonb of 15 MiB of 1.10", () => `{"where":{"a_integer":1},"set":{"a_jsonb":${exact(15 * MiB)}}}`),
    body("a text of 30 MiB", () => `{"where":{"a_integer":2},"set":{"a_text":"${"x".repeat(30 * MiB)}"}}`),
    body(
      "a condition of 30 MiB",
      () => `{"where":{"a_text":"${"x".repeat(30 * MiB)}"},"set":{"a_text":"y"}}`,
    ),
  ],
  startProcessInstance: [
    body("12 gateways in a row", () => variables('"go":{"value":true}', "gateways")),
    body("a million variables", () => variables(many(1_000_000, "1"))),
    body("a condition on 8 MiB of digits", () =>
      variables(`"go":{"value":"${"7".repeat(8 * MiB)}"}`, "gateways"),
    ),
    body("a Json of 8 MiB of 1.10", () => variables(`"a":{"type":"Json","value":"${exact(8 * MiB)}"}`)),
    body("a file of 20 MiB", () =>
      variables(`"f":{"type":"File","value":"${"QUJD".repeat(5 * MiB)}","valueInfo":{"filename":"a.txt"}}`),
    ),
    body("a Date of blanks", () => variables(`"d":{"type":"Date","value":"2024${" ".repeat(8 * MiB)}"}`)),
  ],
  setProcessVariables: [
    body("a million variables", () => `{"variables":{${many(1_000_000, "1")}}}`),
    body("a Json of 8 MiB of 1.10", () => `{"variables":{"a":{"type":"Json","value":"${exact(8 * MiB)}"}}}`),
  ],
};
