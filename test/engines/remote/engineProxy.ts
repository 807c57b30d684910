/** An HTTP proxy in front of the engine under test, which loses answers, asks for an account, or is away. */
import { engineUrl } from "../engine.ts";

export interface EngineProxy {
  /** What Waybill gets as ENGINE_URL. */
  readonly url: string;
  /** `METHOD path` of each call so far. */
  readonly calls: readonly string[];
  /** From now on, calls that fit reach the engine, but nobody hears its answer. */
  loseAnswers(pattern: RegExp | undefined): void;
  /** From now on, calls that fit do not reach the engine, and have no answer. */
  dropCalls(pattern: RegExp | undefined): void;
  /** From now on, calls that fit reach the engine, but the answer is this one: a bare 500 by default. */
  failAnswers(pattern: RegExp | undefined, answer?: () => Response): void;
  /** From now on, calls without this header get 401. */
  requireAuthorization(header: string | undefined): void;
  /** From now on, nothing reaches the engine, and every call gets 503. */
  goAway(isAway: boolean): void;
  stop(): Promise<void>;
}

export function startEngineProxy(): EngineProxy {
  if (!engineUrl) throw new Error("A proxy needs a remote engine.");
  const target = new URL(engineUrl);
  const calls: string[] = [];
  let [lost, authorization, isAway]: [RegExp | undefined, string | undefined, boolean] = [
    undefined,
    undefined,
    false,
  ];
  let dropped: RegExp | undefined;
  let failing: { readonly pattern: RegExp | undefined; readonly answer: () => Response } | undefined;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 120,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      const call = `${request.method} ${pathname}`;
      calls.push(call);
      if (dropped?.test(call)) return new Promise<Response>(() => {});
      if (isAway) return new Response("no upstream", { status: 503 });
      if (authorization && request.headers.get("authorization") !== authorization)
        return new Response(null, { status: 401 });
      const { method, headers } = request;
      const body = method === "GET" || method === "HEAD" ? undefined : await request.arrayBuffer();
      const answer = await fetch(new URL(pathname + search, target), { method, headers, body });
      const bytes = await answer.arrayBuffer();
      if (lost?.test(call)) return new Promise<Response>(() => {});
      if (failing?.pattern?.test(call)) return failing.answer();
      const copied = new Headers(answer.headers);
      if (method !== "HEAD") copied.delete("content-length");
      copied.delete("transfer-encoding");
      return new Response(method === "HEAD" || answer.status === 204 ? null : bytes, {
        status: answer.status,
        headers: copied,
      });
    },
  });
  return {
    url: `${server.url.origin}${target.pathname}`,
    calls,
    dropCalls: (pattern) => {
      dropped = pattern;
    },
    loseAnswers: (pattern) => {
      lost = pattern;
    },
    failAnswers: (pattern, answer = () => new Response("internal error", { status: 500 })) => {
      failing = { pattern, answer };
    },
    requireAuthorization: (header) => {
      authorization = header;
    },
    goAway: (away) => {
      isAway = away;
    },
    stop: () => server.stop(true),
  };
}
