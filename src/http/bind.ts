/**
 * The only code that registers contract routes: one loop over the generated operations (design 2).
 *
 * A request passes: authentication, before a byte of its body is read · reading and converting · the contract's
 * schemas, compiled here and handed to Elysia as Standard Schemas · the handler · the answer, which is checked
 * against the contract as well where `checkAnswers` says so. Whatever throws on the way ends in `answerFailure`.
 */
import { Elysia } from "elysia";
import type Type from "typebox";
import type { Deps } from "../deps.ts";
import { type OperationId, operations } from "../generated/operations.ts";
import type { FaultMergingHandler, Handler } from "../handler.ts";
import { type Fault, Problem } from "../problem.ts";
import { readJsonBody } from "./body.ts";
import { authenticate } from "./caller.ts";
import { type Exchange, exchangeOf, type Operation } from "./exchange.ts";
import { convert, readQuery } from "./parameters.ts";
import { writeJson } from "./serialize.ts";
import { compileValidator, type Validator } from "./validation.ts";

/** A handler for each operation of the contract; a missing one does not type-check. */
export type Handlers = { readonly [Id in OperationId]: Handler<Id> | FaultMergingHandler<Id> };

export interface BindOptions {
  /** Answers that break the contract become a 500. On in every test run. */
  readonly checkAnswers: boolean;
}

/** A request's body has to arrive within this time. */
const bodyTimeoutMs = 60_000;

export function bind(handlers: Handlers, deps: Deps, options: BindOptions): Elysia {
  const app = new Elysia({ name: "contract", strictPath: true });
  for (const operation of Object.values(operations))
    bindOperation(app, operation, { handlers, deps, options });
  for (const [path, allowed] of methodsByPath()) bindOtherMethods(app, path, allowed);
  return app;
}

interface Binding {
  readonly handlers: Handlers;
  readonly deps: Deps;
  readonly options: BindOptions;
}

/** The part of Elysia's context that is used here. */
interface Context {
  readonly request: Request;
  params: Record<string, string> | undefined;
  query: Record<string, unknown>;
  body: unknown;
}

function bindOperation(app: Elysia, operation: Operation, { handlers, deps, options }: Binding): void {
  const handler = handlers[operation.id] as Handler<OperationId> | FaultMergingHandler<OperationId>;
  const answer = answerer(operation, options);
  const { body } = operation;

  const admit = async ({ request, params }: Context) => {
    const exchange = exchangeOf(request);
    if (exchange.operation) return;
    // Elysia hands a HEAD to the GET handler; the contract knows none.
    if (request.method !== operation.method) throw methodNotAllowed([operation.method]);
    exchange.operation = operation;
    if (params?.table !== undefined) exchange.table = params.table;
    if (!operation.security) return;
    const demand = { roles: operation.security.roles, tenantId: params?.tenantId };
    exchange.caller = await authenticate(request, demand, deps);
  };

  const parse = async (context: Context) => {
    await admit(context);
    const limits = { maxBytes: body?.maxBytes ?? 0, timeoutMs: bodyTimeoutMs };
    return readJsonBody(context.request, limits);
  };

  const transform = async (context: Context) => {
    await admit(context);
    context.params = convert(context.params ?? {}, operation.params) as Record<string, string>;
    context.query = convert(readQuery(context.request.url), operation.query);
  };

  const handle = async (context: Context) => {
    const exchange = exchangeOf(context.request);
    const { value, faults } = (context.body ?? { value: undefined, faults: [] }) as Checked;
    const request = {
      requestId: exchange.requestId,
      caller: exchange.caller,
      params: context.params,
      query: context.query,
      body: value,
      faults,
    };
    if (typeof handler !== "function")
      return answer(await handler.mergesFaults(request as never, deps), exchange);
    if (faults.length > 0) throw new Problem("invalid_body", { errors: faults });
    return answer(await handler(request as never, deps), exchange);
  };

  app.route(operation.method, routeOf(operation.path), handle as never, {
    ...(body ? { parse: [parse as never], body: checkedBody(body.schema) as never } : { parse: "none" }),
    transform: [transform as never],
    params: refusing(operation.params, "/path") as never,
    query: refusing(operation.query, "/query") as never,
  });
}

/** A body with the faults that the contract finds in it: the handler may have more to add before it is refused. */
interface Checked {
  readonly value: unknown;
  readonly faults: readonly Fault[];
}

function checkedBody(schema: Type.TSchema) {
  const validate = compileValidator(schema);
  return standardSchema((value): Checked => ({ value, faults: validate(value) }));
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

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

function answerer(operation: Operation, { checkAnswers }: BindOptions) {
  const validators = checkAnswers ? answerValidators(operation) : undefined;
  const responses = operation.responses as Readonly<Record<number, { readonly contentType?: string }>>;
  return ({ status, body, headers }: Answer, exchange: Exchange): Response => {
    exchange.status = status;
    const contentType = responses[status]?.contentType;
    const text = body === undefined ? null : typeof body === "string" ? body : writeJson(body);
    if (validators)
      requireDeclared(validators, status, contentType === "application/json" ? JSON.parse(text ?? "") : body);
    return new Response(text, {
      status,
      headers: {
        ...(contentType === undefined ? {} : { "Content-Type": contentType }),
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        "X-Request-Id": exchange.requestId,
        ...headers,
      },
    });
  };
}

/** Validators of an operation's answers, by status. */
export function answerValidators(operation: Operation): ReadonlyMap<number, Validator> {
  return new Map(
    Object.entries(operation.responses).map(([status, { schema }]) => [
      Number(status),
      compileValidator(schema as Type.TSchema),
    ]),
  );
}

/** Throws where an answer is not what the contract says: our fault, so a 500. */
export function requireDeclared(
  validators: ReadonlyMap<number, Validator>,
  status: number,
  body: unknown,
): void {
  const validate = validators.get(status);
  if (!validate) throw new Error(`the contract does not declare the status ${status}`);
  const [fault] = validate(body);
  if (fault) throw new Error(`the answer breaks the contract at ${fault.pointer}: ${fault.detail}`);
}

function methodsByPath(): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const { path, method } of Object.values(operations))
    methods.set(path, [...(methods.get(path) ?? []), method]);
  return methods;
}

/** Every other method on a path of the contract is a 405. */
function bindOtherMethods(app: Elysia, path: string, allowed: readonly string[]): void {
  const refuse = () => {
    throw methodNotAllowed(allowed);
  };
  app.all(routeOf(path), refuse, { parse: "none" });
}

const methodNotAllowed = (allowed: readonly string[]) =>
  new Problem("method_not_allowed", { headers: { Allow: allowed.join(", ") } });

/** `/tables/{table}` as Elysia writes it. */
const routeOf = (path: string) => path.replaceAll(/\{(\w+)\}/g, ":$1");
