/**
 * What the handler of an operation takes and returns, derived from the contract.
 *
 * A handler is a plain function `(request, deps) => answer`. It returns an answer that the contract declares as a
 * success, and throws everything else as a `Problem`. The index of a tag is `{ … } satisfies HandlersOf<"tag">`, so
 * an operation without a handler does not type-check.
 */
import type Type from "typebox";
import type { Deps } from "./deps.ts";
import type { OperationId, operations } from "./generated/operations.ts";
import type { ReceivedFile } from "./generated/schemas.ts";
import type { ByteStream } from "./infrastructure/byteStream.ts";
import type { Written } from "./infrastructure/jsonText.ts";
import type { Fault } from "./infrastructure/problem.ts";
import type { Caller, Visitor } from "./tenants/caller.ts";
import type { IdempotentRequest } from "./tenants/idempotency/keys.ts";

type Operations = typeof operations;
type StaticOf<Schema> = Schema extends Type.TSchema ? Type.Static<Schema> : undefined;

type CallerOf<Security> = Security extends { readonly scheme: "accessToken" }
  ? Caller
  : Security extends { readonly scheme: "formToken" }
    ? Visitor
    : undefined;

interface RequestHead<Id extends OperationId> {
  /** Also in the `X-Request-Id` header, every log line and the audit trail. UUID version 7. */
  readonly requestId: string;
  readonly caller: CallerOf<Operations[Id]["security"]>;
  /** The key under which rate limits count the caller's address. Only if the operation has a limit per address. */
  readonly address?: string | undefined;
  readonly params: StaticOf<Operations[Id]["params"]>;
  readonly query: StaticOf<Operations[Id]["query"]>;
  /** The header fields that the contract declares, by their names in lower case. */
  readonly headers: StaticOf<Operations[Id]["headers"]>;
  /** Only if the operation declares `Idempotency-Key` and the request has one. */
  readonly idempotency?: IdempotentRequest | undefined;
  /** The media type that the caller prefers, if the contract declares several for a success. */
  readonly accepted: AcceptedBy<Responses<Id>>;
}

type AcceptedBy<Answers> = {
  [Status in keyof Answers & SuccessStatus]: Answers[Status] extends { choices: readonly (infer Choice)[] }
    ? Choice
    : undefined;
}[keyof Answers & SuccessStatus];

/**
 * With `x-merges-faults` the handler also gets bodies that break their schema, together with the faults. It adds its
 * own faults, so that the caller gets all of them at once. It must throw if there are any.
 */
type BodyOfRequest<Operation> = Operation extends { body: { mergesFaults: true } }
  ? { readonly body: unknown; readonly faults: readonly Fault[] }
  : { readonly body: Operation extends { body: { schema: infer Schema } } ? StaticOf<Schema> : undefined };

/** A body that is a file. Then `body` is undefined. */
export interface FileOfRequest {
  readonly file?: ReceivedFile & {
    /** Aborted if the sender closes the connection before it has the answer. */
    readonly senderLeft: AbortSignal;
  };
}

export type RequestOf<Id extends OperationId> = RequestHead<Id> &
  BodyOfRequest<Operations[Id]> &
  (Operations[Id] extends { body: { files: unknown } } ? FileOfRequest : object);

type SuccessStatus = 200 | 201 | 202 | 204;
type Responses<Id extends OperationId> = Operations[Id]["responses"];
type BodyOf<Response> = Response extends { schema: infer Schema } ? StaticOf<Schema> : undefined;

export type AnswerOf<Id extends OperationId> = {
  [Status in keyof Responses<Id> & SuccessStatus]: {
    readonly status: Status;
    readonly body:
      | Written<BodyOf<Responses<Id>[Status]>>
      | (Responses<Id>[Status] extends { choices: unknown } ? ByteStream : never);
    readonly headers?: Readonly<Record<string, string>>;
    /** Sent in its place if it is large, and there is no room for large answers. */
    readonly smaller?: {
      readonly body: Written<BodyOf<Responses<Id>[Status]>>;
      readonly headers?: Readonly<Record<string, string>>;
    };
    /** The same body, compressed, for callers that accept gzip. */
    readonly gzip?: Blob;
  };
}[keyof Responses<Id> & SuccessStatus];

export type Handler<Id extends OperationId> = (
  request: RequestOf<Id>,
  deps: Deps,
) => Promise<AnswerOf<Id>> | AnswerOf<Id>;

type IdsOf<Tag extends string> = {
  [Id in OperationId]: Operations[Id]["tag"] extends Tag ? Id : never;
}[OperationId];

export type Tag = Operations[OperationId]["tag"];
export type HandlersOf<T extends Tag> = { readonly [Id in IdsOf<T>]: Handler<Id> };
