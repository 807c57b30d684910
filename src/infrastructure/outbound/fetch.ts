/**
 * One call to an outside system (design 9), to the very addresses that the policy checked.
 *
 * node:http and not `fetch`, because it lets the caller give the addresses: `lookup` answers with those that were
 * checked, so the name is never resolved a second time, while the Host header, the TLS server name and the certificate's
 * check still go by the name. Each call has a connection of its own (`agent: false`): one kept from an earlier call would
 * have been checked for that call. Proxies named in the environment are not used.
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
  /** Of this machine; those of its interfaces. */
  readonly ownAddresses?: () => readonly string[];
  /** Until the connection stands, TLS included; 10 seconds. */
  readonly connectTimeoutMs?: number;
  /** What is kept of a body; 1 MiB. */
  readonly maxResponseBytes?: number;
  /** PEM, instead of the certificate authorities that the runtime trusts. */
  readonly certificateAuthorities?: string;
}

export interface OutboundCall {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** For everything: resolving, connecting, sending and the whole answer. */
  readonly timeoutMs: number;
  /** Awaited once the connection is there, before the request is written: what it throws passes through, nothing is sent. */
  readonly sending?: () => Promise<void>;
  /**
   * Asked after `sending`, in the very tick in which the request is written. Where it says no, nothing is sent, and the
   * call throws `CallHeldBack`.
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
 * A function that makes one call. Any status but a redirect is an answer. Throws `invalid_url`, `invalid_header`,
 * `refused_by_policy` (in these cases nothing was sent), `unreachable`, `timed_out` and `redirected`, and `CallHeldBack`.
 */
export function createOutboundFetch(options: OutboundOptions): OutboundFetch {
  const settings = { ...defaults, ...options };
  return async (call) => {
    const headers = wireHeaders(call.headers);
    const deadline = startDeadline(call.timeoutMs);
    try {
      const target = await deadline.race(checkTarget(call.url, settings));
      const answer = exchange(target, { ...settings, call, headers, deadline });
      return await deadline.race(answer);
    } finally {
      deadline.end();
    }
  };
}

interface Deadline {
  readonly signal: AbortSignal;
  /** `answer` once the connection stands: from then on something may have been sent. */
  waitsFor: "connection" | "answer";
  /** `work`, or a `timed_out` if that comes first. */
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

interface RequestContext {
  readonly call: OutboundCall;
  readonly headers: Readonly<Record<string, string>>;
  readonly deadline: Deadline;
  readonly connectTimeoutMs: number;
  readonly maxResponseBytes: number;
  readonly certificateAuthorities?: string;
}

async function exchange(target: Target, exchange: RequestContext): Promise<OutboundAnswer> {
  try {
    const message = await send(target, exchange);
    return await readAnswer(message, { url: target.url, maxBytes: exchange.maxResponseBytes });
  } catch (error) {
    if (error instanceof Stopped) throw error.cause;
    if (error instanceof DeliveryFailure) throw error;
    const connected = exchange.deadline.waitsFor === "answer";
    throw unreachable(target.url.origin, { cause: error, connected });
  }
}

/** Interim answers (1xx) that a call takes. Honest ones are one or two, and each one costs the thread some work. */
const mostInterim = 16;

/** The caller stopped the call before anything was sent. */
class Stopped extends Error {}

/** Connects, asks the caller, sends the request whole and waits for the head of its answer. */
async function send(
  target: Target,
  { call, deadline, connectTimeoutMs, ...rest }: RequestContext,
): Promise<IncomingMessage> {
  const secure = target.url.protocol === "https:";
  const request = (secure ? secureRequest : plainRequest)(optionsOf(target, { call, ...rest }));
  deadline.signal.addEventListener("abort", () => request.destroy(deadline.signal.reason as Error));
  // Bytes: behind a text, node:http would write the headers in that text's encoding, and not as they are.
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
  // From the check to this line nothing is awaited.
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

/** Of an answer's headers together, and of its trailers. */
const mostHeaderBytes = 16 * 1024;

function optionsOf(
  target: Target,
  {
    call,
    headers,
    certificateAuthorities,
  }: Pick<RequestContext, "call" | "headers" | "certificateAuthorities">,
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
    // An address is no server name (RFC 6066).
    servername: isIP(host) === 0 ? host : "",
    ...(certificateAuthorities === undefined ? {} : { ca: certificateAuthorities }),
  };
}

/** Nothing compressed is asked for, so the limit on a body is one on what it holds. */
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
