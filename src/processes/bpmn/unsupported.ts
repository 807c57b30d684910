/** What the embedded engine cannot run, and what can. */
import type { Element } from "./elements.ts";

export const wayOut = "Operaton or Camunda 7 can run this: set ENGINE_URL.";

/** `what` is the subject with its verb, such as `Loops are`. `instead` is a sentence about what works here. */
export const unsupported = (what: string, instead?: string) =>
  [`${what} not supported.`, instead ?? [], wayOut].flat().join(" ");

export const unsupportedKind = (kind: string) => unsupported(`${capitalized(withArticle(kind))} is`);

export const withArticle = (kind: string) => `${/^[aeio]/.test(kind) ? "an" : "a"} ${kind}`;
export const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** For a service task that is not a task of Waybill. */
export const foreignServiceTask = (task: Element) =>
  'A service task needs camunda:type="external" and the topic "api-call" or "addon". ' +
  `This one has ${workOf(task)}. ${wayOut}`;

function workOf({ type, topic, ...task }: Element): string {
  const code = ["class", "delegateExpression", "expression"].find((name) => task[name] !== undefined);
  if (code !== undefined) return `camunda:${code}`;
  if (type === "external") return topic === undefined ? "no topic" : `the topic ${quote(topic)}`;
  return type === undefined ? "no camunda:type" : `camunda:type=${quote(type)}`;
}

const quote = (value: unknown) => `"${String(value).slice(0, 100)}"`;
