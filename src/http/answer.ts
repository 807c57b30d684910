/** Turns a handler's answer into the response. Test runs also check the answer against the contract. */
import Negotiator from "negotiator";
import type Type from "typebox";
import { isByteStream } from "../infrastructure/byteStream.ts";
import type { FairShare } from "../infrastructure/fairShare.ts";
import { writeJson } from "../infrastructure/jsonText.ts";
import { groupOf } from "./bodyRoom.ts";
import { largeAnswer, noAnswerRoom, streamOf } from "./largeAnswer.ts";
import { pacedStream, readerStallMs as usualStallMs } from "./pacedStream.ts";
import type { Operation, RequestContext } from "./requestContext.ts";
import { compileValidator, type Validator } from "./validation.ts";

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly smaller?: Pick<Answer, "body" | "headers">;
  readonly gzip?: Blob;
}

export interface AnswerOptions {
  /** Turns answers that break the contract into a 500. On in all test runs. */
  readonly checkAnswers: boolean;
  /** How long the reader of a stream may take for a piece. 30 seconds if absent. */
  readonly readerStallMs?: number | undefined;
}

/**
 * Turns the answers of one operation into responses. If there is no room for a large one, sends the smaller one that it
 * brings, or throws `overloaded`.
 */
export function answerer(
  operation: Operation,
  { checkAnswers, readerStallMs = usualStallMs }: AnswerOptions,
  room: FairShare,
) {
  const validators = checkAnswers ? answerValidators(operation) : undefined;
  const responses = operation.responses as Readonly<Record<number, { readonly contentType?: string }>>;
  const answer = (given: Answer, context: RequestContext, request: Request): Response => {
    const { status, body, headers, smaller, gzip } = given;
    const contentType = responses[status]?.contentType;
    const content = contentOf(body, readerStallMs);
    if (validators && !isByteStream(body))
      requireDeclared(validators, status, isJson(contentType) ? JSON.parse(String(content)) : body);
    const packed = gzip && takesGzip(request) ? gzip : undefined;
    // The answer to a write must arrive, because the change has been made.
    const mayBeReplaced = operation.method === "GET" || smaller !== undefined;
    const isLarge = typeof content === "string" && content.length > largeAnswer && mayBeReplaced && !packed;
    const sent = isLarge ? streamOf(content, room, groupOf(context)) : content;
    if (sent === undefined && smaller) return answer({ status, ...smaller }, context, request);
    if (sent === undefined) throw noAnswerRoom();
    context.status = status;
    return new Response(packed ?? sent, {
      status,
      headers: {
        ...(contentType === undefined ? {} : { "Content-Type": contentType }),
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        ...context.headers,
        ...headers,
        ...(gzip ? { Vary: "Accept-Encoding" } : {}),
        ...(packed ? { "Content-Encoding": "gzip" } : {}),
        ...(body instanceof Blob && request.headers.has("range") ? wholeRange(body) : {}),
      },
    });
  };
  return answer;
}

/** Bun answers a Range on a file with 206, unless the response has its own Content-Range: here, all of it. */
const wholeRange = ({ size }: Blob) => ({ "Content-Range": `bytes 0-${size - 1}/${size}` });

function takesGzip(request: Request): boolean {
  const negotiator = new Negotiator({
    headers: { "accept-encoding": request.headers.get("accept-encoding") ?? "" },
  });
  return negotiator.encoding(["gzip", "identity"]) === "gzip";
}

/** Which of the declared media types the caller prefers: the first one if it accepts none of them. */
export function acceptedType(request: Request, operation: Operation): string | undefined {
  const declared: readonly object[] = Object.values(operation.responses);
  const choices = declared.flatMap((answer) => ("choices" in answer ? (answer.choices as string[]) : []));
  if (choices.length === 0) return undefined;
  const negotiator = new Negotiator({ headers: { accept: request.headers.get("accept") ?? undefined } });
  return negotiator.mediaType(choices) ?? choices[0];
}

const isJson = (contentType: string | undefined) => contentType === "application/json";

function contentOf(body: unknown, stallMs: number): string | Blob | ReadableStream<Uint8Array> | null {
  if (body === undefined) return null;
  if (isByteStream(body)) return pacedStream(body.byteStream, stallMs);
  return typeof body === "string" || body instanceof Blob ? body : writeJson(body);
}

/** The validators of an operation's answers, by status. */
export function answerValidators(operation: Operation): ReadonlyMap<number, Validator> {
  return new Map(
    Object.entries(operation.responses).map(([status, { schema }]) => [
      Number(status),
      compileValidator(schema as Type.TSchema),
    ]),
  );
}

/** Throws if an answer breaks the contract. That is our fault, so it becomes a 500. */
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
