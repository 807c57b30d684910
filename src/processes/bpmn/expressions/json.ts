/** The methods by which expressions of Operaton and Camunda 7 read Json: `${answer.prop("n").numberValue() < 3}`. */
import { ExpressionError } from "./expressionError.ts";

/**
 * A part of a Json that was reached by a method. Only another method makes a value of it, as in those engines: there,
 * `${answer.prop("n") < 3}` is an error.
 */
export class JsonNode {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

interface Method {
  readonly parameters: number;
  readonly apply: (value: unknown, name: unknown) => unknown;
}

const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["prop", { parameters: 1, apply: prop }],
  ["hasProp", { parameters: 1, apply: hasProp }],
  ["numberValue", scalar("number")],
  ["stringValue", scalar("string")],
  ["boolValue", scalar("boolean")],
  ["elements", { parameters: 0, apply: elements }],
]);

export const methodNames = [...methods.keys()];
export const parametersOf = (method: string) => methods.get(method)?.parameters;

/** Throws `ExpressionError` for a value without this method, and for one that is not what the method reads. */
export function callMethod(method: string, of: unknown, name?: unknown): unknown {
  const value = of instanceof JsonNode ? of.value : of;
  const isJson = of instanceof JsonNode || (typeof of === "object" && of !== null && !(of instanceof Date));
  if (!isJson) throw new ExpressionError(`It calls ${method}() of a value that is not Json.`);
  return methods.get(method)?.apply(value, name);
}

/** Names that lead to a prototype elsewhere. No Json is read by them. */
export const leadsToPrototypes: ReadonlySet<unknown> = new Set(["constructor", "prototype", "__proto__"]);

function prop(value: unknown, name: unknown): JsonNode {
  if (leadsToPrototypes.has(name)) throw new ExpressionError(`It reads "${String(name)}".`);
  if (!hasProp(value, name)) throw new ExpressionError("It calls prop() for a member that does not exist.");
  return new JsonNode((value as Record<string, unknown>)[name as string]);
}

function hasProp(value: unknown, name: unknown): boolean {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject && typeof name === "string" && !leadsToPrototypes.has(name) && Object.hasOwn(value, name);
}

function scalar(type: "number" | "string" | "boolean"): Method {
  const apply = (value: unknown) => {
    if (typeof value === type) return value;
    const method = type === "boolean" ? "boolValue" : `${type}Value`;
    throw new ExpressionError(`It calls ${method}() of a value that is not a ${type}.`);
  };
  return { parameters: 0, apply };
}

function elements(value: unknown): readonly JsonNode[] {
  if (!Array.isArray(value)) throw new ExpressionError("It calls elements() of a value that is not a list.");
  return value.map((item) => new JsonNode(item));
}
