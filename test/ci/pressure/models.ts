/** Models that make their deployment, or the steps of their instances, as slow as possible. */
import { apiCall, conditionalFlow, end, escapeXml, flow, model, start } from "../../support/bpmn.ts";

export interface ExpensiveModel {
  readonly what: string;
  readonly bpmn: (key: string) => string;
}

/** Each gateway has two tasks that lead to the next gateway. An honest model may look like this. */
export function gatewaysInARow(key: string, count: number): string {
  const parts = [start(), end()];
  for (let at = 0; at < count; at++) {
    const [from, to] = [`g${at}`, at + 1 < count ? `g${at + 1}` : "end"];
    parts.push(`<exclusiveGateway id="${from}" default="${from}_b${at}"/>`);
    for (const side of ["a", "b"]) parts.push(`<manualTask id="${side}${at}"/>`, flow(`${side}${at}`, to));
    parts.push(conditionalFlow(from, `a${at}`, "${go}"), flow(from, `b${at}`));
  }
  return model(key, [...parts, flow("start", "g0")].join("\n"));
}

const line = (key: string, inner: string) =>
  model(key, [start(), inner, end(), flow("start", "call", "end")].join("\n"));
const call = (properties: Record<string, string>) =>
  apiCall("call", { method: "POST", url: "http://example.com/", ...properties });

export const expensiveModels: readonly ExpensiveModel[] = [
  { what: "12 exclusive gateways in a row", bpmn: (key) => gatewaysInARow(key, 12) },
  { what: "100 exclusive gateways in a row", bpmn: (key) => gatewaysInARow(key, 100) },
  {
    what: "a form key of slashes",
    bpmn: (key) =>
      line(key, '<manualTask id="call"/>').replace(
        '<startEvent id="start"',
        `<startEvent id="start" camunda:formKey="camunda-forms:deployment:${"/".repeat(60_000)}"`,
      ),
  },
  {
    what: "a URL of placeholders",
    bpmn: (key) => line(key, call({ url: `http://example.com/${"${a}".repeat(400_000)}` })),
  },
  { what: "a body of placeholders", bpmn: (key) => line(key, call({ body: `"${"${a}".repeat(400_000)}"` })) },
  {
    what: "17,000 properties",
    bpmn: (key) =>
      line(
        key,
        call(Object.fromEntries(Array.from({ length: 17_000 }, (_, index) => [`header.X${index}`, "1"]))),
      ),
  },
  {
    what: "a long condition",
    bpmn: (key) => {
      const gateway = '<exclusiveGateway id="call" default="call_end"/><manualTask id="a"/>';
      return line(
        key,
        [gateway, conditionalFlow("call", "a", `\${${"a + ".repeat(20_000)}1 > 0}`), flow("a", "end")].join(
          "",
        ),
      );
    },
  },
  {
    what: "10,000 tasks",
    bpmn: (key) => {
      const ids = Array.from({ length: 10_000 }, (_, index) => `t${index}`);
      const tasks = ids.map((id) => `<manualTask id="${id}"/>`);
      return model(key, [start(), ...tasks, end(), flow("start", ...ids, "end")].join("\n"));
    },
  },
  {
    what: "a deep tree",
    bpmn: (key) => line(key, `<manualTask id="call">${"<extensionElements>".repeat(50_000)}`),
  },
  {
    what: "a name of entities",
    bpmn: (key) => line(key, `<manualTask id="call" name="${escapeXml("\n").repeat(500_000)}"/>`),
  },
];
