/**
 * Turns JSON Schema, as in OpenAPI 3.1, into the source text of a TypeBox expression.
 *
 * Pure: one schema in, one expression out. An unknown keyword stops the generation, because a rule that silently does
 * not reach the server is worse than none.
 */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly [keyword: string]: unknown;
}

const structural = new Set([
  "$ref",
  "type",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "enum",
  "const",
  "oneOf",
  "anyOf",
]);
const annotations = new Set(["description", "example", "examples", "title", "deprecated", "default"]);
const constraints = new Set([
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "pattern",
  "format",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
]);
/** Formats that are hints about the wire type, and that no validator checks. */
const unchecked = new Set(["int32", "int64", "double", "binary", "password"]);

/** The TypeBox expression of a schema. A `$ref` becomes the name of a constant that is defined earlier. */
export function typeboxOf(schema: JsonSchema): string {
  refuseUnknown(schema);
  if (schema.$ref !== undefined) return nameOfRef(schema.$ref);
  if (schema.const !== undefined) return call("Type.Literal", JSON.stringify(schema.const));
  if (schema.enum) return call("Type.Enum", JSON.stringify(schema.enum));
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives) return union(alternatives.map(typeboxOf));
  if (typeof schema.type === "object")
    return union(schema.type.map((type) => typeboxOf({ ...schema, type })));
  return ofType(schema, optionsOf(schema));
}

/** Names of the component schemas that a schema refers to, in order of appearance. */
export function refsOf(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(refsOf);
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === "$ref" && typeof value === "string" ? [nameOfRef(value)] : refsOf(value),
  );
}

export function nameOfRef(ref: string): string {
  const match = /^#\/components\/schemas\/(\w+)$/.exec(ref);
  if (!match?.[1]) throw new Error(`cannot follow ${ref}: only #/components/schemas/<Name> is supported`);
  return match[1];
}

function ofType(schema: JsonSchema, options: string): string {
  switch (schema.type) {
    case undefined:
      return call("Type.Unknown");
    case "string":
      if (schema.format === "binary") return binary(schema);
      return call("Type.String", options);
    case "integer":
      return call("Type.Integer", options);
    case "number":
      return call("Type.Number", options);
    case "boolean":
      return call("Type.Boolean", options);
    case "null":
      return call("Type.Null");
    case "array":
      return call("Type.Array", schema.items ? typeboxOf(schema.items) : "Type.Unknown()", options);
    case "object":
      if (isFreeForm(schema)) return freeForm(schema);
      if (isMap(schema)) return map(schema);
      return call("Type.Object", propertiesOf(schema), objectOptions(schema));
    default:
      throw new Error(`unknown type ${JSON.stringify(schema.type)}`);
  }
}

/** An object with any members. TypeBox's record would not match a key with a line break. */
function freeForm(schema: JsonSchema): string {
  const options = Object.fromEntries([["type", "object"], ...entriesOf(schema)]);
  return `Type.Unsafe<Record<string, unknown>>(${JSON.stringify(options)})`;
}

const isFreeForm = ({ properties, additionalProperties }: JsonSchema) =>
  Object.keys(properties ?? {}).length === 0 && (additionalProperties ?? true) === true;

const isMap = ({ properties, additionalProperties }: JsonSchema) =>
  Object.keys(properties ?? {}).length === 0 && typeof additionalProperties === "object";

/** An object with any members, all of one type. */
function map(schema: JsonSchema): string {
  const value = typeboxOf(schema.additionalProperties as JsonSchema);
  return `Type.Unsafe<Record<string, Type.Static<typeof ${value}>>>(Type.Object({}, ${objectOptions(schema)}))`;
}

/** A file. In a request it has already been received to disk. In an answer (`x-stream`) it is still to be sent. */
const binary = (schema: JsonSchema) =>
  schema["x-stream"] === true
    ? "Type.Unsafe<Blob>({})"
    : 'Type.Unsafe<ReceivedFile>({ type: "object", required: ["path"] })';

function propertiesOf(schema: JsonSchema): string {
  const required = new Set(schema.required ?? []);
  const members = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const type = typeboxOf(property);
    return `${JSON.stringify(name)}: ${required.has(name) ? type : call("Type.Optional", type)}`;
  });
  return `{ ${members.join(", ")} }`;
}

function objectOptions(schema: JsonSchema): string {
  const rest = schema.additionalProperties ?? true;
  const additional = rest === true ? "Type.Unknown()" : rest === false ? "false" : typeboxOf(rest);
  const checked = entriesOf(schema).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return `{ ${[`additionalProperties: ${additional}`, ...checked].join(", ")} }`;
}

function optionsOf(schema: JsonSchema): string {
  const checked = entriesOf(schema).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return checked.length === 0 ? "" : `{ ${checked.join(", ")} }`;
}

function entriesOf(schema: JsonSchema): [string, unknown][] {
  return Object.entries(schema).filter(
    ([key, value]) => constraints.has(key) && !(key === "format" && unchecked.has(value as string)),
  );
}

function refuseUnknown(schema: JsonSchema): void {
  for (const key of Object.keys(schema)) {
    if (!structural.has(key) && !annotations.has(key) && !constraints.has(key) && !key.startsWith("x-"))
      throw new Error(`the generator does not know the schema keyword "${key}"`);
  }
}

const union = (members: readonly string[]) =>
  members.length === 1 ? (members[0] as string) : `Type.Union([${members.join(", ")}])`;

const call = (name: string, ...args: string[]) => `${name}(${args.filter((arg) => arg !== "").join(", ")})`;
