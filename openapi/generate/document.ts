/** Reads the contract as one bundled document, and its operations with their parameters and responses resolved. */
import { bundle, createConfig } from "@redocly/openapi-core";
import type { JsonSchema } from "./typebox.ts";

export interface Document {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly security?: readonly SecurityRequirement[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses?: Readonly<Record<string, Response>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
  };
}

export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

export interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly style?: string;
  readonly explode?: boolean;
  readonly schema: JsonSchema;
}

export interface MediaType {
  readonly schema: JsonSchema;
  readonly example?: unknown;
  readonly examples?: unknown;
}

export interface Response {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, MediaType>>;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security?: readonly SecurityRequirement[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, MediaType>>;
  };
  readonly responses: Readonly<Record<string, Response>>;
  readonly "x-audit"?: string;
  /** The action that the audit trail has for a body that is a file, where the operation also takes JSON. */
  readonly "x-audit-of-files"?: string;
  readonly "x-rate-limit"?: unknown;
  readonly "x-max-body-bytes"?: number;
  readonly "x-merges-faults"?: boolean;
}

const methods = ["get", "post", "put", "patch", "delete"] as const;
type Method = (typeof methods)[number];
type PathItem = { readonly parameters?: readonly Parameter[] } & { readonly [method in Method]?: Operation };

export interface LocatedOperation {
  readonly path: string;
  readonly method: Uppercase<Method>;
  readonly operation: Operation;
  /** The parameters of the path and of the operation. */
  readonly parameters: readonly Parameter[];
}

/** Bundles the contract into one document whose `$ref`s are all internal. Throws on a broken reference. */
export async function readContract(file: string): Promise<Document> {
  const { bundle: result, problems } = await bundle({ ref: file, config: await createConfig({}) });
  const errors = problems.filter((problem) => problem.severity === "error");
  if (errors.length > 0) throw new Error(errors.map((problem) => problem.message).join("\n"));
  return JSON.parse(JSON.stringify(result.parsed)) as Document;
}

/** All operations, in the contract's order. */
export function operationsOf(document: Document): LocatedOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      if (!operation) return [];
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
      return [
        {
          path,
          method: method.toUpperCase() as Uppercase<Method>,
          operation,
          parameters: parameters.map((parameter) => resolve(document.components.parameters, parameter)),
        },
      ];
    }),
  );
}

/** Returns the response or parameter itself, or the one that its `$ref` points to. */
export function resolve<T extends { readonly $ref?: string }>(
  components: Readonly<Record<string, T>> | undefined,
  item: T,
): T {
  if (item.$ref === undefined) return item;
  const found = components?.[item.$ref.split("/").at(-1) ?? ""];
  if (!found) throw new Error(`${item.$ref} points nowhere`);
  return found;
}
