/** The expensive requests of an operation. They come from the contract, so that a new operation has some too. */
import contract from "../../../src/generated/openapi.json";
import { operations } from "../../../src/generated/operations.ts";
import { expensiveFiles } from "./files.ts";
import { type Body, expensiveBodies, type Schema } from "./json.ts";
import { knownBodies } from "./known.ts";
import { expensiveModels } from "./models.ts";
import { oddHeaders, oddTexts } from "./parameters.ts";
import { slugOf, type World } from "./world.ts";

export type Operation = (typeof operations)[keyof typeof operations];

export interface Attack {
  readonly what: string;
  /** Rejects if there is no answer. */
  readonly send: (signal: AbortSignal) => Promise<Response>;
}

const attacker = { tenant: 1, roles: ["admin_sop", "engine"] };
/** Deletions come last, because they remove what the other operations need. */
export const allOperations: readonly Operation[] = Object.values<Operation>(operations).sort(
  (a, b) => Number(a.method === "DELETE") - Number(b.method === "DELETE"),
);

export function attacksOn(operation: Operation, world: World): Attack[] {
  const kinds = [
    ...jsonAttacks(operation, world),
    ...fileAttacks(operation, world),
    ...parameterAttacks(operation, world),
    ...headerAttacks(operation, world),
  ];
  const first = (knownBodies[operation.id] ?? []).map((body) => jsonAttack(operation, world, body));
  return [...first, ...shuffled(kinds)];
}

function jsonAttacks(operation: Operation, world: World): Attack[] {
  const { body } = operation;
  if (body?.contentType !== "application/json") return [];
  const example = withWorld(exampleOf(operation), world);
  return expensiveBodies(body.schema as Schema, example, body.maxBytes).map((text) =>
    jsonAttack(operation, world, text),
  );
}

function jsonAttack(operation: Operation, world: World, { what, text }: Body): Attack {
  const headers = { "content-type": "application/json" };
  return { what, send: (signal) => send(operation, world, { signal, body: text(), headers }) };
}

function fileAttacks(operation: Operation, world: World): Attack[] {
  if (operation.body?.contentType !== "multipart/form-data") return [];
  const { properties = {} } = operation.body.schema as Schema;
  const isFile = ({ type, items }: Schema) => type === "object" || items?.type === "object";
  const [fileField] = Object.entries(properties).find(([, schema]) => isFile(schema)) ?? ["file"];
  const models = expensiveModels.map(({ what, bpmn }, index) => ({
    what,
    name: "a.bpmn",
    bytes: () => bpmn(`expensive_${index}`),
  }));
  const files = fileField === "bpmn" ? models : expensiveFiles;
  return files.map(({ what, name, bytes }) => ({
    what,
    send: (signal) => {
      const form = new FormData();
      for (const [field, schema] of Object.entries(properties))
        if (!isFile(schema)) form.set(field, world.parameters[field] ?? "some words");
      form.set(fileField, new File([bytes() as BlobPart], name));
      return send(operation, world, { signal, body: form });
    },
  }));
}

function parameterAttacks(operation: Operation, world: World): Attack[] {
  const inPath = Object.keys(operation.params.properties);
  const inQuery = ["unknown", ...Object.keys(operation.query.properties)];
  return oddTexts.flatMap(({ what, text }) => [
    ...inPath.map((name) => ({
      what: `path ${name}: ${what}`,
      send: (signal: AbortSignal) => send(operation, world, { signal, parameters: { [name]: text } }),
    })),
    ...inQuery.map((name) => ({
      what: `query ${name}: ${what}`,
      send: (signal: AbortSignal) =>
        send(operation, world, { signal, query: `?${name}=${encodeURIComponent(text).slice(0, 15_000)}` }),
    })),
    {
      what: "many parameters",
      send: (signal: AbortSignal) => send(operation, world, { signal, query: `?${"a=1&".repeat(3_500)}` }),
    },
  ]);
}

const headerAttacks = (operation: Operation, world: World): Attack[] =>
  oddHeaders.map(({ name, what, text }) => ({
    what: `header ${name}: ${what}`,
    send: (signal) => send(operation, world, { signal, headers: { [name]: text } }),
  }));

interface Request {
  readonly signal: AbortSignal;
  readonly body?: string | FormData;
  readonly headers?: Record<string, string>;
  readonly parameters?: Record<string, string>;
  readonly query?: string;
}

let made = 0;

/** Sends each request as another user and from another address, so that no rate limit prevents the cost. */
async function send(operation: Operation, world: World, request: Request): Promise<Response> {
  const number = ++made;
  const token = await world.token({ ...attacker, user: `user-${number}` });
  const values = { ...world.parameters, ...request.parameters };
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(values[name] ?? "none"),
  );
  const hasBody = operation.body !== undefined && request.body === undefined;
  return fetch(world.url + path + (request.query ?? ""), {
    method: operation.method,
    signal: request.signal,
    body: request.body ?? (hasBody ? "{}" : null),
    headers: {
      authorization: `Bearer ${token}`,
      "x-active-tenant": slugOf(attacker.tenant),
      "x-probis-form-token": world.formToken,
      "x-forwarded-for": `198.51.${(number >> 8) & 255}.${number & 255}`,
      ...(hasBody ? { "content-type": "application/json" } : {}),
      ...request.headers,
    },
  });
}

interface Described {
  readonly operationId?: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
}

function exampleOf({ id }: Operation): unknown {
  const described = Object.values(contract.paths as Record<string, Record<string, Described>>)
    .flatMap((path) => Object.values(path))
    .find(({ operationId }) => operationId === id);
  return described?.requestBody?.content["application/json"]?.example;
}

/** Replaces ids in the example by ids that exist. */
function withWorld(value: unknown, world: World): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withWorld(item, world));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      typeof member === "string" && world.parameters[name] !== undefined
        ? world.parameters[name]
        : withWorld(member, world),
    ]),
  );
}

/** A fixed order that mixes the kinds, because there may not be enough time for all requests. */
function shuffled<T>(items: readonly T[]): T[] {
  const keyed = items.map((item, index) => ({ item, key: (index * 7_919) % items.length }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}
