/**
 * Makes one call to an external system, to the addresses that the policy checked.
 *
 * It uses node:http and not `fetch`, because node:http lets the caller give the addresses. `lookup` returns the
 * checked ones, so the name is never resolved a second time. The Host header, the TLS server name and the check of
 * the certificate still use the name. Each call opens a new connection (`agent: false`), because the addresses of an
 * earlier call's connection were checked for that call only. Proxies from the environment are not used.
 */
import { type IncomingMessage, request as plainRequest, type RequestOptions } from "node:http";
import { request as secureRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { untilAborted, withTimeout } from "../withTimeout.ts";
import type { AllowRule } from "./allow.ts";
import { type OutboundAnswer, readAnswer } from "./answer.ts";
import { CallHeldBack, DeliveryFailure } from "./failure.ts";
import { wireHeaders } from "./headers.ts";
import { neverEnding, timedOut, unreachable } from "./networkErrors.ts";
import { checkTarget, hostOf, type Resolve, systemResolve, type Target } from "./policy.ts";

export interface OutboundOptions {
  readonly allow: readonly AllowRule[];
  readonly resolve?: Resolve;
  /** The addresses of this machine. Default: those of its interfaces. */
  readonly ownAddresses?: () => readonly string[];
  /** Time to connect, including TLS. Default: 10 seconds. */
  readonly connectTimeoutMs?: number;
  /** How much of a body is kept. Default: 1 MiB. */
  readonly maxResponseBytes?: number;
  /** PEM, in place of the certificate authorities that the runtime trusts. */
  readonly certificateAuthorities?: string;
}

export interface OutboundCall {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Time for the whole call: resolving, connecting, sending, and reading the answer. */
  readonly timeoutMs: number;
  /** Awaited after connecting, before the request is written. If it throws, nothing is sent and the error passes on. */
  readonly sending?: () => Promise<void>;
  /**
   * Asked after `sending`, in the same tick in which the request is written. If it returns false, nothing is sent and
   * the call throws `CallHeldBack`.
   */
  readonly mayGoOut?: () => boolean;
}

export type OutboundFetch = (call: OutboundCall) => Promise<OutboundAnswer>;

const defaults = {
  resolve: systemResolve,
  connectTimeoutMs: 10_000,
  maxResponseBytes: 1024 ** 2,
};

/**
 * Returns a function that makes one call. Every status except a redirect is an answer. The function throws
 * `invalid_url`, `invalid_header` and `refused_by_policy`, in which cases nothing was sent. It also throws
 * `unreachable`, `timed_out`, `redirected` and `CallHeldBack`.
 */
export function createOutboundFetch(options: OutboundOptions): OutboundFetch {
  const settings = { ...defaults, ...options };
  return async (call) => {
    const headers = wireHeaders(call.headers);
    const deadline = startDeadline(call.timeoutMs);
    try {
      const target = await deadline.race(checkTarget(call.url, settings));
      return await deadline.race(exchange(target, { ...settings, call, headers, deadline }));
    } finally {
      deadline.end();
    }
  };
}

interface Deadline {
  readonly signal: AbortSignal;
  /** `answer` after the request was released to the connection: from then on something may have been sent. */
  waitsFor: "connection" | "answer";
  /** Resolves as `work`, or throws `timed_out` if the time passes first. */
  race<T>(work: Promise<T>): Promise<T>;
  end(): void;
}

function startDeadline(timeoutMs: number): Deadline {
  const controller = new AbortController();
  const { signal } = controller;
  const timer = setTimeout(() => controller.abort(timedOut(deadline.waitsFor, timeoutMs)), timeoutMs);
  const deadline: Deadline = {
    signal,
    waitsFor: "connection",
    race: untilAborted(signal),
    end: () => clearTimeout(timer),
  };
  return deadline;
}

interface CallContext {
  readonly call: OutboundCall;
  readonly headers: Readonly<Record<string, string>>;
  readonly deadline: Deadline;
  readonly connectTimeoutMs: number;
  readonly maxResponseBytes: number;
  readonly certificateAuthorities?: string;
}

async function exchange(target: Target, context: CallContext): Promise<OutboundAnswer> {
  try {
    const message = await send(target, context);
    return await readAnswer(message, { url: target.url, maxBytes: context.maxResponseBytes });
  } catch (error) {
    if (error instanceof Stopped) throw error.cause;
    if (error instanceof DeliveryFailure) throw error;
    const connected = context.deadline.waitsFor === "answer";
    throw unreachable(target.url.origin, { cause: error, connected });
  }
}

/** Interim answers (1xx) of one call. Normal are one or two, and each one costs the thread work. */
const mostInterim = 16;

/** The caller stopped the call before anything was sent. */
class Stopped extends Error {}

/** Connects, asks the caller, sends the request whole and waits for the head of its answer. */
async function send(
  target: Target,
  { call, deadline, connectTimeoutMs, ...rest }: CallContext,
): Promise<IncomingMessage> {
  const secure = target.url.protocol === "https:";
  const request = (secure ? secureRequest : plainRequest)(optionsOf(target, { call, ...rest }));
  deadline.signal.addEventListener("abort", () => request.destroy(deadline.signal.reason as Error));
  // Bytes, because with a text node:http would write the headers in that text's encoding, not as they are.
  const body = Buffer.from(call.body ?? "");
  const connected = new Promise<void>((resolve) => {
    request.on("socket", (socket) => socket.once(secure ? "secureConnect" : "connect", resolve));
  });
  let interim = 0;
  request.on("information", () => {
    if (++interim > mostInterim) request.destroy(neverEnding(target.url.origin));
  });
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    request.on("response", resolve).on("error", reject);
  });
  const giveUp = () => {
    request.destroy(timedOut("connection", connectTimeoutMs));
    return answer;
  };
  await withTimeout(Promise.race([connected, answer]), { ms: connectTimeoutMs, onTimeout: giveUp });
  await Promise.race([permission(call), answer]).catch((error) => {
    request.destroy();
    throw error;
  });
  // Nothing is awaited from here to the line that sends the request.
  deadline.signal.throwIfAborted();
  if (call.mayGoOut?.() === false) {
    request.destroy();
    throw new Stopped("held back", { cause: new CallHeldBack() });
  }
  deadline.waitsFor = "answer";
  request.end(body);
  return answer;
}

async function permission({ sending }: OutboundCall): Promise<void> {
  try {
    await sending?.();
  } catch (cause) {
    throw new Stopped("refused", { cause });
  }
}

/** Bytes of all headers of an answer, and of all its trailers. */
const mostHeaderBytes = 16 * 1024;

function optionsOf(
  target: Target,
  { call, headers, certificateAuthorities }: Pick<CallContext, "call" | "headers" | "certificateAuthorities">,
): RequestOptions & { readonly servername: string; readonly ca?: string } {
  const { url } = target;
  const host = hostOf(url);
  return {
    method: call.method,
    host,
    port: url.port,
    path: `${url.pathname}${url.search}`,
    headers: { "User-Agent": "Waybill", ...headers, ...connectionHeaders(url, call) },
    maxHeaderSize: mostHeaderBytes,
    lookup: pinnedTo(target),
    agent: false,
    // An address is not a server name (RFC 6066).
    servername: isIP(host) === 0 ? host : "",
    ...(certificateAuthorities === undefined ? {} : { ca: certificateAuthorities }),
  };
}

/** Asks for no compression, so that the limit on the body is a limit on its content. */
function connectionHeaders(url: URL, { method, body }: OutboundCall): Record<string, string> {
  const common = { Host: url.host, "Accept-Encoding": "identity" };
  const carriesBody = body !== undefined || method === "POST" || method === "PUT" || method === "PATCH";
  return carriesBody ? { ...common, "Content-Length": String(Buffer.byteLength(body ?? "")) } : common;
}

function pinnedTo({ addresses }: Target): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, { all }, callback) => {
    if (all) callback(null, found);
    else callback(null, found[0]?.address ?? "", found[0]?.family);
  };
}
