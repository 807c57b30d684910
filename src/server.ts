/** The listening socket, and its orderly shutdown. */
import type { createApp } from "./app.ts";
import { idleSeconds } from "./http/bind.ts";
import { type Config, ConfigError } from "./infrastructure/config.ts";

/** Larger than the largest body of the contract, so that http/body.ts can refuse a body with a Problem. */
const maxRequestBodySize = 64 * 1024 ** 3 + 1024 ** 2;

export interface Server {
  readonly url: URL;
  /** From now on, every answer asks its client to close the connection. New connections are still accepted. */
  leave(): void;
  /** Accepts no new connections. Resolves when all requests are answered, or are cut off after `drainMs` (25 s). */
  stop(drainMs?: number): Promise<void>;
}

type Address = Pick<Config, "host" | "port">;

/** Listens. Throws a one-line ConfigError if the address cannot be used. */
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
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "EADDRINUSE")
      throw new ConfigError(`PORT is ${port}; it must be a port that is free on HOST ${host}`, { cause });
    if (code === "EACCES")
      throw new ConfigError(`PORT is ${port}; it must be a port that this account may listen on`, { cause });
    throw new ConfigError(`HOST is ${JSON.stringify(host)}; it must be an address of this machine`, {
      cause,
    });
  }
}

/**
 * Completes a URL that is only a path, which Bun gives to a request without a usable Host header. Elysia could not
 * route it. Changes the request itself, because Bun does not know the client's address of a copy.
 */
function withHost(request: Request): Request {
  if (request.url.startsWith("/"))
    Object.defineProperty(request, "url", { value: `http://localhost${request.url}` });
  return request;
}
