/** A handler's answer → the response; in test runs only if the contract says so. */
import Negotiator from "negotiator";
import type Type from "typebox";
import type { FairShare } from "../infrastructure/fairShare.ts";
import { groupOf } from "./bodyRoom.ts";
import { largeAnswer, streamOf } from "./largeAnswer.ts";
import type { Operation, RequestContext } from "./requestContext.ts";
import { writeJson } from "./serialize.ts";
import { compileValidator, type Validator } from "./validation.ts";

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly gzip?: Blob;
}

export interface AnswerOptions {
  /** Answers that break the contract become a 500. On in every test run. */
  readonly checkAnswers: boolean;
}

/** Turns answers of one operation into responses. Throws `overloaded` where a large one finds no room. */
export function answerer(operation: Operation, { checkAnswers }: AnswerOptions, room: FairShare) {
  const validators = checkAnswers ? answerValidators(operation) : undefined;
  const responses = operation.responses as Readonly<Record<number, { readonly contentType?: string }>>;
  return ({ status, body, headers, gzip }: Answer, context: RequestContext, request: Request): Response => {
    const contentType = responses[status]?.contentType;
    const content = contentOf(body);
    if (validators)
      requireDeclared(validators, status, isJson(contentType) ? JSON.parse(String(content)) : body);
    const packed = gzip && takesGzip(request) ? gzip : undefined;
    // What a write answers must arrive: the change is made.
    const isLarge = typeof content === "string" && content.length > largeAnswer && operation.method === "GET";
    const sent = isLarge && !packed ? streamOf(content, room, groupOf(context)) : content;
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
}

/** Bun answers a Range on a file with 206, unless the answer says itself what range it is: all of it. */
const wholeRange = ({ size }: Blob) => ({ "Content-Range": `bytes 0-${size - 1}/${size}` });

function takesGzip(request: Request): boolean {
  const negotiator = new Negotiator({
    headers: { "accept-encoding": request.headers.get("accept-encoding") ?? "" },
  });
  return negotiator.encoding(["gzip", "identity"]) === "gzip";
}

const isJson = (contentType: string | undefined) => contentType === "application/json";

function contentOf(body: unknown): string | Blob | null {
  if (body === undefined) return null;
  return typeof body === "string" || body instanceof Blob ? body : writeJson(body);
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
