/**
 * The client of the engine's REST interface, which Operaton and Camunda 7 share. Connections stay open between calls.
 * Nothing is repeated here: the caller knows whether a call may go out twice.
 *
 * Never logs, and no error repeats the credentials or what was sent.
 */
import type { EngineConfig } from "../../../infrastructure/config.ts";
import { parseJson, parseJsonInTurns, smallText } from "../../../infrastructure/json.ts";
import type { AnswerShape } from "./answerShape.ts";
import { answerTooLarge, EngineError, EngineUnreachable, unreadableAnswer } from "./restErrors.ts";

/** A value of a query. A list is sent with commas. Undefined is not sent. */
export type QueryValue = string | number | boolean | readonly string[] | undefined;

export interface EngineCall {
  readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "DELETE";
  /** Begins with a slash. Make it with `` at`…` `` if it has an id in it. */
  readonly path: string;
  readonly query?: Readonly<Record<string, QueryValue>>;
  /** Sent as JSON. A `JSON.rawJSON` keeps its digits. */
  readonly body?: unknown;
  /** Sent as multipart/form-data, in place of a body. */
  readonly form?: FormData;
  /** For the whole call. By default ENGINE_TIMEOUT_SECONDS. */
  readonly timeoutMs?: number;
  /** Bytes of the answer; 8 MiB by default. A larger one is an `EngineError` of the type `AnswerTooLarge`. */
  readonly maxBytes?: number;
  /** Ends the call as if it had timed out. */
  readonly signal?: AbortSignal;
}

export interface EngineRest {
  /** For a change: its answer must be empty. Throws `EngineError` and `EngineUnreachable`. */
  call(call: EngineCall): Promise<void>;
  /**
   * The JSON of the answer. One of another shape is an `EngineError` of the type `UnreadableAnswer`. A number that a
   * double cannot hold as written is a `JSON.rawJSON`: read it with `numberText`.
   */
  call<T>(call: EngineCall, shape: AnswerShape<T>): Promise<T>;
  /** The bytes of the answer, for files. Throws like `call`. */
  bytes(call: EngineCall): Promise<Uint8Array<ArrayBuffer>>;
  /** How many bytes the answer to GET would have. Throws like `call`. */
  size(path: string): Promise<number>;
}

/** Bytes of an answer without values of variables. A page of 5,000 definitions has about 3 MB. */
const maxAnswerBytes = 8 * 1024 ** 2;
/** Bytes of one with them. An instance has 16 MiB of variables at most, written twice where they are JSON in JSON. */
export const maxVariablesBytes = 64 * 1024 ** 2;
const parseTurnMs = 10;

export function createEngineRest(config: EngineConfig): EngineRest {
  const bytes = async (call: EngineCall) => (await answerOf(config, call)).bytes;
  return {
    bytes,
    size: async (path) => Number((await answerOf(config, { method: "HEAD", path })).length ?? 0),
    call: async <T>(call: EngineCall, shape?: AnswerShape<T>) =>
      checked(await parsed(await bytes(call)), { call, shape }) as T,
  };
}

/** A path in which each value is one encoded segment: `` at`/task/${id}/complete` ``. */
export function at(texts: TemplateStringsArray, ...values: readonly string[]): string {
  return texts.reduce((path, text, index) => path + segment(values[index - 1] ?? "") + text);
}

/** Throws for a segment that a URL would resolve away. `isEngineId` refuses it earlier. */
function segment(value: string): string {
  if (value === "" || value === "." || value === "..")
    throw new TypeError("a segment of an engine's path is empty or dots");
  return encodeURIComponent(value);
}

/** Whether a text can be an id of the engine: a UUID, a number, or `key:version:id`. Ids have 64 characters at most. */
export const isEngineId = (text: string) => /^[\p{L}\p{N}_:.-]{1,64}$/u.test(text) && !/^\.+$/.test(text);

interface Answer {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The header Content-Length. */
  readonly length: string | null;
}

async function answerOf(config: EngineConfig, call: EngineCall): Promise<Answer> {
  const { method = "GET", timeoutMs = config.timeoutMs, signal } = call;
  const limit = AbortSignal.timeout(timeoutMs);
  const request: RequestInit = {
    method,
    redirect: "manual",
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
    headers: headersOf(config, call),
    ...(call.form ? { body: call.form } : call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
  };
  try {
    const response = await fetch(config.url + call.path + queryText(call.query), request);
    const bytes = await readBounded(response, call.maxBytes ?? maxAnswerBytes);
    if (!response.ok) throw errorOf(response, bytes);
    return { bytes, length: response.headers.get("Content-Length") };
  } catch (cause) {
    throw cause instanceof EngineError ? cause : new EngineUnreachable(reasonOf(cause, timeoutMs), { cause });
  }
}

function headersOf({ authorization }: EngineConfig, { body, form }: EngineCall): Record<string, string> {
  return {
    Accept: "application/json, */*;q=0.5",
    ...(authorization === undefined ? {} : { Authorization: authorization }),
    ...(body === undefined || form ? {} : { "Content-Type": "application/json" }),
  };
}

function queryText(query: EngineCall["query"] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return given.length === 0 ? "" : `?${search}`;
}

async function readBounded(response: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    // Leaving the loop cancels the rest of the answer.
    if (size > maxBytes) throw tooLarge(response.status, maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks) as Uint8Array<ArrayBuffer>;
}

const tooLarge = (status: number, maxBytes: number) =>
  new EngineError({
    status,
    type: answerTooLarge,
    message: `The engine's answer is larger than ${maxBytes} bytes`,
  });

/** Characters of an engine's message. It repeats the stack of causes, and whole values at worst. */
const maxMessage = 4_000;

function errorOf({ status }: Response, bytes: Uint8Array): EngineError {
  const text = new TextDecoder().decode(bytes.subarray(0, 64 * 1024));
  const { type, message, code } = errorIn(text);
  return new EngineError({
    status,
    type: typeof type === "string" ? type : "",
    message: typeof message === "string" ? storable(message) : `HTTP status ${status}`,
    ...(typeof code === "number" ? { code } : {}),
  });
}

/** Messages become parts of incidents. PostgreSQL stores no NUL, so such an incident could never be kept. */
const storable = (message: string) => message.slice(0, maxMessage).toWellFormed().replaceAll("\0", "\uFFFD");

/** The JSON of an error. Empty for the HTML page of a server or a proxy in between. */
function errorIn(text: string): { type?: unknown; message?: unknown; code?: unknown } {
  try {
    return (JSON.parse(text) as object | null) ?? {};
  } catch {
    return {};
  }
}

async function parsed(bytes: Uint8Array): Promise<unknown> {
  if (bytes.byteLength === 0) return undefined;
  const text = new TextDecoder().decode(bytes);
  try {
    return text.length <= smallText
      ? parseJson(text)
      : await parseJsonInTurns(text, { turnMs: parseTurnMs, pause: nextTurn });
  } catch (cause) {
    throw unreadable("is not JSON that can be read", { cause });
  }
}

interface Check {
  readonly call: EngineCall;
  /** Undefined: the answer must be empty. */
  readonly shape: AnswerShape<unknown> | undefined;
}

function checked(answer: unknown, { call: { method = "GET", path }, shape }: Check): unknown {
  if (shape ? shape.matches(answer) : answer === undefined) return answer;
  const fault = shape ? shape.faultOf(answer) : "it is not empty";
  throw unreadable(`to ${method} ${path} does not have the expected shape: ${fault}`);
}

const unreadable = (what: string, options?: ErrorOptions) =>
  new EngineError({ status: 200, type: unreadableAnswer, message: `The engine's answer ${what}` }, options);

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

function reasonOf(cause: unknown, timeoutMs: number): string {
  const { name, code } = cause as { name?: string; code?: string };
  if (name === "TimeoutError") return `no answer within ${timeoutMs / 1_000} seconds`;
  if (name === "AbortError") return "the call was ended";
  return code ?? "the connection failed";
}
