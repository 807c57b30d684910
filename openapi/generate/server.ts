/** Generates `src/generated/` from the contract: TypeBox schemas, and the table of operations that the server binds. */
import {
  type Document,
  type LocatedOperation,
  type MediaType,
  type Operation,
  operationsOf,
  type Parameter,
  resolve,
} from "./document.ts";
import { type JsonSchema, nameOfRef, refsOf, typeboxOf } from "./typebox.ts";

const banner = "// Generated from openapi/ by `bun run generate`. Do not edit.\n";

/** The type of a binary field of a multipart body after it has arrived. The file of an answer is a Blob. */
const receivedFile = `\
/** A file of a multipart request, streamed to disk. Deleted once the request is answered. */
export interface ReceivedFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Hexadecimal, lower case. Computed while the file arrives. */
  readonly sha256: string;
  /** The client's name for the file, without folders. */
  readonly fileName: string;
  /** The part's \`Content-Type\`. Undefined if the client gave none. */
  readonly declaredType: string | undefined;
}
`;

/** `schemas.ts`: for each schema of the contract, a TypeBox constant and a type of the same name. */
export function schemasSource(document: Document): string {
  const components = inDependencyOrder(document.components.schemas);
  const requests = operationsOf(document).flatMap(requestSchemas);
  const definitions = [...components, ...requests].map(
    ([name, schema]) =>
      `export const ${name} = ${typeboxOf(schema)};\nexport type ${name} = Type.Static<typeof ${name}>;\n`,
  );
  return `${banner}import Type from "typebox";\n\n${receivedFile}\n${definitions.join("\n")}`;
}

/** `operations.ts`: everything that http/bind.ts needs of an operation, by operationId. */
export function operationsSource(document: Document): string {
  const entries = operationsOf(document).map(
    (located) => `  ${located.operation.operationId}: ${operationEntry(document, located)},\n`,
  );
  return `\
${banner}import Type from "typebox";
import * as schemas from "./schemas.ts";

export const operations = {
${entries.join("")}} as const;

export type OperationId = keyof typeof operations;
`;
}

function operationEntry(document: Document, located: LocatedOperation): string {
  const { operation } = located;
  const audit = operation["x-audit"];
  return object({
    id: JSON.stringify(operation.operationId),
    tag: JSON.stringify(operation.tags[0]),
    method: JSON.stringify(located.method),
    path: JSON.stringify(located.path),
    security: securityEntry(operation.security ?? document.security ?? []),
    tenantIn: tenantEntry(document, located),
    audit: JSON.stringify(audit) ?? "undefined",
    rateLimit: JSON.stringify(operation["x-rate-limit"]) ?? "undefined",
    params: requestSchemaName(located, "path"),
    query: requestSchemaName(located, "query"),
    headers: requestSchemaName(located, "header"),
    body: bodyEntry(located),
    responses: responsesEntry(document, located),
  });
}

function securityEntry(requirements: readonly Readonly<Record<string, readonly string[]>>[]): string {
  const [first, ...others] = requirements.flatMap((requirement) => Object.entries(requirement));
  if (!first) return "undefined";
  if (others.length > 0) throw new Error("an operation accepts only one kind of credentials");
  return object({ scheme: JSON.stringify(first[0]), roles: JSON.stringify(first[1]) });
}

/** Where a request names its tenant: the path's `tenantId`, the header `x-active-tenant`, or the body's `tenant_id`. */
function tenantEntry(document: Document, { operation, parameters }: LocatedOperation): string {
  const named = (place: string, name: string) =>
    parameters.some((parameter) => parameter.in === place && parameter.name === name);
  if (named("path", "tenantId")) return '"path"';
  if (named("header", "x-active-tenant")) return '"header"';
  const schema = operation.requestBody?.content["application/json"]?.schema;
  const body = schema?.$ref === undefined ? schema : document.components.schemas[nameOfRef(schema.$ref)];
  return body?.properties?.tenant_id ? '"body"' : "undefined";
}

/** A body of JSON or multipart. Beside JSON, an operation can take files, each of them as the whole body. */
function bodyEntry({ operation }: LocatedOperation): string {
  if (!operation.requestBody) return "undefined";
  const [first, ...files] = Object.entries(operation.requestBody.content);
  if (!first || files.some(([, { schema }]) => !isFile(schema)))
    throw new Error(`${operation.operationId}: a body has one content type, and besides only files`);
  const [contentType, media] = first;
  // Files have their own limits.
  const otherwise = contentType === "multipart/form-data" ? undefined : 1_048_576;
  return object({
    contentType: JSON.stringify(contentType),
    schema: expression(media.schema),
    maxBytes: String(operation["x-max-body-bytes"] ?? otherwise),
    mergesFaults: String(operation["x-merges-faults"] ?? false),
    ...(files.length === 0 ? {} : { files: filesEntry(operation, files) }),
  });
}

const filesEntry = (operation: Operation, files: readonly (readonly [string, MediaType])[]) =>
  object({
    contentTypes: JSON.stringify(files.map(([contentType]) => contentType)),
    audit: JSON.stringify(operation["x-audit-of-files"]) ?? "undefined",
  });

/** Files as a whole body are component schemas, which have a description. */
const isFile = (schema: JsonSchema) => schema.$ref?.endsWith("File") === true || schema.format === "binary";

const json = "application/json";

function responsesEntry(document: Document, { operation }: LocatedOperation): string {
  const entries = Object.entries(operation.responses).map(([status, reference]) => {
    const { content } = resolve(document.components.responses, reference);
    if (!content) return [status, object({ contentType: "undefined", schema: "Type.Undefined()" })] as const;
    const [first, ...others] = Object.entries(content);
    if (!first) throw new Error(`${operation.operationId}: ${status} has no content type`);
    const schema = expression(first[1].schema);
    // Of several, the caller chooses by `Accept` if the first one is JSON. Else the handler sets the content type.
    const choices = [first, ...others].map(([contentType]) => contentType);
    const contentType = choices.length > 1 && choices[0] !== json ? undefined : choices[0];
    const entry = { contentType: JSON.stringify(contentType) ?? "undefined", schema };
    const isChosen = choices.length > 1 && contentType !== undefined;
    return [status, object(isChosen ? { ...entry, choices: JSON.stringify(choices) } : entry)] as const;
  });
  return object(Object.fromEntries(entries));
}

/** The schemas of one operation's path, query and header parameters, each as an object. */
function requestSchemas(located: LocatedOperation): [string, JsonSchema][] {
  return (["path", "query", "header"] as const).flatMap((place): [string, JsonSchema][] => {
    const parameters = located.parameters.filter((parameter) => parameter.in === place);
    if (parameters.length === 0 && place === "header") return [];
    return [[requestSchemaName(located, place).replace("schemas.", ""), parametersSchema(parameters, place)]];
  });
}

function requestSchemaName({ operation, parameters }: LocatedOperation, place: Parameter["in"]): string {
  if (place === "header" && !parameters.some((parameter) => parameter.in === "header")) return "undefined";
  const suffix = { path: "Params", query: "Query", header: "Headers" }[place];
  return `schemas.${operation.operationId[0]?.toUpperCase()}${operation.operationId.slice(1)}${suffix}`;
}

/** A free-form parameter (an object with `style: form, explode: true`) takes all names that no other parameter has. */
function parametersSchema(parameters: readonly Parameter[], place: Parameter["in"]): JsonSchema {
  const freeForm = parameters.find((parameter) => parameter.schema.type === "object");
  const named = parameters.filter((parameter) => parameter !== freeForm);
  return {
    type: "object",
    properties: Object.fromEntries(
      named.map(({ name, schema }) => [place === "header" ? name.toLowerCase() : name, schema]),
    ),
    required: named
      .filter((parameter) => parameter.required)
      .map(({ name }) => (place === "header" ? name.toLowerCase() : name)),
    additionalProperties: place === "header" ? true : (freeForm?.schema.additionalProperties ?? false),
  };
}

/** The schemas, each after those that it refers to. */
function inDependencyOrder(components: Readonly<Record<string, JsonSchema>>): [string, JsonSchema][] {
  const done = new Map<string, JsonSchema>();
  const visit = (name: string, above: readonly string[]): void => {
    if (done.has(name)) return;
    if (above.includes(name)) throw new Error(`the schemas ${above.join(" → ")} → ${name} go in a circle`);
    const schema = components[name];
    if (!schema) throw new Error(`there is no schema ${name}`);
    for (const ref of refsOf(schema)) visit(ref, [...above, name]);
    done.set(name, schema);
  };
  for (const name of Object.keys(components).sort()) visit(name, []);
  return [...done];
}

const expression = (schema: JsonSchema) =>
  schema.$ref === undefined ? typeboxOf(schema) : `schemas.${typeboxOf(schema)}`;

const object = (members: Readonly<Record<string, string>>) =>
  `{ ${Object.entries(members)
    .map(([key, value]) => `${key}: ${value}`)
    .join(", ")} }`;
