/** The listening socket, and its orderly end. */
import type { createApp } from "./app.ts";
import { idleSeconds } from "./http/bind.ts";
import { type Config, ConfigError } from "./infrastructure/config.ts";

/** Larger than the largest body of the contract: http/body.ts refuses sooner, with a Problem. */
const maxRequestBodySize = 1024 ** 3 + 1024 ** 2;

export interface Server {
  readonly url: URL;
  /** Asks the client of every answer from now on to close its connection. New connections are still taken. */
  leave(): void;
  /** Takes no more connections. Resolves once all requests are answered, or are cut off after `drainMs` (25 s). */
  stop(drainMs?: number): Promise<void>;
}

type Address = Pick<Config, "host" | "port">;

/** Listens. Throws a one-line ConfigError where the address cannot be had. */
export function listen(app: ReturnType<typeof createApp>, address: Address): Server {
  let leaving = false;
  const server = serve(app, address, (response) => {
    if (leaving) response.headers.set("Connection", "close");
    return response;
  });
  app.server = server as typeof app.server;
  return {
    url: server.url,
    leave: () => {
      leaving = true;
    },
    stop: async (drainMs = 25_000) => {
      const timer = setTimeout(() => server.stop(true), drainMs);
      await server.stop();
      clearTimeout(timer);
    },
  };
}

type Send = (response: Response) => Response;

function serve(app: ReturnType<typeof createApp>, { host, port }: Address, send: Send) {
  try {
    const fetch = (request: Request) => {
      const answer = app.fetch(withHost(request));
      return answer instanceof Promise ? answer.then(send) : send(answer);
    };
    return Bun.serve({ hostname: host, port, maxRequestBodySize, idleTimeout: idleSeconds, fetch });
  } catch (cause) {
    const taken = ["EADDRINUSE", "EACCES"].includes((cause as NodeJS.ErrnoException).code ?? "");
    if (taken)
      throw new ConfigError(`PORT is ${port}; it takes a port that is free on HOST ${host}`, { cause });
    throw new ConfigError(`HOST is ${JSON.stringify(host)}; it takes an address of this machine`, { cause });
  }
}

/**
 * Without a usable Host header Bun gives a path for a URL, in which Elysia would look for the path in vain. The request
 * stays the one that Bun knows: of a copy the server could not say where it came from.
 */
function withHost(request: Request): Request {
  if (request.url.startsWith("/"))
    Object.defineProperty(request, "url", { value: `http://localhost${request.url}` });
  return request;
}
