/** Sends a request through the proxy and adds its entry to the history. */
import type { Entry, History, Outcome } from "./history.ts";

export interface Request {
  readonly operation: string;
  readonly tenant: number;
  /** `POST /api/v1/…` */
  readonly to: string;
  /** The `Authorization` header's token. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, or as multipart if it is a FormData. */
  readonly body?: object;
  /** Codes of the refusals that are right for this request. */
  readonly deserves?: readonly string[];
}

export interface Answer extends Entry {
  /** The file name of a download. */
  readonly fileName: string;
  readonly bytes: Uint8Array;
  json<T>(): T;
}

export type Send = (request: Request) => Promise<Answer>;

/** Longer than any time limit that Waybill has for a small request. */
const patienceMs = 45_000;

export function createSend(base: string, history: History, now: () => number): Send {
  return async (request) => {
    const startedAt = now();
    const { status, headers, bytes, failure } = await exchange(base, request);
    const entry = entryOf({ request, status, headers, bytes, failure, startedAt, endedAt: now() });
    history.add(entry);
    const fileName = /filename="([^"]+)"/.exec(headers.get("content-disposition") ?? "")?.[1] ?? "";
    return { ...entry, bytes, fileName, json: <T>() => JSON.parse(new TextDecoder().decode(bytes)) as T };
  };
}

interface Exchanged {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly failure?: string | undefined;
}

/** Uses a new connection for each request, because a client that silently repeats one would change the counts. */
async function exchange(base: string, request: Request): Promise<Exchanged> {
  const [method = "", path = ""] = request.to.split(" ");
  const headers = new Headers(request.headers);
  if (request.token) headers.set("authorization", `Bearer ${request.token}`);
  const multipart = request.body instanceof FormData;
  if (request.body && !multipart) headers.set("content-type", "application/json");
  const body = multipart ? (request.body as FormData) : request.body && JSON.stringify(request.body);
  const init = { method, headers, keepalive: false, redirect: "manual", body: body ?? null } as const;
  try {
    const response = await fetch(`${base}${path}`, { ...init, signal: AbortSignal.timeout(patienceMs) });
    return await read(response);
  } catch (error) {
    return { status: 0, headers: new Headers(), bytes: new Uint8Array(), failure: nameOf(error) };
  }
}

async function read(response: Response): Promise<Exchanged> {
  const { status, headers } = response;
  try {
    return { status, headers, bytes: await response.bytes() };
  } catch (error) {
    return { status, headers, bytes: new Uint8Array(), failure: `broken off: ${nameOf(error)}` };
  }
}

/** The code of a DOMException is a number, so its name is taken. */
function nameOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return String(typeof code === "string" ? code : (name ?? error));
}

interface Ended extends Exchanged {
  readonly request: Request;
  readonly startedAt: number;
  readonly endedAt: number;
}

function entryOf({ request, status, headers, bytes, failure, startedAt, endedAt }: Ended): Entry {
  const { operation, tenant, deserves = [] } = request;
  const requestId = headers.get("x-request-id") ?? "";
  const by = status === 0 ? "nobody" : requestId ? "waybill" : "proxy";
  const code = failure ?? (status >= 400 ? problemCode(bytes) : "");
  return {
    operation,
    tenant,
    startedAt: Math.round(startedAt),
    endedAt: Math.round(endedAt),
    outcome: failure || by !== "waybill" ? "unknown" : outcomeOf(status),
    by,
    status,
    code,
    requestId,
    retryAfter: headers.get("retry-after") ?? "",
    deserved: deserves.includes(code),
  };
}

function outcomeOf(status: number): Outcome {
  if (status < 300) return "acknowledged";
  return status >= 400 && status < 500 ? "refused" : "unknown";
}

function problemCode(bytes: Uint8Array): string {
  try {
    return String(JSON.parse(new TextDecoder().decode(bytes)).code);
  } catch {
    return "";
  }
}
