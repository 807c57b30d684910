/**
 * The only code that registers contract routes: one loop over the generated operations.
 *
 * A request passes these steps:
 * 1. admission, before its body is read
 * 2. reading and converting body, path and query
 * 3. the contract's schemas, compiled here and passed to Elysia as Standard Schemas
 * 4. the handler
 * 5. the answer, checked against the contract if `checkAnswers` is on
 *
 * An error in any step ends in `answerFailure`.
 */
import { join } from "node:path";
import { Elysia } from "elysia";
import type Type from "typebox";
import type { Deps } from "../deps.ts";
import { type OperationId, operations } from "../generated/operations.ts";
import type { ReceivedFile } from "../generated/schemas.ts";
import type { Handler } from "../handler.ts";
import { isByteStream } from "../infrastructure/byteStream.ts";
import { inLane } from "../infrastructure/database/lanes.ts";
import type { FairShare } from "../infrastructure/fairShare.ts";
import type { Pressure } from "../infrastructure/pressure.ts";
import { type Fault, Problem } from "../infrastructure/problem.ts";
import { answerOnce } from "../tenants/idempotency/once.ts";
import { type Arrival, admit, admitToTenant, methodNotAllowed } from "./admission.ts";
import { type AnswerOptions, acceptedType, answerer } from "./answer.ts";
import { readJsonBody } from "./body.ts";
import { type BodyRoom, createBodyRoom, groupOf } from "./bodyRoom.ts";
import { requireWithinBounds } from "./bounds.ts";
import { mediaTypeOf, readFileBody } from "./fileBody.ts";
import { headerReader } from "./headers.ts";
import { hasIdempotencyKey, idempotentRequest } from "./idempotency.ts";
import { createAnswerRoom } from "./largeAnswer.ts";
import { overheadBytes, readMultipartBody } from "./multipart.ts";
import { multipartShape } from "./multipartShape.ts";
import { convert, readPath, readQuery } from "./parameters.ts";
import { plainNumbers } from "./plainNumbers.ts";
import { refuseUnderPressure } from "./refuseUnderPressure.ts";
import { contextOf, type Operation } from "./requestContext.ts";
import { compileValidator } from "./validation.ts";

/** A handler for each operation of the contract. A missing one does not type-check. */
export type Handlers = { readonly [Id in OperationId]: Handler<Id> };

export interface BindOptions extends AnswerOptions {
  /** Deadline for a request's body. If absent, it depends on the body's size. */
  readonly bodyTimeoutMs?: number | undefined;
  /** A body has to make progress within this time. 10 seconds if absent. */
  readonly bodyStallMs?: number | undefined;
  /** Whether the process is overloaded. If absent, it never is. */
  readonly pressure?: Pressure | undefined;
}

/** Seconds without a byte in either direction after which a connection is closed. */
export const idleSeconds = 60;
/** How long a client may go on sending a refused body. Bun reads and drops it, so that the answer arrives. */
const lingerSeconds = 10;

export function bind(handlers: Handlers, deps: Deps, options: BindOptions): Elysia {
  const app = new Elysia({ name: "contract", strictPath: true });
  const binding = { handlers, deps, options, room: createBodyRoom(), answerRoom: createAnswerRoom() };
  for (const operation of Object.values(operations)) bindOperation(app, operation, binding);
  for (const path of new Set(Object.values(operations).map((operation) => operation.path)))
    bindOtherMethods(app, path);
  return app;
}

interface Binding {
  readonly handlers: Handlers;
  readonly deps: Deps;
  readonly options: BindOptions;
  readonly room: BodyRoom;
  readonly answerRoom: FairShare;
}

/** The part of Elysia's context that is used here. */
interface ElysiaContext extends Arrival {
  params: Record<string, string> | undefined;
  query: Record<string, unknown>;
  body: unknown;
}

function bindOperation(app: Elysia, operation: Operation, binding: Binding): void {
  const { deps, options } = binding;
  const { body } = operation;
  const readHeaders = headerReader(operation.headers);
  const readBody = bodyReader(operation, binding);
  // Elysia reads the source code of these functions and of the handler to see which parts of its context they use. If
  // one took the whole context, Elysia would parse each request's cookies and headers and copy each answer.
  const parse = async ({ request, params, server }: ElysiaContext) => {
    refuseUnderPressure(options.pressure, operation);
    await admit({ request, params, server }, operation, deps);
    return readBody && withoutIdleTimeout(request, server, readBody);
  };
  const transform = async ({ request, params, server }: ElysiaContext) => {
    // A request with a body passed this check in `parse`.
    if (!body) refuseUnderPressure(options.pressure, operation);
    await admit({ request, params, server }, operation, deps);
    contextOf(request).declared = readHeaders(request);
    return {
      params: convert(readPath(params), operation.params),
      query: convert(readQuery(request.url), operation.query),
    };
  };
  app.route(operation.method, routeOf(operation.path), runner(operation, binding) as never, {
    ...(body ? { parse: [parse as never], body: checkedBody(body.schema) as never } : { parse: "none" }),
    transform: [transform as never],
    params: refusing(operation.params, "/path") as never,
    query: refusing(operation.query, "/query") as never,
  });
}

/**
 * Bun's idle timeout ignores the progress of a body, so it is off while a body arrives. The body has its own deadline.
 */
async function withoutIdleTimeout<T>(
  request: Request,
  server: Arrival["server"],
  read: (request: Request) => Promise<T>,
): Promise<T> {
  server?.timeout(request, 0);
  try {
    const body = await read(request);
    server?.timeout(request, idleSeconds);
    return body;
  } catch (error) {
    server?.timeout(request, lingerSeconds);
    throw error;
  }
}

/** The stream has its own limits. The database may need longer than a minute for the next piece. */
function withoutIdleTimeoutUntil(ended: Promise<void>, request: Request, server: Arrival["server"]): void {
  server?.timeout(request, 0);
  void ended.then(() => server?.timeout(request, idleSeconds));
}

/** Bun refuses larger bodies itself, without a Problem. */
const largestBody = 1024 ** 3;

/** Reads a body of the content type that the contract declares. Undefined if it declares no body. */
function bodyReader({ body }: Operation, binding: Binding) {
  if (!body) return undefined;
  if (body.contentType === "multipart/form-data") return multipartReader(body, binding);
  const readJson = jsonReader(body.maxBytes, binding);
  return "files" in body ? fileReader(body.files, readJson, binding) : readJson;
}

type Files = Extract<Operation["body"], { files: unknown }>["files"];

/** Reads a body that is a file, and all others as JSON. */
function fileReader(
  { contentTypes, audit }: Files,
  readJson: (request: Request) => Promise<unknown>,
  { room, deps, options }: Binding,
) {
  const { dataDir, importMaxBytes: maxBytes } = deps.config;
  const limits = { contentTypes, maxBytes, folder: join(dataDir, "uploads"), ...paceOf(options) };
  return async (request: Request) => {
    if (!contentTypes.some((type) => type === mediaTypeOf(request))) return readJson(request);
    const context = contextOf(request);
    context.audit = audit;
    const place = { room, group: groupOf(context) };
    const { file, dispose } = await readFileBody(request, limits, { place, disk: deps.disk });
    context.dispose = dispose;
    context.bodyDigest = Buffer.from(`${file.declaredType} ${file.sha256}`);
    return new FileAsBody(file);
  };
}

const paceOf = ({ bodyTimeoutMs, bodyStallMs }: BindOptions) => ({
  timeoutMs: bodyTimeoutMs,
  stallMs: bodyStallMs,
});

function jsonReader(maxBytes: number, { room, options }: Binding) {
  const limits = { maxBytes, ...paceOf(options) };
  return async (request: Request) => {
    const context = contextOf(request);
    const place = { room, group: groupOf(context) };
    const digest = hasIdempotencyKey(request);
    const body = await readJsonBody(request, digest ? { ...limits, digest } : limits, place);
    const { value, release } = body;
    context.bodyDigest = body.digest;
    if (release) context.dispose = async () => release();
    return value;
  };
}

type MultipartBody = Extract<Operation["body"], { contentType: "multipart/form-data" }>;

function multipartReader({ schema, maxBytes }: MultipartBody, { room, deps, options }: Binding) {
  const shape = multipartShape(schema);
  const maxFileBytes = deps.config.uploadMaxBytes;
  const maxBodyBytes = Math.min(shape.maxFiles * maxFileBytes + overheadBytes, maxBytes ?? largestBody);
  const folder = join(deps.config.dataDir, "uploads");
  const limits = { ...shape, folder, maxFileBytes, maxBodyBytes, ...paceOf(options) };
  return async (request: Request) => {
    const context = contextOf(request);
    const announced = Number(request.headers.get("content-length") ?? maxBodyBytes) || 0;
    // If objects are local files, each upload is on the disk twice for a moment.
    const copies = deps.storage.isLocal ? 2 : 1;
    const release = await deps.disk.hold(copies * Math.min(announced, maxBodyBytes));
    try {
      const { value, dispose } = await readMultipartBody(request, limits, { room, group: groupOf(context) });
      context.dispose = () => dispose().finally(release);
      return value;
    } catch (error) {
      release();
      throw error;
    }
  };
}

/** Runs the handler, and then frees what the request holds on disk and in memory. */
function runner(operation: Operation, { handlers, deps, options, answerRoom }: Binding) {
  const handler = handlers[operation.id] as Handler<OperationId>;
  const answer = answerer(operation, options, answerRoom);
  return async ({ request, params, query, body, server }: ElysiaContext): Promise<Response> => {
    const context = contextOf(request);
    const { value, faults, file: received } = (body ?? { value: undefined, faults: [] }) as Checked;
    if (operation.audit) context.table ??= nameIn(value);
    if (faults.length > 0 && !operation.body?.mergesFaults)
      throw new Problem("invalid_body", { errors: faults });
    if (operation.tenantIn === "body")
      await admitToTenant(request, (value as { tenant_id: number }).tenant_id, { operation, deps });
    const { requestId, caller, address, declared: headers } = context;
    const accepted = acceptedType(request, operation);
    const file = received && { ...received, senderLeft: request.signal };
    const idempotency = idempotentRequest(operation, request, context);
    const about = { requestId, caller, address, params, query, headers, accepted, idempotency };
    const given = { ...about, body: value, faults, file };
    const lane = caller && ({ kind: "request", tenant: caller.tenant.id } as const);
    // What a file holds may take longer than a minute.
    if (file) server?.timeout(request, 0);
    const handle = async () => handler(given as never, deps);
    const answered = await inLane(lane, () =>
      idempotency ? answerOnce(deps.sql, idempotency, handle) : handle(),
    ).finally(() => {
      if (file) server?.timeout(request, idleSeconds);
    });
    await context.dispose?.();
    const { body: sent } = answered as { readonly body: unknown };
    if (isByteStream(sent)) withoutIdleTimeoutUntil(sent.ended, request, server);
    return answer(answered, context, request);
  };
}

/** A body with the faults that its schema found. The handler may add its own before the body is refused. */
interface Checked {
  readonly value: unknown;
  readonly faults: readonly Fault[];
  /** Never from JSON, which could name any path. */
  readonly file?: ReceivedFile;
}

/** A file that is a whole body. The schema of the operation's JSON does not apply to it. */
class FileAsBody {
  readonly file: ReceivedFile;

  constructor(file: ReceivedFile) {
    this.file = file;
  }
}

function checkedBody(schema: Type.TSchema) {
  const validate = compileValidator(schema);
  return standardSchema((given): Checked => {
    if (given instanceof FileAsBody) return { value: undefined, faults: [], file: given.file };
    requireWithinBounds(given, schema);
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

/** Elysia takes validators of any kind through this interface (https://standardschema.dev). */
function standardSchema<T>(check: (value: unknown) => T) {
  const validate = (value: unknown) => ({ value: check(value) });
  return { "~standard": { version: 1 as const, vendor: "waybill", validate } };
}

/** The table that a body names. */
const nameIn = (value: unknown) => {
  const name = (value as { name?: unknown } | null | undefined)?.name;
  return typeof name === "string" ? name : undefined;
};

/** All other methods on a path of the contract are a 405. */
function bindOtherMethods(app: Elysia, path: string): void {
  const refuse = () => {
    throw methodNotAllowed(path);
  };
  app.all(routeOf(path), refuse, { parse: "none" });
}

/** `/tables/{table}` in Elysia's spelling, `/tables/:table`. */
const routeOf = (path: string) => path.replaceAll(/\{(\w+)\}/g, ":$1");
