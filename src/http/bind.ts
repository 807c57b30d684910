/**
 * The only code that registers contract routes: one loop over the generated operations (design 2).
 *
 * A request passes: admission, before a byte of its body is read · reading and converting · the contract's schemas,
 * compiled here and handed to Elysia as Standard Schemas · the handler · the answer, which is checked against the
 * contract as well where `checkAnswers` says so. Whatever throws on the way ends in `answerFailure`.
 */
import { join } from "node:path";
import { Elysia } from "elysia";
import type Type from "typebox";
import type { Deps } from "../deps.ts";
import { type OperationId, operations } from "../generated/operations.ts";
import type { FaultMergingHandler, Handler } from "../handler.ts";
import { type Fault, Problem } from "../problem.ts";
import { type Arrival, admit, admitToTenant, methodNotAllowed } from "./admission.ts";
import { type AnswerOptions, answerer } from "./answer.ts";
import { readJsonBody } from "./body.ts";
import { exchangeOf, type Operation } from "./exchange.ts";
import { readMultipartBody } from "./multipart.ts";
import { convert, readPath, readQuery } from "./parameters.ts";
import { plainNumbers } from "./plainNumbers.ts";
import { compileValidator } from "./validation.ts";

/** A handler for each operation of the contract; a missing one does not type-check. */
export type Handlers = { readonly [Id in OperationId]: Handler<Id> | FaultMergingHandler<Id> };

export interface BindOptions extends AnswerOptions {
  /** A request's body has to arrive within this time. By its largest size where absent. */
  readonly bodyTimeoutMs?: number | undefined;
}

export function bind(handlers: Handlers, deps: Deps, options: BindOptions): Elysia {
  const app = new Elysia({ name: "contract", strictPath: true });
  for (const operation of Object.values(operations))
    bindOperation(app, operation, { handlers, deps, options });
  for (const path of new Set(Object.values(operations).map((operation) => operation.path)))
    bindOtherMethods(app, path);
  return app;
}

interface Binding {
  readonly handlers: Handlers;
  readonly deps: Deps;
  readonly options: BindOptions;
}

/** The part of Elysia's context that is used here. */
interface Context extends Arrival {
  params: Record<string, string> | undefined;
  query: Record<string, unknown>;
  body: unknown;
}

function bindOperation(app: Elysia, operation: Operation, binding: Binding): void {
  const { deps, options } = binding;
  const { body, headers } = operation;
  const readBody = bodyReader(operation, deps, options.bodyTimeoutMs);
  const parse = async (context: Context) => {
    await admit(context, operation, deps);
    return readBody(context.request);
  };
  const transform = async (context: Context) => {
    await admit(context, operation, deps);
    context.params = convert(readPath(context.params), operation.params) as Record<string, string>;
    context.query = convert(readQuery(context.request.url), operation.query);
  };
  app.route(operation.method, routeOf(operation.path), runner(operation, binding) as never, {
    ...(body ? { parse: [parse as never], body: checkedBody(body.schema) as never } : { parse: "none" }),
    ...(headers ? { headers: refusing(headers, "/header") as never } : {}),
    transform: [transform as never],
    params: refusing(operation.params, "/path") as never,
    query: refusing(operation.query, "/query") as never,
  });
}

/** A phone in a bad place still gets its file through; a client that sends a byte a minute does not. */
const slowestBytesPerMs = 40;
const timeToSend = (bytes: number) => 60_000 + bytes / slowestBytesPerMs;

/** Reads a body as the contract says it comes. */
function bodyReader({ body }: Operation, { config }: Deps, timeoutMs: number | undefined) {
  if (body?.contentType !== "multipart/form-data") {
    const maxBytes = body?.maxBytes ?? 0;
    const limits = { maxBytes, timeoutMs: timeoutMs ?? timeToSend(maxBytes) };
    return (request: Request) => readJsonBody(request, limits);
  }
  const maxFileBytes = config.uploadMaxBytes;
  const folder = join(config.dataDir, "uploads");
  const limits = { folder, maxFileBytes, timeoutMs: timeoutMs ?? timeToSend(maxFileBytes) };
  return async (request: Request) => {
    const { value, dispose } = await readMultipartBody(request, limits);
    exchangeOf(request).dispose = dispose;
    return value;
  };
}

/** Everything after validation: the handler's story, and the end of what the request left on disk. */
function runner(operation: Operation, { handlers, deps, options }: Binding) {
  const handler = handlers[operation.id] as Handler<OperationId> | FaultMergingHandler<OperationId>;
  const answer = answerer(operation, options);
  return async (context: Context): Promise<Response> => {
    const exchange = exchangeOf(context.request);
    const { value, faults } = (context.body ?? { value: undefined, faults: [] }) as Checked;
    if (operation.audit) exchange.table ??= nameIn(value);
    const merges = typeof handler !== "function";
    if (!merges && faults.length > 0) throw new Problem("invalid_body", { errors: faults });
    if (operation.tenantIn === "body")
      await admitToTenant(context.request, (value as { tenant_id: number }).tenant_id, { operation, deps });
    const { requestId, caller } = exchange;
    const request = { requestId, caller, params: context.params, query: context.query, body: value, faults };
    const answered = await (merges ? handler.mergesFaults : handler)(request as never, deps);
    await exchange.dispose?.();
    return answer(answered, exchange, context.request);
  };
}

/** A body with the faults that the contract finds in it: the handler may have more to add before it is refused. */
interface Checked {
  readonly value: unknown;
  readonly faults: readonly Fault[];
}

function checkedBody(schema: Type.TSchema) {
  const validate = compileValidator(schema);
  return standardSchema((given): Checked => {
    const value = plainNumbers(given, schema);
    return { value, faults: validate(value) };
  });
}

function refusing(schema: Type.TSchema, root: string) {
  const validate = compileValidator(schema);
  return standardSchema((value) => {
    const errors = validate(value, root);
    if (errors.length > 0) throw new Problem("invalid_parameter", { errors });
    return value;
  });
}

/** The interface through which Elysia takes validators of any kind. */
function standardSchema<T>(check: (value: unknown) => T) {
  const validate = (value: unknown) => ({ value: check(value) });
  return { "~standard": { version: 1 as const, vendor: "waybill", validate } };
}

/** The table that a body names. */
const nameIn = (value: unknown) => {
  const name = (value as { name?: unknown } | null | undefined)?.name;
  return typeof name === "string" ? name : undefined;
};

/** Every other method on a path of the contract is a 405. */
function bindOtherMethods(app: Elysia, path: string): void {
  const refuse = () => {
    throw methodNotAllowed(path);
  };
  app.all(routeOf(path), refuse, { parse: "none" });
}

/** `/tables/{table}` as Elysia writes it. */
const routeOf = (path: string) => path.replaceAll(/\{(\w+)\}/g, ":$1");
