/** The contract is the only source, and code and tests are where it says (docs/decisions/contract-and-http.md). */
import { describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type Type from "typebox";
import { type LocatedOperation, operationsOf, readContract, resolve } from "../openapi/generate/document.ts";
import { generateServer } from "../openapi/generate.ts";
import released from "../openapi/released.json";
import { createApp } from "../src/app.ts";
import type { Deps } from "../src/deps.ts";
import served from "../src/generated/openapi.json";
import { type OperationId, operations } from "../src/generated/operations.ts";
import { compileValidator } from "../src/http/validation.ts";
import { parseConfig } from "../src/infrastructure/config.ts";
import { type ProblemCode, problems } from "../src/infrastructure/problem.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const document = await readContract(`${root}openapi/openapi.yaml`);
const located = operationsOf(document);
const answersOf = ({ operation }: LocatedOperation) =>
  Object.entries(operation.responses).map(
    ([status, response]) => [Number(status), resolve(document.components.responses, response)] as const,
  );

/** Operations that work without the database. */
const withoutDatabase = ["getHealth", "getContractJson", "getContractYaml"];
/** Routes that are not part of the contract: Swagger UI and its files. */
const swaggerUi = ["GET /", "GET /swagger", "GET /swagger/assets/:name"];

test("src/generated/ is up to date", async () => {
  const folder = `${root}src/generated`;
  const names = await readdir(folder);
  const committed = names.map(async (name) => [name, await Bun.file(`${folder}/${name}`).text()]);
  expect(Object.fromEntries(await Promise.all(committed))).toEqual(await generateServer());
});

test("the served contract says nothing about how handlers work", () => {
  expect(JSON.stringify(document)).toContain('"x-merges-faults":true');
  expect(JSON.stringify(served)).not.toContain("x-merges-faults");
});

test("no released operation disappears", () => {
  const ids = new Set(located.map(({ operation }) => operation.operationId));
  expect(released.filter((id) => !ids.has(id))).toEqual([]);
});

test("all operations share one definition of the header x-active-tenant", () => {
  const inline = located.filter(({ operation }) =>
    operation.parameters?.some((given) => "name" in given && given.name === "x-active-tenant"),
  );
  expect(inline.map(({ operation }) => operation.operationId)).toEqual([]);
});

test("operationIds are unique, in lower camel case", () => {
  const ids = located.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^[a-z][A-Za-z0-9]*$/.test(id))).toEqual([]);
});

test("the app serves only the contract's routes and Swagger UI", () => {
  const deps = { config: parseConfig({}, root) } as Deps;
  const bound = createApp(deps).routes.map(({ method, path }) => `${method} ${path}`);
  const declared = located.map(({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`);
  // Other methods on a path of the contract are answered with 405.
  const others = new Set(declared.map((route) => route.replace(/^\w+/, "ALL")));
  expect(bound.sort()).toEqual([...declared, ...others, ...swaggerUi].sort());
});

describe.each(located.map((item) => [item.operation.operationId, item] as const))("%s", (id, item) => {
  const { operation } = item;
  const [tag = ""] = operation.tags;
  const statuses = answersOf(item).map(([status]) => status);

  test("has one declared tag", () => {
    expect(operation.tags).toHaveLength(1);
    expect(document.tags.map(({ name }) => name)).toContain(tag);
  });

  test("has a handler file and a test file of its own name in its tag's folder", async () => {
    expect(await import(`${root}src/operations/${tag}/${id}.ts`)).toHaveProperty(id);
    expect(await Bun.file(`${root}test/operations/${tag}/${id}.test.ts`).exists()).toBe(true);
  });

  test("declares the problems that can occur", () => {
    const secured = (operation.security ?? document.security ?? []).length > 0;
    const expected = [400, 500, ...(secured ? [401] : []), ...(operation.requestBody ? [408, 413, 415] : [])];
    if (!withoutDatabase.includes(id)) expected.push(503);
    expect(statuses).toEqual(expect.arrayContaining(expected));
  });

  test("has an example of its body and of its success", () => {
    for (const media of Object.values(operation.requestBody?.content ?? {}))
      expect(media.example).toBeDefined();
    const [, success] = answersOf(item).find(([status]) => status < 300) ?? [];
    expect(success).toBeDefined();
    for (const [type, media] of Object.entries(success?.content ?? {}))
      if (/json|yaml|text/.test(type)) expect(media.example).toBeDefined();
  });

  test("its examples are valid", () => {
    const generated = operations[id as OperationId];
    const json = operation.requestBody?.content["application/json"];
    if (json && generated.body) expect(faults(generated.body.schema, json.example)).toEqual([]);
    const schemas = generated.responses as Readonly<Record<number, { readonly schema: Type.TSchema }>>;
    for (const [status, { content = {} }] of answersOf(item))
      for (const [type, { example }] of Object.entries(content))
        if (/[/+]json$/.test(type)) expect(faults(schemas[status]?.schema, example)).toEqual([]);
  });

  test("its examples of problems match the table in problem.ts", () => {
    for (const [status, { content = {} }] of answersOf(item)) {
      const media = content["application/problem+json"];
      // Bun answers 431 itself, before any code of ours runs.
      if (status >= 400 && status !== 431) expect(media).toBeDefined();
      if (media) requireKnown(media.example as ProblemExample, status);
    }
  });
});

interface ProblemExample {
  readonly code: ProblemCode;
  readonly status: number;
  readonly title: string;
  readonly type: string;
}

function requireKnown({ code, status, title, type }: ProblemExample, under: number): void {
  expect([status, title]).toEqual([...(problems[code] ?? [])]);
  expect({ under: status, type }).toEqual({ under, type: `/problems/${code}` });
}

const faults = (schema: Type.TSchema | undefined, example: unknown) =>
  schema ? compileValidator(schema)(example) : ["there is no schema"];
